//! The two calls of the demo that wait for a person from its start, and the last uses of its keys.

use serde_json::{Value, json};
use toolcrib_auth::secret;
use toolcrib_model::Role;
use toolcrib_store::{confirmations, keys};

use super::{
    credentials::Workspace,
    demo_history::{DemoHistory, REQUEST_ID},
    script::Actor,
    workspaces::{DemoWorkspace, FIRST},
};
use crate::{context::AppContext, failure::Failure, services::Services};

/// How long they wait, in seconds: a day from each start.
pub const SECONDS: i64 = 86_400;

/// Makes the calls if nobody decided about them yet, and renews their time.
pub async fn ask(context: &AppContext, services: &Services, workspace: &Workspace) -> Result<(), Failure> {
    let _quiet = crate::telemetry::LogsOff::begin();
    let place = DemoWorkspace {
        id: workspace.id,
        plan: &FIRST,
        people: [&workspace.viewer, &workspace.member, &workspace.editor, &workspace.admin, &workspace.owner]
            .map(|user| user.user_id),
        agent: workspace.agent.agent_id,
        agent_key: workspace.agent.key.clone(),
        service_key: workspace.service.key.clone(),
    };
    // A minute ago, because calls of the demo are some seconds apart.
    let mut history = DemoHistory::new(context, services, context.now().plus_seconds(-60), SECONDS);
    let (now, until) = (context.now(), context.now().plus_seconds(SECONDS));
    for (actor, action) in [
        (Actor::User(Role::Admin), "platform_delete_agent"),
        (Actor::Agent, "platform_cancel_scheduled_task"),
    ] {
        let mut tx = services.db.begin_write(place.id).await?;
        let waiting = confirmations::renew(&mut tx, action, REQUEST_ID, now, until).await?;
        tx.commit().await?;
        if waiting == 0
            && let Some(arguments) = arguments(&mut history, &place, actor).await?
        {
            history.attempt(&place, actor, action, arguments).await?;
        }
    }
    Ok(())
}

/// Returns the arguments of the call: the first scheduled task for the agent's, and an agent for the other. `None` if
/// the agent has no task, or may not list them any more.
async fn arguments(
    history: &mut DemoHistory,
    place: &DemoWorkspace,
    actor: Actor,
) -> Result<Option<Value>, Failure> {
    if !matches!(actor, Actor::Agent) {
        return Ok(Some(json!({ "agent": "Release Writer" })));
    }
    let listed = history.attempt(place, actor, "platform_list_scheduled_tasks", json!({})).await?;
    let task = listed.outcome.to_value().pointer("/data/items/0/id").cloned();
    Ok(task.map(|task| json!({ "task_id": task })))
}

/// Notes when the keys of a new demo were last used: its history does not pass their verification.
pub async fn note_uses(
    context: &AppContext,
    services: &Services,
    place: &DemoWorkspace,
) -> Result<(), Failure> {
    let mut tx = services.db.begin_write(place.id).await?;
    for (text, agent) in [(&place.agent_key, Some(place.agent)), (&place.service_key, None)] {
        if let Some((key, _)) = secret::parse_key(text) {
            keys::touch(&mut tx, key, agent, context.now().plus_days(-1)).await?;
        }
    }
    Ok(tx.commit().await?)
}

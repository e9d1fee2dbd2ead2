//! The two calls of the demo that wait for a person from its start, and the last uses of its keys.

use serde_json::json;
use toolcrib_auth::secret;
use toolcrib_engine::Outcome;
use toolcrib_model::Role;
use toolcrib_store::{confirmations, keys};

use super::{
    credentials::Workspace,
    demo_history::{Actor, DemoHistory},
    workspaces::Founded,
};
use crate::{context::AppContext, failure::Failure, services::Services};

/// How long they wait, in seconds: a day from each start.
pub const SECONDS: i64 = 86_400;

/// Makes the calls if nobody decided about them yet, and renews their time.
pub async fn ask(context: &AppContext, services: &Services, workspace: &Workspace) -> Result<(), Failure> {
    let _quiet = crate::telemetry::LogsOff::begin();
    let place = Founded {
        id: workspace.id,
        name: workspace.name.clone(),
        prefix: "",
        people: [&workspace.viewer, &workspace.member, &workspace.editor, &workspace.admin, &workspace.owner]
            .map(|user| user.user_id),
        agent: workspace.agent.agent_id,
        agent_key: workspace.agent.key.clone(),
        service_key: workspace.service.key.clone(),
    };
    // A minute ago, because calls of the demo are some seconds apart.
    let mut history = DemoHistory::new(context, services, context.now().plus_seconds(-60), SECONDS);
    let listed = history.attempt(&place, Actor::Agent, "platform_list_scheduled_tasks", json!({})).await?;
    let task = listed.map(|answer| answer.outcome.to_value()["data"]["items"][0]["id"].take());
    for (actor, action, arguments) in [
        (Actor::User(Role::Admin), "platform_delete_agent", json!({ "agent": "Release Writer" })),
        (Actor::Agent, "platform_cancel_scheduled_task", json!({ "task_id": task })),
    ] {
        let answer = history.attempt(&place, actor, action, arguments).await?;
        let Some(Outcome::Waiting(waiting)) = answer.map(|answer| answer.outcome) else { continue };
        let mut tx = services.db.begin_write(place.id).await?;
        confirmations::renew(&mut tx, waiting.confirmation.id, context.now().plus_seconds(SECONDS)).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Notes when the keys of a new demo were last used: its history does not pass their verification.
pub async fn note_uses(context: &AppContext, services: &Services, place: &Founded) -> Result<(), Failure> {
    let mut tx = services.db.begin_write(place.id).await?;
    for (text, agent) in [(&place.agent_key, Some(place.agent)), (&place.service_key, None)] {
        if let Some((key, _)) = secret::parse_key(text) {
            keys::touch(&mut tx, key, agent, context.now().plus_days(-1)).await?;
        }
    }
    Ok(tx.commit().await?)
}

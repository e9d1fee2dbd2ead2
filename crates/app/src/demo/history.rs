//! The history of the demo's three weeks.

use serde_json::json;
use toolcrib_model::{Role, Ts};

use super::{
    chats,
    credentials::DATASOURCE,
    demo_history::{Actor, DemoHistory},
    runs::Runs,
    seeded_random::SeededRandom,
    shop,
    timeline::{self, DemoStep},
    waiting,
    workspaces::{DAYS, Founded},
};
use crate::{context::AppContext, failure::Failure, services::Services};

/// Fixed, so that the history is the same each time.
const SEED: u64 = 20_260_121;

const OWNER: Actor = Actor::User(Role::Owner);
const ADMIN: Actor = Actor::User(Role::Admin);
const EDITOR: Actor = Actor::User(Role::Editor);
const MEMBER: Actor = Actor::User(Role::Member);
const VIEWER: Actor = Actor::User(Role::Viewer);

/// Calls that are picked at random on every day.
const HABITS: [(Actor, &str); 8] = [
    (VIEWER, "platform_list_agents"),
    (VIEWER, "platform_get_activity_feed"),
    (MEMBER, "platform_list_tasks"),
    (MEMBER, "platform_browse_memories"),
    (EDITOR, "platform_list_playbooks"),
    (ADMIN, "platform_get_system_health"),
    (Actor::Agent, "platform_list_agents"),
    (Actor::Service, "platform_get_workspace_info"),
];

/// Makes the history of both workspaces, starting at `began`.
pub async fn tell(
    context: &AppContext,
    services: &Services,
    places: [&Founded; 2],
    began: Ts,
) -> Result<(), Failure> {
    let _quiet = crate::telemetry::LogsOff::begin();
    let mut history =
        DemoHistory::new(context, services, began, services.engine.settings().confirmation_seconds);
    let [first, second] = places;
    let steps = timeline::steps();
    for place in places {
        let arguments = json!({ "name": DATASOURCE, "connection": shop::connection(place.id) });
        history.done(place, OWNER, "datasources.create", &arguments, None).await?;
    }
    let (mut random, mut runs) = (SeededRandom::new(SEED), Runs::new(context, first));
    for day in 0..DAYS {
        history.at(began.plus_days(day).plus_seconds(i64::from(random.below(7_200))));
        for DemoStep { actor, action, arguments, save, .. } in steps.iter().filter(|step| step.day == day) {
            history.done(first, *actor, action, arguments, *save).await?;
        }
        chats::report(context, &mut history, first, day, began).await?;
        mishap(&mut history, first, day).await?;
        for _ in 0..=random.below(2) {
            if let Some((actor, action)) = random.pick(&HABITS) {
                history.attempt(first, *actor, action, json!({})).await?;
            }
        }
        runs.report(&mut history, day, began.plus_days(day)).await?;
    }
    other_tenant(&mut history, second, began).await?;
    waiting::note_uses(context, services, first).await?;
    if !history.skipped.is_empty() {
        tracing::debug!(skipped = ?history.skipped, "the demo did without actions that are not there");
    }
    Ok(())
}

/// Makes calls that are refused or never decided, so that the audit log has such rows too.
async fn mishap(history: &mut DemoHistory, place: &Founded, day: i64) -> Result<(), Failure> {
    let (actor, action, arguments) = match day {
        // A viewer may not create agents.
        3 => (VIEWER, "platform_create_agent", json!({ "name": "My Helper" })),
        // The temperature is out of range.
        6 => (EDITOR, "platform_update_agent", json!({ "agent": "Researcher", "temperature": 20 })),
        // Waits for a confirmation that is never decided.
        11 => (ADMIN, "platform_delete_agent", json!({ "agent": "Release Writer" })),
        // There is no agent with this name.
        17 => (MEMBER, "platform_get_agent", json!({ "agent": "Reseracher" })),
        _ => return Ok(()),
    };
    history.attempt(place, actor, action, arguments).await.map(drop)
}

/// Makes the history of the second workspace.
async fn other_tenant(history: &mut DemoHistory, place: &Founded, began: Ts) -> Result<(), Failure> {
    history.at(began.plus_days(2));
    for name in ["Night Watch", "Sample Keeper"] {
        let arguments =
            json!({ "name": name, "role": "worker", "description": "Keeps an eye on the fridges" });
        history.done(place, EDITOR, "platform_create_agent", &arguments, None).await?;
    }
    let arguments = json!({ "content": "Sample 17 must stay below four degrees", "tags": ["samples"] });
    history.done(place, MEMBER, "platform_store_memory", &arguments, None).await?;
    history.at(began.plus_days(9));
    history.attempt(place, VIEWER, "platform_list_agents", json!({})).await?;
    Ok(())
}

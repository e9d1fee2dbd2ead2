//! What happened in the demo's three weeks.

use serde_json::json;
use toolcrib_model::{Role, Ts};

use super::{
    chance::Chance,
    chats,
    credentials::DATASOURCE,
    founding::{DAYS, Founded},
    runs::Runs,
    script::{self, Step},
    shop,
    story::{Actor, Story},
};
use crate::{failure::Failure, ground::Ground, serve::parts::Parts};

/// The same story each time.
const SEED: u64 = 20_260_121;

const OWNER: Actor = Actor::User(Role::Owner);
const ADMIN: Actor = Actor::User(Role::Admin);
const EDITOR: Actor = Actor::User(Role::Editor);
const MEMBER: Actor = Actor::User(Role::Member);
const VIEWER: Actor = Actor::User(Role::Viewer);

/// What people do on any day.
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

/// Tells the story of both workspaces, from `began` to now.
pub async fn tell(ground: &Ground, parts: &Parts, places: [&Founded; 2], began: Ts) -> Result<(), Failure> {
    let _quiet = crate::telemetry::Quiet::begin();
    let mut story = Story::new(ground, parts, began);
    let [first, second] = places;
    let steps = script::steps();
    for place in places {
        let arguments = json!({ "name": DATASOURCE, "connection": shop::connection(place.id) });
        story.done(place, OWNER, "datasources.create", &arguments, None).await?;
    }
    let (mut chance, mut runs) = (Chance::new(SEED), Runs::new(ground, first));
    for day in 0..DAYS {
        story.at(began.plus_days(day).plus_seconds(i64::from(chance.below(7_200))));
        for Step { actor, action, arguments, save, .. } in steps.iter().filter(|step| step.day == day) {
            story.done(first, *actor, action, arguments, *save).await?;
        }
        chats::report(ground, &mut story, first, day, began).await?;
        mishap(&mut story, first, day).await?;
        for _ in 0..=chance.below(2) {
            if let Some((actor, action)) = chance.pick(&HABITS) {
                story.attempt(first, *actor, action, json!({})).await?;
            }
        }
        runs.report(&mut story, day, began.plus_days(day)).await?;
    }
    other_tenant(&mut story, second, began).await?;
    if !story.skipped.is_empty() {
        tracing::debug!(skipped = ?story.skipped, "the demo did without actions that are not there");
    }
    Ok(())
}

/// What went wrong once: refusals belong to an audit trail too.
async fn mishap(story: &mut Story, place: &Founded, day: i64) -> Result<(), Failure> {
    let (actor, action, arguments) = match day {
        // A viewer creates nothing.
        3 => (VIEWER, "platform_create_agent", json!({ "name": "My Helper" })),
        // There is no such temperature.
        6 => (EDITOR, "platform_update_agent", json!({ "agent": "Researcher", "temperature": 20 })),
        // Asked for and never decided.
        11 => (ADMIN, "platform_delete_agent", json!({ "agent": "Release Writer" })),
        // Nobody by that name.
        17 => (MEMBER, "platform_get_agent", json!({ "agent": "Reseracher" })),
        _ => return Ok(()),
    };
    story.attempt(place, actor, action, arguments).await.map(drop)
}

/// The other tenant keeps to itself.
async fn other_tenant(story: &mut Story, place: &Founded, began: Ts) -> Result<(), Failure> {
    story.at(began.plus_days(2));
    for name in ["Night Watch", "Sample Keeper"] {
        let arguments =
            json!({ "name": name, "role": "worker", "description": "Keeps an eye on the fridges" });
        story.done(place, EDITOR, "platform_create_agent", &arguments, None).await?;
    }
    let arguments = json!({ "content": "Sample 17 must stay below four degrees", "tags": ["samples"] });
    story.done(place, MEMBER, "platform_store_memory", &arguments, None).await?;
    story.at(began.plus_days(9));
    story.attempt(place, VIEWER, "platform_list_agents", json!({})).await?;
    Ok(())
}

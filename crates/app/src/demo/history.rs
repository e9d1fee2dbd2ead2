//! What happened in the demo's three weeks.

use serde_json::{Value, json};
use toolcrib_model::{Role, Ts};

use super::{
    chance::Chance,
    founding::{DAYS, Founded},
    story::{Actor, Story},
};
use crate::{failure::Failure, ground::Ground, serve::parts::Parts};

/// The same story each time.
const SEED: u64 = 20_260_121;
const HOUR: i64 = 3_600;

const OWNER: Actor = Actor::User(Role::Owner);
const ADMIN: Actor = Actor::User(Role::Admin);
const EDITOR: Actor = Actor::User(Role::Editor);
const MEMBER: Actor = Actor::User(Role::Member);
const VIEWER: Actor = Actor::User(Role::Viewer);

/// Tells the story of both workspaces, from `began` to now.
pub async fn tell(ground: &Ground, parts: &Parts, places: [&Founded; 2], began: Ts) -> Result<(), Failure> {
    let _quiet = crate::telemetry::Quiet::begin();
    let mut story = Story::new(ground, parts, began);
    let [first, second] = places;
    beginnings(&mut story, first, began).await?;
    days(&mut story, first, began).await?;
    other_tenant(&mut story, second, began).await?;
    if !story.skipped.is_empty() {
        tracing::debug!(skipped = ?story.skipped, "the demo did without actions that are not there");
    }
    Ok(())
}

/// The first morning: agents.
async fn beginnings(story: &mut Story, place: &Founded, began: Ts) -> Result<(), Failure> {
    story.at(began.plus_seconds(HOUR));
    for (name, role, description) in [
        ("Researcher", "researcher", "Looks up suppliers and compares offers"),
        ("Invoice Checker", "worker", "Compares invoices with orders and reports what differs"),
        ("Release Writer", "coder", "Turns merged changes into release notes"),
        ("Old Assistant", "chatbot", "The first try; nobody uses it"),
    ] {
        let arguments =
            json!({ "name": name, "role": role, "description": description, "tags": ["demo", role] });
        story.done(place, EDITOR, "platform_create_agent", arguments).await?;
    }
    Ok(())
}

/// What people do on any day.
const HABITS: [(Actor, &str); 6] = [
    (VIEWER, "platform_list_agents"),
    (MEMBER, "platform_list_agents"),
    (MEMBER, "platform_list_tasks"),
    (EDITOR, "platform_list_playbooks"),
    (Actor::Agent, "platform_list_agents"),
    (Actor::Service, "platform_list_agents"),
];

async fn days(story: &mut Story, place: &Founded, began: Ts) -> Result<(), Failure> {
    let mut chance = Chance::new(SEED);
    for day in 1..DAYS {
        let morning = began.plus_days(day).plus_seconds(i64::from(chance.below(7_200)));
        story.at(morning);
        for _ in 0..=chance.below(2) {
            if let Some((actor, action)) = chance.pick(&HABITS) {
                story.attempt(place, *actor, action, json!({})).await?;
            }
        }
        special(story, place, day).await?;
    }
    Ok(())
}

/// What happened once.
async fn special(story: &mut Story, place: &Founded, day: i64) -> Result<(), Failure> {
    let (actor, action, arguments): (Actor, &str, Value) = match day {
        // Refused: a viewer creates nothing.
        3 => (VIEWER, "platform_create_agent", json!({ "name": "My Helper" })),
        5 => (EDITOR, "platform_update_agent", json!({ "agent": "Researcher", "temperature": 0.2 })),
        // Wrong: there is no such temperature.
        6 => (EDITOR, "platform_update_agent", json!({ "agent": "Researcher", "temperature": 20 })),
        8 => (ADMIN, "platform_update_agent", json!({ "agent": "Release Writer", "status": "inactive" })),
        // Asked for and never decided: it expired.
        11 => (ADMIN, "platform_delete_agent", json!({ "agent": "Release Writer" })),
        14 => {
            return story
                .done(place, OWNER, "platform_delete_agent", json!({ "agent": "Old Assistant" }))
                .await
                .map(drop);
        }
        _ => return Ok(()),
    };
    story.attempt(place, actor, action, arguments).await.map(drop)
}

/// The other tenant keeps to itself.
async fn other_tenant(story: &mut Story, place: &Founded, began: Ts) -> Result<(), Failure> {
    story.at(began.plus_days(2));
    for name in ["Night Watch", "Sample Keeper"] {
        story.done(place, EDITOR, "platform_create_agent", json!({ "name": name, "role": "worker" })).await?;
    }
    story.at(began.plus_days(9));
    story.attempt(place, VIEWER, "platform_list_agents", json!({})).await?;
    Ok(())
}

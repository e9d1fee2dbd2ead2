//! The history of the demo's three weeks.

use serde_json::{Value, json};
use toolcrib_model::{Role, Ts};

use super::{
    credentials::DATASOURCE,
    demo_history::DemoHistory,
    runs::Runs,
    script::{Actor, Chat, GameScript, Script, Step},
    seeded_random::SeededRandom,
    shop, waiting,
    workspaces::{DAYS, DemoWorkspace},
};
use crate::{context::AppContext, failure::Failure, services::Services};

/// Fixed, so that the history is the same each time.
const SEED: u64 = 20_260_121;

/// Calls that are picked at random on every day.
const HABITS: [(Actor, &str); 8] = [
    (Actor::User(Role::Viewer), "platform_list_agents"),
    (Actor::User(Role::Viewer), "platform_get_activity_feed"),
    (Actor::User(Role::Member), "platform_list_tasks"),
    (Actor::User(Role::Member), "platform_browse_memories"),
    (Actor::User(Role::Editor), "platform_list_playbooks"),
    (Actor::User(Role::Admin), "platform_get_system_health"),
    (Actor::Agent, "platform_list_agents"),
    (Actor::Service, "platform_get_workspace_info"),
];

/// Makes the history of both workspaces, starting at `began`.
pub async fn make(
    context: &AppContext,
    services: &Services,
    places: [&DemoWorkspace; 2],
    began: Ts,
) -> Result<(), Failure> {
    let _quiet = crate::telemetry::LogsOff::begin();
    let mut history =
        DemoHistory::new(context, services, began, services.engine.settings().confirmation_seconds);
    let [first, second] = places;
    let script = Script::read()?;
    for place in places {
        let arguments = json!({ "name": DATASOURCE, "connection": shop::connection(place.id) });
        history.done(place, Actor::User(Role::Owner), "datasources.create", &arguments, None).await?;
    }
    let (mut random, mut runs) = (SeededRandom::new(SEED), Runs::new(context, first));
    for day in 0..DAYS {
        history.at(began.plus_days(day).plus_seconds(i64::from(random.below(7_200))));
        for step in script.first.iter().filter(|step| step.day == day) {
            make_call(&mut history, first, step).await?;
        }
        for chat in script.chats.iter().filter(|chat| chat.day == day) {
            report_chat(context, &mut history, first, chat, began).await?;
        }
        for _ in 0..=random.below(2) {
            if let Some((actor, action)) = random.pick(&HABITS) {
                history.attempt(first, *actor, action, json!({})).await?;
            }
        }
        runs.report(&mut history, day, began.plus_days(day)).await?;
    }
    other_tenant(&mut history, second, &script.second, began).await?;
    if services.catalog.packs().iter().any(|pack| pack.slug() == "game" && pack.offered) {
        other_tenant(&mut history, second, &GameScript::read()?.game, began).await?;
    }
    // Here, not when the server's worker comes to it: a demo that is stopped at once has its whole history.
    let expired = services.engine.expire_overdue().await;
    expired.map_err(|error| Failure::could_not("the demo's confirmations can't expire", error.detail))?;
    waiting::note_uses(context, services, first).await
}

/// Reports a chat between a person and the agent Support Desk, as the chat backend does.
async fn report_chat(
    context: &AppContext,
    history: &mut DemoHistory,
    place: &DemoWorkspace,
    chat: &Chat,
    began: Ts,
) -> Result<(), Failure> {
    let message = |(text, turn): (&String, i64)| {
        let at = began.plus_days(chat.day).plus_seconds(turn * 40);
        let role = if turn % 2 == 0 { "user" } else { "assistant" };
        json!({ "id": context.ids.new_id(at), "at": at, "chat_id": chat.name, "user_id": place.user(chat.actor),
            "agent_id": place.agent, "role": role, "text": text })
    };
    let records: Vec<Value> = chat.turns.iter().zip(0..).map(message).collect();
    let arguments = json!({ "records": records });
    history.done(place, Actor::Service, "records.add_messages", &arguments, None).await
}

async fn make_call(history: &mut DemoHistory, place: &DemoWorkspace, step: &Step) -> Result<(), Failure> {
    let Step { actor, ref action, ref arguments, may_fail, .. } = *step;
    if may_fail {
        return history.attempt(place, actor, action, arguments.clone()).await.map(drop);
    }
    history.done(place, actor, action, arguments, step.save.as_deref()).await
}

/// Makes the history of the second workspace.
async fn other_tenant(
    history: &mut DemoHistory,
    place: &DemoWorkspace,
    steps: &[Step],
    began: Ts,
) -> Result<(), Failure> {
    for day in steps.chunk_by(|one, next| one.day == next.day) {
        history.at(began.plus_days(day.first().map_or(0, |step| step.day)));
        for step in day {
            make_call(history, place, step).await?;
        }
    }
    Ok(())
}

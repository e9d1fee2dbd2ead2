//! Chats between people and the agent Support Desk, as the chat backend reports them.

use serde_json::{Value, json};
use toolcrib_model::Ts;

use super::{
    demo_history::DemoHistory,
    script::{Actor, Chat},
    workspaces::DemoWorkspace,
};
use crate::{context::AppContext, failure::Failure};

pub async fn report(
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

//! Chats between people and the agent Support Desk, as the chat backend reports them.

use serde_json::{Value, json};
use toolcrib_model::{Role, Ts};

use super::{
    demo_history::{Actor, DemoHistory},
    workspaces::Founded,
};
use crate::{context::AppContext, failure::Failure};

/// One chat: its day, its name, the user's role, and the messages, alternating between user and agent.
struct Chat {
    day: i64,
    name: &'static str,
    with: Role,
    turns: &'static [&'static str],
}

const CHATS: [Chat; 4] = [
    Chat {
        day: 3,
        name: "chat-1",
        with: Role::Member,
        turns: &[
            "Which supplier was cheapest for the packaging foil?",
            "Nordfolie, at 0.84 per metre from 5,000 metres on. Their delivery takes ten working days.",
            "And the one that delivers within a week?",
            "Two of the five do; the cheaper asks 0.97 per metre.",
        ],
    },
    Chat {
        day: 9,
        name: "chat-2",
        with: Role::Editor,
        turns: &[
            "What did we agree about refunds when a parcel arrives damaged?",
            "Refunds are paid within ten days, without a return when the goods cost less than 20 euros.",
        ],
    },
    Chat {
        day: 16,
        name: "chat-3",
        with: Role::Member,
        turns: &[
            "The invoice from Nordfolie is 120 euros higher than the order.",
            "The order was for 5,000 metres and the invoice lists 5,125. Shall I ask them for a corrected invoice?",
            "Yes please.",
        ],
    },
    Chat {
        day: 19,
        name: "chat-4",
        with: Role::Owner,
        turns: &["When is the next release?", "On Thursday; the release notes wait for a review."],
    },
];

pub async fn report(
    context: &AppContext,
    history: &mut DemoHistory,
    place: &Founded,
    day: i64,
    began: Ts,
) -> Result<(), Failure> {
    for chat in CHATS.iter().filter(|chat| chat.day == day) {
        let records: Vec<Value> = chat
            .turns
            .iter()
            .zip(0_i64..)
            .map(|(text, turn)| {
                let at = began.plus_days(day).plus_seconds(turn * 40);
                let role = if turn % 2 == 0 { "user" } else { "assistant" };
                json!({ "id": context.ids.new_id(at), "at": at, "chat_id": chat.name, "user_id": place.user(chat.with),
                    "agent_id": place.agent, "role": role, "text": text })
            })
            .collect();
        let arguments = json!({ "records": records });
        history.done(place, Actor::Service, "records.add_messages", &arguments, None).await?;
    }
    Ok(())
}

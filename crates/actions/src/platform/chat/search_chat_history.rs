//! Find what was said in chats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::{Id, Ts};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::{
    messages::{self, MessageRow},
    text,
};

use super::chat_scope;
use crate::shared::{paging, score};

/// How far back when nothing is said, in days.
const DAYS: i64 = 30;
/// About how many characters of a message are shown.
const SHOWN: usize = 240;

/// The action.
pub struct SearchChatHistory;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to look for.
    pub query: String,
    /// How many days back; 30 unless said.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The messages that share a word with the query, best first.
    pub items: Vec<Hit>,
    /// Nothing older was looked at.
    pub from: Ts,
}

/// A message that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// The message.
    pub id: Id,
    /// The chat, by the chat backend's own name for it.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub chat_id: String,
    /// When it was said.
    pub at: Ts,
    /// `user`, `assistant` or `tool`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// The user who said it, or to whom it was said; null where that was not reported.
    pub user_id: Option<Id>,
    /// The agent that said it, or to which it was said; null where that was not reported.
    pub agent_id: Option<Id>,
    /// The part of the message that shows why it was found.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub snippet: String,
    /// How well it answers, above 0; comparable within one answer only.
    pub score: f64,
}

impl ReadAction for SearchChatHistory {
    const SPEC: Spec = Spec::read("platform_search_chat_history", Category::Chat, Permission::CHAT_READ)
        .describe(
            "Find what was said in earlier chats by its words, best first, with snippets. Members see their own chats, \
             admins all of the workspace.",
        )
        .tags(&["chat", "history", "conversation", "message", "search", "find"])
        .examples(&["What did we say about the invoice last week?", "Find the chat about the launch date"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let from = cx.now.plus_days(-input.days.unwrap_or(DAYS));
        let words = text::query(&input.query);
        let found = messages::candidates(cx.tx, &words, from, chat_scope(cx.caller)).await?;
        let hits = text::rank(&words, found, paging::rows(input.limit));
        let hit = |(row, value): (MessageRow, f64)| Hit {
            id: row.id,
            chat_id: row.chat_id,
            at: row.occurred_at,
            role: row.role,
            user_id: row.user_id,
            agent_id: row.agent_id,
            snippet: text::snippet(&row.text, &words, SHOWN),
            score: score(value),
        };
        Ok(Output { items: hits.into_iter().map(hit).collect(), from })
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} messages for `{}`", output.items.len(), input.query)
    }
}

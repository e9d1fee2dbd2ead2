//! Searches chat messages.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    messages::{self, MessageRow},
    text,
};

use super::chat_scope;
use crate::shared::{result_limit, score, words::found};

/// Default length of the period, in days.
const DAYS: i64 = 30;
/// Approximate length of a snippet, in characters.
const SHOWN: usize = 240;

pub struct SearchChatHistory;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to search for.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// Number of past days to search. Default: 30.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result of `platform_search_chat_history`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Messages that share a word with the query, best match first.
    pub items: Vec<Hit>,
    /// Start of the searched period.
    pub from: Ts,
}

/// A message that matches the query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// ID of the message.
    pub id: Id,
    /// ID of the chat, as the chat backend reports it.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub chat_id: String,
    /// Time of the message.
    pub at: Ts,
    /// Author: `user`, `assistant` or `tool`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// User who wrote or received the message; null if not reported.
    pub user_id: Option<Id>,
    /// Agent that wrote or received the message; null if not reported.
    pub agent_id: Option<Id>,
    /// Part of the message that matches the query.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub snippet: String,
    /// Relevance, above 0; comparable within one result only.
    pub score: f64,
}

impl ReadAction for SearchChatHistory {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_search_chat_history", Category::Chat, Permission::CHAT_READ)
            .describe(
                "Search the messages of earlier chats by words, best match first, with snippets. Members find their own chats, \
                 admins all chats.",
            )
            .tags(&["chat", "history", "conversation", "message", "search", "find"])
            .examples(&["What did we say about the invoice last week?", "Find the chat about the launch date"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let from = cx.now.plus_days(-input.days.unwrap_or(DAYS));
        let words = text::query(&input.query);
        let found = messages::candidates(cx.tx, &words, from, chat_scope(cx.caller)).await?;
        let hits = text::rank(&words, found, result_limit(input.limit));
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
        found(output.items.len(), "message", &input.query)
    }
}

//! Searches memories by words.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    memories::{self, MemoryRow},
    text,
};

use crate::shared::{
    refs::{self, Ref},
    result_limit, score,
    words::found,
};

pub struct SearchMemory;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to look for.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// Only items of this agent: ID or exact name.
    pub agent: Option<Ref>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memories that share a word with the query, best first.
    pub items: Vec<Hit>,
}

/// A memory that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRow,
    /// How well it answers, above 0; comparable within one answer only.
    pub score: f64,
}

impl ReadAction for SearchMemory {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_search_memory", Category::Memory, Permission::MEMORY_READ)
            .promoted()
            .always_offered()
            .describe("Find what was remembered by its words, best first, with scores. Use it before asking the user again.")
            .tags(&["memory", "recall", "remember", "search", "find", "fact"])
            .examples(&["What do we know about the client's budget?", "Recall the deployment decision"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let words = text::query(&input.query);
        let found = memories::candidates(cx.tx, &words, agent).await?;
        let hits = text::rank(&words, found, result_limit(input.limit));
        let items = hits.into_iter().map(|(row, value)| Hit { memory: row, score: score(value) }).collect();
        Ok(Output { items })
    }

    fn describe(input: &Input, output: &Output) -> String {
        found(output.items.len(), "memory", &input.query)
    }
}

//! Searches the field of a mission.

use toolcrib_engine::prelude::*;
use toolcrib_registry::CallerDefault;
use toolcrib_store::{
    field::{self, FieldRow},
    text,
};

use super::view::{EntryView, mission};
use crate::shared::{result_limit, score, words::found};

pub struct FieldQuery;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to search for.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// ID of the mission. Default: the caller's mission.
    pub mission: Option<Id>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result of `platform_field_query`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the mission.
    pub mission_id: Id,
    /// Entries that share a word with the query, best match first.
    pub items: Vec<Hit>,
}

/// An entry that matches the query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// The entry.
    #[serde(flatten)]
    pub entry: EntryView,
    /// Relevance, above 0; comparable within one result only.
    pub relevance: f64,
    /// Relevance times strength; defines the order.
    pub score: f64,
}

impl ReadAction for FieldQuery {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_field_query", Category::Field, Permission::FIELD_READ)
            .promoted()
            .always_offered()
            .caller_default(CallerDefault::Mission)
            .describe("Search what the agents of this mission have shared; fresh and relevant first. For lasting facts use memory.")
            .tags(&["field", "mission", "shared", "context", "agents", "signal"])
            .examples(&["What have the other agents found about pricing?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        let words = text::query(&input.query);
        let found = field::candidates(cx.tx, &words, mission_id).await?;
        let hit = |(row, relevance): (FieldRow, f64)| {
            let strong = relevance * row.strength_at(cx.now);
            Hit { entry: EntryView::at(row, cx.now), relevance: score(relevance), score: strong }
        };
        let mut items: Vec<Hit> = text::rank(&words, found, usize::MAX).into_iter().map(hit).collect();
        // The sort is stable: entries with equal scores stay sorted by relevance, then by age.
        items.sort_by(|a, b| b.score.total_cmp(&a.score));
        items.truncate(result_limit(input.limit));
        for item in &mut items {
            item.score = score(item.score);
        }
        Ok(Output { mission_id, items })
    }

    fn describe(input: &Input, output: &Output) -> String {
        found(output.items.len(), "entry", &input.query)
    }
}

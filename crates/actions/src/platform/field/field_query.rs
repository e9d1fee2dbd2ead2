//! Ask the field of a mission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::{
    field::{self, FieldRow},
    text,
};

use super::{mission::mission, view::EntryView};
use crate::shared::{paging, score};

/// The action.
pub struct FieldQuery;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to look for.
    pub query: String,
    /// The mission's id; the caller's own unless said.
    pub mission: Option<Id>,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The mission that was asked.
    pub mission_id: Id,
    /// The entries that share a word with the query, best first.
    pub items: Vec<Hit>,
}

/// An entry that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// The entry.
    #[serde(flatten)]
    pub entry: EntryView,
    /// How well its words answer, above 0; comparable within one answer only.
    pub relevance: f64,
    /// Relevance times strength: the order.
    pub score: f64,
}

impl ReadAction for FieldQuery {
    const SPEC: Spec = Spec::read("platform_field_query", Category::Field, Permission::FIELD_READ)
        .promoted()
        .always_offered()
        .describe("Ask what the agents of this mission have shared; fresh and relevant first. For lasting facts: memory.")
        .tags(&["field", "mission", "shared", "context", "agents", "signal"])
        .examples(&["What have the other agents found about pricing?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        let words = text::query(&input.query);
        let found = field::candidates(cx.tx, &words, mission_id).await?;
        let hit = |(row, relevance): (FieldRow, f64)| {
            let strong = relevance * row.strength_at(cx.now);
            Hit { entry: EntryView::at(row, cx.now), relevance: score(relevance), score: strong }
        };
        let mut items: Vec<Hit> = text::rank(&words, found, usize::MAX).into_iter().map(hit).collect();
        // The sort is stable: of equal scores the more relevant and the fresher comes first.
        items.sort_by(|a, b| b.score.total_cmp(&a.score));
        items.truncate(paging::rows(input.limit));
        for item in &mut items {
            item.score = score(item.score);
        }
        Ok(Output { mission_id, items })
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} entries for `{}`", output.items.len(), input.query)
    }
}

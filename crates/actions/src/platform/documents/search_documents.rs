//! Find passages of the workspace's documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::{documents, text};

use crate::shared::{paging, score};

/// The action.
pub struct SearchDocuments;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to look for.
    #[schemars(length(min = 1, max = 500))]
    pub query: String,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The passages that share a word with the query, best first.
    pub items: Vec<Hit>,
}

/// A passage that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// The document.
    pub document_id: Id,
    /// The document's title.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// Where the passage stands in the document, from 0.
    pub position: i64,
    /// The passage.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub text: String,
    /// How well it answers, above 0; comparable within one answer only.
    pub score: f64,
}

impl ReadAction for SearchDocuments {
    const SPEC: Spec = Spec::read(
        "platform_search_documents",
        Category::Documents,
        Permission::DOCUMENTS_READ,
    )
    .describe(
        "Find passages in the workspace's documents by their words, best first, with document and position.",
    )
    .tags(&["document", "search", "knowledge", "find", "passage", "lookup"])
    .examples(&["What does the handbook say about refunds?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let words = text::query(&input.query);
        let found = documents::candidates(cx.tx, &words).await?;
        let hits = text::rank(&words, found, paging::rows(input.limit));
        let hit = |(row, value): (documents::PassageRow, f64)| Hit {
            document_id: row.document_id,
            title: row.title,
            position: row.position,
            text: row.content,
            score: score(value),
        };
        Ok(Output { items: hits.into_iter().map(hit).collect() })
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} passages for `{}`", output.items.len(), input.query)
    }
}

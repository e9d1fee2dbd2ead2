//! Searches passages of the workspace's documents.

use toolcrib_engine::prelude::*;
use toolcrib_store::{documents, text};

use crate::shared::{result_limit, score, words::found};

pub struct SearchDocuments;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words to search for.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result of `platform_search_documents`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Passages that share a word with the query, best match first.
    pub items: Vec<Hit>,
}

/// A passage that matches the query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// ID of the document.
    pub document_id: Id,
    /// Title of the document.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// Position of the passage in the document, from 0.
    pub position: i64,
    /// Text of the passage.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub text: String,
    /// Relevance, above 0; comparable within one result only.
    pub score: f64,
}

impl ReadAction for SearchDocuments {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_search_documents", Category::Documents, Permission::DOCUMENTS_READ)
            .describe(
                "Search the workspace's documents for passages by words, best match first, with document and position.",
            )
            .tags(&["document", "search", "knowledge", "find", "passage", "lookup"])
            .examples(&["What does the handbook say about refunds?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let words = text::query(&input.query);
        let found = documents::candidates(cx.tx, &words).await?;
        let hits = text::rank(&words, found, result_limit(input.limit));
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
        found(output.items.len(), "passage", &input.query)
    }
}

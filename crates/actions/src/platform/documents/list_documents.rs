//! Lists the workspace's documents.

use toolcrib_engine::prelude::*;
use toolcrib_store::documents::{self, DocumentRow};

use super::view::DocumentStatus;
use crate::shared::page;

pub struct ListDocuments;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only documents with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<DocumentStatus>,
    /// Part of the title.
    pub search: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListDocuments {
    type Input = Input;
    type Output = Page<DocumentRow>;

    fn spec() -> Spec {
        Spec::read("platform_list_documents", Category::Documents, Permission::DOCUMENTS_READ)
            .describe("List documents by title and status, without their text. To search their text use platform_search_documents.")
            .tags(&["document", "file", "knowledge", "overview", "library"])
            .examples(&["Which documents do we have?", "Which documents failed to index?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<DocumentRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let status = input.status.map(DocumentStatus::as_str);
        let rows = documents::list(cx.tx, status, input.search.as_deref(), cursor, limit + 1).await?;
        let key = |row: &documents::DocumentRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &Input, page: &Page<DocumentRow>) -> String {
        format!("Found {}", count(page.items.len(), "document"))
    }
}

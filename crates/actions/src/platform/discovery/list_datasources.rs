//! Lists the datasources that can be queried.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    datasources::{self, DatasourceRow},
    documents,
};

use crate::shared::page;

pub struct ListDatasources;

/// Type of datasource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SourceType {
    /// The workspace's documents.
    Documents,
    /// Databases that an admin registered.
    Databases,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only datasources of this type.
    #[schemars(extend("x-plain-words" = true))]
    #[serde(rename = "type")]
    pub kind: Option<SourceType>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A datasource. Connection URLs are never shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceView {
    /// ID of a database; null for the documents.
    pub id: Option<Id>,
    /// Name of a database, as `platform_query_data` takes it; `documents` for the documents.
    #[schemars(extend("x-untrusted" = "names of datasources"))]
    pub name: String,
    /// Type: `documents` or `databases`.
    #[serde(rename = "type")]
    pub source_type: SourceType,
    /// `postgres` or `sqlite` for a database, `full_text` for the documents.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// Number of documents; null for a database.
    pub documents: Option<i64>,
    /// Action that queries the datasource.
    #[schemars(extend("x-ours" = true))]
    pub ask_with: &'static str,
    /// Time of a database's registration; null for the documents.
    pub created_at: Option<Ts>,
}

impl SourceView {
    /// Returns the entry of the workspace's documents, which is listed even if there are none.
    fn documents(count: i64) -> Self {
        Self {
            id: None,
            name: "documents".to_owned(),
            source_type: SourceType::Documents,
            kind: "full_text".to_owned(),
            documents: Some(count),
            ask_with: "platform_search_documents",
            created_at: None,
        }
    }
}

impl From<DatasourceRow> for SourceView {
    fn from(row: DatasourceRow) -> Self {
        Self {
            id: Some(row.id),
            name: row.name,
            source_type: SourceType::Databases,
            kind: row.kind,
            documents: None,
            ask_with: "platform_query_data",
            created_at: Some(row.created_at),
        }
    }
}

impl ReadAction for ListDatasources {
    type Input = Input;
    type Output = Page<SourceView>;

    fn spec() -> Spec {
        Spec::read("platform_list_datasources", Category::Discovery, Permission::DISCOVERY_READ)
            .describe("List the document collection and the databases that can be queried, by name. To query a database use platform_query_data.")
            .tags(&["datasource", "database", "documents", "sql", "source"])
            .examples(&["Which databases can I query?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<SourceView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let starts = input.kind != Some(SourceType::Databases) && input.cursor.is_none();
        let limit = limit - i64::from(starts);
        let databases = if input.kind == Some(SourceType::Documents) { 0 } else { limit + 1 };
        let first = if starts { Some(SourceView::documents(documents::count(cx.tx).await?)) } else { None };
        let rows = datasources::list(cx.tx, cursor, databases).await?;
        // A first page that holds only the documents continues with the first database.
        let next = (limit == 0 && !rows.is_empty()).then(|| Cursor::START.encode());
        let key = |row: &DatasourceRow| Cursor { at: row.created_at, id: row.id };
        let mut page = Page::from_rows(rows, limit, key).map(SourceView::from);
        if let Some(documents) = first {
            page = page.starting_with(documents, Cursor::START);
        }
        page.next_cursor = next.or(page.next_cursor);
        Ok(page)
    }

    fn describe(_: &Input, page: &Page<SourceView>) -> String {
        format!("Found {}", count(page.items.len(), "datasource"))
    }
}

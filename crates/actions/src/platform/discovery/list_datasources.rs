//! List where data can be queried.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::{Cursor, Id, Page, Ts};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::datasources::{self, DatasourceRow};

use crate::shared::paging::page;

/// The action.
pub struct ListDatasources;

/// What kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SourceType {
    /// Databases that an admin registered.
    Databases,
}

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only sources of this type.
    #[serde(rename = "type")]
    pub kind: Option<SourceType>,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// Where data can be queried. What connects to it is never shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceView {
    /// Its id.
    pub id: Id,
    /// Its name: what `platform_query_data` takes.
    pub name: String,
    /// What type of source it is.
    #[serde(rename = "type")]
    pub source_type: SourceType,
    /// `postgres` or `sqlite`.
    pub kind: String,
    /// When it was registered.
    pub created_at: Ts,
}

impl From<DatasourceRow> for SourceView {
    fn from(row: DatasourceRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            source_type: SourceType::Databases,
            kind: row.kind,
            created_at: row.created_at,
        }
    }
}

impl ReadAction for ListDatasources {
    const SPEC: Spec =
        Spec::read("platform_list_datasources", Category::Discovery, Permission::DISCOVERY_READ)
            .describe("List the document collection and the databases that can be queried, by name. To ask one use platform_query_data.")
            .tags(&["datasource", "database", "documents", "sql", "source"])
            .examples(&["Which databases can I query?"]);
    type Input = Input;
    type Output = Page<SourceView>;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<SourceView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = datasources::list(cx.tx, cursor, limit + 1).await?;
        let key = |row: &DatasourceRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key).map(SourceView::from))
    }

    fn describe(_: &Input, page: &Page<SourceView>) -> String {
        format!("Found {} datasources", page.items.len())
    }
}

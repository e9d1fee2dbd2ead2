//! A datasource as admins see it, without its connection URL.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::datasources::DatasourceRow;

/// A datasource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DatasourceView {
    /// ID.
    pub id: Id,
    /// Unique in the workspace, ignoring case.
    pub name: String,
    /// `postgres` or `sqlite`.
    pub kind: String,
    /// User who registered it.
    pub created_by: Option<Id>,
    /// Time of registration.
    pub created_at: Ts,
}

impl From<DatasourceRow> for DatasourceView {
    fn from(row: DatasourceRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            kind: row.kind,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

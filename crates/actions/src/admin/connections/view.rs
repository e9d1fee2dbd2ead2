//! A connected app as admins see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::connections::ConnectionRow;

/// A connected app.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConnectionView {
    /// ID.
    pub id: Id,
    /// App, such as `slack`. Unique in the workspace.
    pub app: String,
    /// Display name. Unique in the workspace, ignoring case.
    pub name: String,
    /// User who connected it.
    pub created_by: Option<Id>,
    /// Time of connection.
    pub created_at: Ts,
}

impl From<ConnectionRow> for ConnectionView {
    fn from(row: ConnectionRow) -> Self {
        Self {
            id: row.id,
            app: row.app,
            name: row.name,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

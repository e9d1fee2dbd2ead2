//! What the workspace gives to a new agent.

use sqlx::FromRow;
use toolcrib_model::{Id, name_key};

use crate::backend::{StoreError, Tx};

/// What the workspace gives to a new agent of some name.
#[derive(Clone, Debug, FromRow)]
pub struct CreationDefaults {
    /// The model of agents that name none.
    pub default_model: Option<String>,
    /// The name of the default blueprint, where there is one.
    pub blueprint: Option<String>,
    /// Its rules, as a JSON object.
    pub rules: Option<String>,
    /// The approved template that has the agent's name.
    pub template: Option<Id>,
}

/// Reads the defaults for a new agent called `name`; `None` where the workspace is gone.
pub async fn creation_defaults(tx: &mut Tx, name: &str) -> Result<Option<CreationDefaults>, StoreError> {
    const SQL: &str = "SELECT w.default_model, b.name AS blueprint, b.rules, \
        (SELECT i.id FROM marketplace_items i WHERE i.kind = 'agent' AND i.name_key = $2 \
            AND i.status = 'approved' LIMIT 1) AS template \
        FROM workspaces w LEFT JOIN blueprints b ON b.workspace_id = w.id AND b.default_slot = 1 \
        WHERE w.id = $1 AND w.deleted_at IS NULL";
    let workspace = tx.workspace;
    let key = name_key(name);
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)?)
}

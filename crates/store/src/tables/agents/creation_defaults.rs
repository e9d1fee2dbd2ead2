//! A workspace's defaults for a new agent.

use sqlx::FromRow;
use toolcrib_model::{Id, name_key};

use crate::backend::{StoreError, Tx};

/// A workspace's defaults for a new agent with a given name.
#[derive(Clone, Debug, FromRow)]
pub struct CreationDefaults {
    /// Whether an agent has this name.
    pub taken: bool,
    /// The model of an agent for which the caller names none.
    pub default_model: Option<String>,
    /// The name of the default blueprint, if the workspace has one.
    pub blueprint: Option<String>,
    /// The rules of the default blueprint, as a JSON object.
    pub rules: Option<String>,
    /// The id of an approved marketplace template with the agent's name that is not installed.
    pub template: Option<Id>,
}

/// Reads the defaults for a new agent called `name`. Returns `None` if the workspace does not exist.
pub async fn creation_defaults(tx: &mut Tx, name: &str) -> Result<Option<CreationDefaults>, StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND a.name_key = $2) AS taken, \
        w.default_model, b.name AS blueprint, b.rules, \
        (SELECT i.id FROM marketplace_items i WHERE i.kind = 'agent' AND i.name_key = $2 \
            AND i.status = 'approved' AND NOT EXISTS (SELECT 1 FROM installs n WHERE n.workspace_id = $1 \
            AND n.item_id = i.id) LIMIT 1) AS template \
        FROM workspaces w LEFT JOIN blueprints b ON b.workspace_id = w.id AND b.default_slot = 1 \
        WHERE w.id = $1 AND w.deleted_at IS NULL";
    let key = name_key(name);
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(&key)
        .fetch_optional(c).await)?)
}

//! Names that people read, beside the ids of users, agents and keys.

use std::collections::BTreeSet;

use sqlx::FromRow;
use toolcrib_model::Id;

use crate::backend::{StoreError, Tx, json};

/// The names of what has an id. At most one is present.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DisplayNames {
    /// The id of the user, agent or key.
    pub id: Id,
    /// The display name of a user in this workspace, or else the user's own.
    pub user_name: Option<String>,
    pub agent_name: Option<String>,
    pub key_name: Option<String>,
}

/// Selects the names of the ids in `k`.
macro_rules! select_names {
    ($ids:literal) => {
        concat!(
            "SELECT k.id, (SELECT coalesce(m.display_name, u.display_name) FROM users u LEFT JOIN members m \
             ON m.workspace_id = $1 AND m.user_id = u.id WHERE u.id = k.id) AS user_name, \
             (SELECT name FROM agents WHERE workspace_id = $1 AND id = k.id) AS agent_name, \
             (SELECT name FROM keys WHERE workspace_id = $1 AND id = k.id) AS key_name FROM ",
            $ids
        )
    };
}

const SQLITE: &str = select_names!("(SELECT unhex(value) AS id FROM json_each($2)) k");
const PG: &str = select_names!("unnest(CAST($2 AS UUID[])) AS k (id)");

/// Returns the names of the users, agents and keys with these ids, in no order. Uses one statement, and none without
/// ids.
pub async fn find(tx: &mut Tx, ids: &BTreeSet<Id>) -> Result<Vec<DisplayNames>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let hex = json(&ids.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>())?;
    let all: Vec<Id> = ids.iter().copied().collect();
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(hex).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(all).fetch_all(c).await,
    )
}

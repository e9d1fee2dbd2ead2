//! Which names are those of agents, playbooks or documents of a workspace.

use std::collections::BTreeSet;

use sqlx::FromRow;
use toolcrib_model::name_key;

use crate::backend::{StoreError, Tx};

/// The records of a workspace that have a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedRecords {
    pub agent: bool,
    pub playbook: bool,
    /// Whether a document has it as its title.
    pub document: bool,
}

#[derive(FromRow)]
struct KeyMatches {
    key: String,
    agent: bool,
    playbook: bool,
    document: bool,
}

/// Returns for each name which records of the workspace have it, compared regardless of case. Uses one
/// statement with index look-ups only, and none without names.
///
/// Needs no permission beyond membership of the workspace, because the result only decides how a query of the
/// caller is read. It must not be returned to the caller.
pub async fn find(tx: &mut Tx, names: &[&str]) -> Result<Vec<NamedRecords>, StoreError> {
    let keys: Vec<[String; 2]> = names.iter().map(|name| keys_of(name)).collect();
    // No stored name has a NUL, and PostgreSQL refuses it in a value.
    let distinct: BTreeSet<&str> =
        keys.iter().flatten().map(String::as_str).filter(|key| !key.contains('\0')).collect();
    if distinct.is_empty() {
        return Ok(vec![NamedRecords::default(); names.len()]);
    }
    let rows = look_up(tx, distinct.into_iter().collect()).await?;
    let records = |keys: &[String; 2]| {
        let rows = || rows.iter().filter(|row| keys.contains(&row.key));
        NamedRecords {
            agent: rows().any(|row| row.agent),
            playbook: rows().any(|row| row.playbook),
            document: rows().any(|row| row.document),
        }
    };
    Ok(keys.iter().map(records).collect())
}

/// Returns the keys by which a name is compared: that of agents and playbooks, and that of documents, whose
/// titles are compared in lower case without normalization. A title in NFC has both.
fn keys_of(name: &str) -> [String; 2] {
    [name_key(name), name.to_lowercase()]
}

// The subqueries have a LIMIT, so that PostgreSQL looks each key up instead of joining whole tables. Titles
// are not unique. If many are alike, PostgreSQL expects the first row of a scan to match, and scans all rows
// for a title that no document has; the order makes it use the index.
const SQLITE: &str = "SELECT k.key, \
    (SELECT 1 FROM agents WHERE workspace_id = $1 AND name_key = k.key LIMIT 1) IS NOT NULL AS agent, \
    (SELECT 1 FROM playbooks WHERE workspace_id = $1 AND name_key = k.key LIMIT 1) IS NOT NULL AS playbook, \
    COALESCE((SELECT title_key FROM documents WHERE workspace_id = $1 AND title_key >= k.key \
        ORDER BY title_key LIMIT 1) = k.key, FALSE) AS document \
    FROM (SELECT value AS key FROM json_each($2)) k";
const PG: &str = "SELECT k.key, \
    (SELECT 1 FROM agents WHERE workspace_id = $1 AND name_key = k.key LIMIT 1) IS NOT NULL AS agent, \
    (SELECT 1 FROM playbooks WHERE workspace_id = $1 AND name_key = k.key LIMIT 1) IS NOT NULL AS playbook, \
    COALESCE((SELECT title_key FROM documents WHERE workspace_id = $1 AND title_key >= k.key \
        ORDER BY title_key LIMIT 1) = k.key, FALSE) AS document \
    FROM unnest(CAST($2 AS TEXT[])) AS k (key)";

async fn look_up(tx: &mut Tx, keys: Vec<&str>) -> Result<Vec<KeyMatches>, StoreError> {
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(serde_json::json!(keys).to_string())
            .fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(keys).fetch_all(c).await,
    )
}

//! Pages of open and ended calls.

use toolcrib_model::{Cursor, Id};

use super::OpenCallRow;
use crate::{
    backend::{StoreError, Tx},
    tables::confirmations::Requester,
};

/// Which calls of the workspace are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenCallScope {
    /// All.
    #[default]
    All,
    /// Those that were made by or on behalf of this user.
    User(Id),
    /// Those that this principal made.
    Principal(Requester),
}

/// Conditions for [`list`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenCallQuery {
    pub scope: OpenCallScope,
    /// Only calls that are `ready` or `running`.
    pub only_open: bool,
}

/// A page of calls, newest first: `$2` and `$3` are the cursor, `$4` is the number of rows. Each combination of
/// conditions has a text of its own, so that each uses its index.
macro_rules! page {
    ($conditions:literal) => {
        concat!(
            "SELECT * FROM open_calls WHERE workspace_id = $1 AND (created_at, call_id) < ($2, $3) ",
            $conditions,
            " ORDER BY created_at DESC, call_id DESC LIMIT $4"
        )
    };
}

/// Lists at most `limit` calls after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    query: &OpenCallQuery,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<OpenCallRow>, StoreError> {
    let sql = match (query.scope, query.only_open) {
        (OpenCallScope::All, false) => page!(""),
        (OpenCallScope::All, true) => page!("AND state IN ('ready', 'running')"),
        (OpenCallScope::User(_), false) => page!("AND user_id = $5"),
        (OpenCallScope::User(_), true) => page!("AND state IN ('ready', 'running') AND user_id = $5"),
        (OpenCallScope::Principal(_), false) => {
            page!("AND principal_id = $5 AND user_id IS NOT DISTINCT FROM $6")
        }
        (OpenCallScope::Principal(_), true) => {
            page!(
                "AND state IN ('ready', 'running') AND principal_id = $5 AND user_id IS NOT DISTINCT FROM $6"
            )
        }
    };
    let (workspace, at) = (tx.workspace, cursor.at.as_micros());
    Ok(with_backend!(tx, c => {
        let page = sqlx::query_as(sql).bind(workspace).bind(at).bind(cursor.id).bind(limit);
        match query.scope {
            OpenCallScope::All => page,
            OpenCallScope::User(user) => page.bind(user),
            OpenCallScope::Principal(by) => page.bind(by.id).bind(by.user_id),
        }
        .fetch_all(c)
        .await
    })?)
}

//! The table `action_log`, which is the audit log: its rows, its filter and its queries.

mod calls;
mod canonical;
mod counts;
mod entry;
mod filter;
mod row;

pub mod chain;

pub use calls::{CallEnd, CallEntry, list_calls, rows_of_calls};
pub use canonical::{Canonical, exported_row_hash, row_hash};
pub use counts::{Counted, counts};
pub use entry::{AuditEntry, AuditPrincipal, ChainedRow, StoredArguments, StoredList};
pub use filter::{AuditColumn, AuditFilter};
pub use row::AuditRow;
pub(crate) use row::BULK;

use sqlx::AssertSqlSafe;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, any_of};

/// The conditions of an [`AuditFilter`], numbered in the order in which `bind!` binds its fields. The expressions are
/// those of what may be another in a call than in its first row.
macro_rules! conditions {
    ($decision:expr, $outcome:expr, $reason:expr) => {
        concat!(
            any_of!("action", 2),
            " AND ",
            any_of!($decision, 3),
            " AND ",
            any_of!($outcome, 4),
            " AND ",
            any_of!("permission_level", 5),
            " AND ($6 IS NULL OR principal_id = $6) \
            AND ($7 IS NULL OR user_id = $7 OR user_id IS NULL AND principal_id IN \
                (SELECT km.key_id FROM key_minters km \
                 WHERE km.workspace_id = $1 AND km.user_id = $7 AND km.is_current)) \
            AND ($8 IS NULL OR session = $8) AND ",
            any_of!("kind", 9),
            " AND ",
            any_of!("via", 10),
            " AND ",
            any_of!("surface", 11),
            " AND ",
            any_of!("role", 12),
            " AND ",
            any_of!("caller_type", 13),
            " AND ",
            any_of!($reason, 14),
            " AND ($15 IS NULL OR confirmation_id = $15) AND ($16 IS NULL OR request_id = $16) \
            AND occurred_at >= $17 AND occurred_at < $18 \
            AND NOT ($19 AND surface = 'console' AND permission_level = 'read' AND kind = 'admin')"
        )
    };
}

const MATCHES: &str = conditions!("decision", "outcome", "reason");

/// The most rows that a page of the newest rows reads with a filter, however few of them match.
pub const MAX_FILTERED_ROWS: i64 = 10_000;

/// Binds the workspace and the filter as $1 to $19.
macro_rules! bind {
    ($query:expr, $workspace:expr, $filter:expr) => {
        $query
            .bind($workspace)
            .bind(&$filter.action)
            .bind(&$filter.decision)
            .bind(&$filter.outcome)
            .bind(&$filter.level)
            .bind($filter.principal)
            .bind($filter.user)
            .bind(&$filter.session)
            .bind(&$filter.kind)
            .bind(&$filter.via)
            .bind(&$filter.surface)
            .bind(&$filter.role)
            .bind(&$filter.caller_type)
            .bind(&$filter.reason)
            .bind($filter.confirmation_id)
            .bind(&$filter.request_id)
            .bind($filter.period().0)
            .bind($filter.period().1)
            .bind($filter.hides_console_reads)
    };
}

/// Selects all columns of rows and their sequence numbers in the chain, and more expressions.
macro_rules! select_rows {
    ($rest:literal) => {
        select_rows!("", $rest)
    };
    ($more:expr, $rest:expr) => {
        concat!(
            select!(action_log "action_log."
                ", (SELECT c.seq FROM audit_chain c WHERE c.workspace_id = action_log.workspace_id \
             AND c.row_id = action_log.id) AS seq"),
            $more,
            " FROM action_log WHERE workspace_id = $1 AND ",
            $rest
        )
    };
}
use {bind, conditions, select_rows};

/// Lists at most `limit` matching rows after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: &AuditFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    let sql = format!(
        select_rows!("{} AND (occurred_at, id) < ($20, $21) ORDER BY occurred_at DESC, id DESC LIMIT $22"),
        MATCHES
    );
    with_backend!(tx, workspace, c => bind!(sqlx::query_as(AssertSqlSafe(sql)), workspace, filter)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns the time of the row that is `rows` rows after `cursor` in the period of `filter`, newest first; `None` if
/// there are fewer. Reads an index only.
pub async fn time_after(
    tx: &mut Tx,
    filter: &AuditFilter,
    cursor: Cursor,
    rows: i64,
) -> Result<Option<Ts>, StoreError> {
    const SQL: &str = "SELECT occurred_at FROM action_log WHERE workspace_id = $1 \
        AND (occurred_at, id) < ($2, $3) AND occurred_at >= $4 AND occurred_at < $5 \
        ORDER BY occurred_at DESC, id DESC LIMIT 1 OFFSET $6";
    let (from, to) = filter.period();
    let (workspace, skipped) = (tx.workspace, rows.saturating_sub(1));
    let time: Option<i64> = with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(from).bind(to).bind(skipped)
        .fetch_optional(c).await)?;
    Ok(time.map(Ts::from_micros))
}

/// Lists at most `limit` matching rows that are sealed and whose sequence number is greater than `after`, in
/// the order of the chain. A reader can resume at the last sequence number that it got, because rows are
/// sealed only at the end.
pub async fn chained_rows(
    tx: &mut Tx,
    filter: &AuditFilter,
    after: i64,
    limit: i64,
) -> Result<Vec<ChainedRow>, StoreError> {
    // CROSS JOIN makes SQLite follow the chain. Otherwise it reads the whole log by time and sorts it for each page.
    let sql = format!(
        "SELECT {}, place.seq, place.row_hash, place.prev_hash, place.hash, place.newest, \
         place.sealed_at FROM audit_chain place CROSS JOIN action_log \
         WHERE place.workspace_id = $1 AND action_log.workspace_id = place.workspace_id \
         AND action_log.id = place.row_id AND {MATCHES} AND place.seq > $20 ORDER BY place.seq LIMIT $21",
        columns!(action_log "action_log.")
    );
    with_backend!(tx, workspace, c => bind!(sqlx::query_as(AssertSqlSafe(sql)), workspace, filter)
        .bind(after).bind(limit).fetch_all(c).await)
}

/// Returns the row with this id, which is the `call_id` of a response.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<AuditEntry>, StoreError> {
    const SQL: &str = select_rows!("id = $2");
    tx.find(SQL, id).await
}

/// Returns the rows of kind `outcome` of the call with this id, oldest first. Empty unless the outcome of the call's
/// own row is `started`; more than one row if an outcome was reported late.
pub async fn outcomes(tx: &mut Tx, call_id: Id) -> Result<Vec<AuditEntry>, StoreError> {
    const SQL: &str = select_rows!("call_ref = $2 ORDER BY occurred_at, id");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(call_id)
        .fetch_all(c).await)
}

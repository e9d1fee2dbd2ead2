//! The table `open_calls`: calls that run outside this service, from their start row until 30 days after their end.
//!
//! A call that the caller runs begins as `ready` and is claimed once. A call of an upstream begins as `running`.
//! Every change of the state is a compare-and-set, so that of concurrent changes one succeeds.

use sqlx::FromRow;
use toolcrib_model::{Cursor, ExecutorKind, Id, OpenCallState, Ts};

use super::confirmations::Requester;
use crate::backend::{Db, StoreError, Tx, WriteTx};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OpenCallRow {
    /// The id of the call's audit row.
    pub call_id: Id,
    #[sqlx(try_from = "String")]
    pub executor: ExecutorKind,
    /// Full name of the tool.
    pub action: String,
    /// Digest of the tool's definition when the call passed the gates.
    pub definition: String,
    /// Kind of the principal: `user`, `agent` or `service`.
    pub principal_kind: String,
    pub principal_id: Id,
    /// The member on whose behalf the call was made.
    pub user_id: Option<Id>,
    /// The conversation.
    pub session: Option<String>,
    /// The claims of the caller, as JSON text, with which the call is authorized again.
    pub requester: String,
    /// The arguments with which the call must run, as JSON text; absent after the call's end.
    pub arguments: Option<String>,
    /// SHA-256 of the canonical arguments.
    pub arguments_digest: String,
    #[sqlx(try_from = "String")]
    pub state: OpenCallState,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Until when the call can be claimed, in microseconds; absent for a call that is not claimed.
    pub claim_by: Option<i64>,
    /// When the call must have ended, in microseconds; absent until it runs.
    pub end_by: Option<i64>,
    /// When the call was claimed, in microseconds.
    pub claimed_at: Option<i64>,
    /// When the call ended, in microseconds; for a late report, when it was reported.
    pub ended_at: Option<i64>,
    /// The confirmation whose approval let the call run.
    pub confirmation_id: Option<Id>,
    /// The provider's id of the tool call.
    pub tool_call_id: Option<String>,
    /// The provider's tool format.
    pub tool_format: Option<String>,
    pub idempotency_key: Option<String>,
    /// The end as clients see it, as JSON text with sensitive values masked; absent while the call is open.
    pub result: Option<String>,
    /// Digest of the report that ended the call, with which a repeated report is recognized.
    pub report_digest: Option<String>,
}

impl OpenCallRow {
    pub fn principal(&self) -> Requester {
        Requester { id: self.principal_id, user_id: self.user_id }
    }
}

/// Inserts a call that is `ready` or `running`. It has not been claimed or ended: these columns of `row` are not
/// stored.
pub async fn insert(tx: &mut WriteTx, row: &OpenCallRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO open_calls (workspace_id, call_id, executor, action, definition, principal_kind, \
        principal_id, user_id, session, requester, arguments, arguments_digest, state, created_at, claim_by, end_by, \
        confirmation_id, tool_call_id, tool_format, idempotency_key) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.call_id)
        .bind(row.executor.as_str()).bind(&row.action).bind(&row.definition).bind(&row.principal_kind)
        .bind(row.principal_id).bind(row.user_id).bind(&row.session).bind(&row.requester).bind(&row.arguments)
        .bind(&row.arguments_digest).bind(row.state.as_str()).bind(row.created_at.as_micros())
        .bind(row.claim_by).bind(row.end_by).bind(row.confirmation_id).bind(&row.tool_call_id)
        .bind(&row.tool_format).bind(&row.idempotency_key).execute(c).await.map(|_| ()))
}

pub async fn get(tx: &mut Tx, call_id: Id) -> Result<Option<OpenCallRow>, StoreError> {
    const SQL: &str = select!(open_calls " FROM open_calls WHERE workspace_id = $1 AND call_id = $2");
    tx.find(SQL, call_id).await
}

/// Returns the workspace's calls that did not end, oldest first.
pub async fn all_open(tx: &mut Tx) -> Result<Vec<OpenCallRow>, StoreError> {
    const SQL: &str = select!(open_calls
        " FROM open_calls WHERE workspace_id = $1 AND state IN ('ready', 'running') \
        ORDER BY created_at, call_id");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Serializes the transactions that insert calls in one workspace, so that their counts stay valid until the
/// commit.
pub async fn lock_inserts(tx: &mut WriteTx) -> Result<(), StoreError> {
    tx.lock("open_calls").await
}

/// Counts the open calls that their callers run: this principal's, and all of the workspace. The number of calls that
/// ended does not matter: an index has the open ones alone.
pub async fn count_open(tx: &mut Tx, by: Requester) -> Result<(i64, i64), StoreError> {
    const SQL: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN principal_id = $2 AND user_id IS NOT DISTINCT FROM $3 \
        THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COUNT(*) AS BIGINT) FROM open_calls WHERE workspace_id = $1 \
        AND state IN ('ready', 'running') AND executor = 'client'";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(by.user_id)
        .fetch_one(c).await)
}

/// Which calls of the workspace are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenCallScope {
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
        concat!(select!(open_calls " FROM open_calls WHERE workspace_id = $1 \
            AND (created_at, call_id) < ($2, $3) "),
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
    with_backend!(tx, c => {
        let page = sqlx::query_as(sql).bind(workspace).bind(at).bind(cursor.id).bind(limit);
        match query.scope {
            OpenCallScope::All => page,
            OpenCallScope::User(user) => page.bind(user),
            OpenCallScope::Principal(by) => page.bind(by.id).bind(by.user_id),
        }
        .fetch_all(c)
        .await
    })
}

#[derive(Clone, Copy, Debug)]
pub struct CallEnd<'e> {
    /// The state that the call must have.
    pub from: OpenCallState,
    pub to: OpenCallState,
    /// When it ended or was reported.
    pub at: Ts,
    /// The end as clients see it, as JSON text with sensitive values masked.
    pub result: Option<&'e str>,
    /// Digest of the report; absent if the call ended without one.
    pub report_digest: Option<&'e str>,
}

/// Claims a `ready` call at `now`: it becomes `running` until `end_by`. Returns `false` if there is no such call, it
/// is not ready, or its `claim_by` is over. Of concurrent claims, one gets `true`.
pub async fn claim(tx: &mut WriteTx, call_id: Id, now: Ts, end_by: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_calls SET state = 'running', claimed_at = $3, end_by = $4 \
        WHERE workspace_id = $1 AND call_id = $2 AND state = 'ready' AND claim_by > $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).bind(now.as_micros())
        .bind(end_by.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Ends a call, or replaces the end `unknown` after a late report, and removes the raw arguments. Returns `false` if
/// the call does not have the state `end.from`, or if `end.to` is no end that may follow it.
pub async fn finish(tx: &mut WriteTx, call_id: Id, end: &CallEnd<'_>) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_calls SET state = $4, ended_at = $5, result = $6, report_digest = $7, \
        arguments = NULL WHERE workspace_id = $1 AND call_id = $2 AND state = $3";
    if end.to.is_open() || !end.from.may_become(end.to) {
        return Ok(false);
    }
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).bind(end.from.as_str())
        .bind(end.to.as_str()).bind(end.at.as_micros()).bind(end.result).bind(end.report_digest)
        .execute(c).await.map(|done| done.rows_affected()))?
            == 1,
    )
}

/// The most rows that one deletion removes.
const BATCH: i64 = 2_000;

/// A call whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct DueCall {
    pub workspace_id: Id,
    pub call_id: Id,
    /// `ready` if it was not claimed in time, `running` if its end was not reported in time.
    #[sqlx(try_from = "String")]
    pub state: OpenCallState,
}

/// Returns at most `limit` calls of all workspaces that are `ready` although their `claim_by` is over at `now`, or
/// `running` although their `end_by` is over; those whose time was over first come first. The worker ends each in
/// its workspace.
pub async fn due(db: &Db, now: Ts, limit: i64) -> Result<Vec<DueCall>, StoreError> {
    const SQL: &str = "SELECT workspace_id, call_id, state FROM ( \
        SELECT workspace_id, call_id, state, claim_by AS due_at FROM open_calls WHERE state = 'ready' AND claim_by <= $1 \
        UNION ALL \
        SELECT workspace_id, call_id, state, end_by AS due_at FROM open_calls WHERE state = 'running' AND end_by <= $1 \
        ) AS overdue ORDER BY due_at, call_id LIMIT $2";
    db.due(SQL, now, limit).await
}

/// Deletes a batch of the calls of all workspaces that ended before `before`, and returns their number. For a
/// worker's transaction.
pub async fn delete_ended_before(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM open_calls WHERE (workspace_id, call_id) IN (SELECT workspace_id, call_id \
        FROM open_calls WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)";
    with_backend!(tx, c => sqlx::query(SQL).bind(before.as_micros()).bind(BATCH).execute(c).await
        .map(|done| done.rows_affected()))
}

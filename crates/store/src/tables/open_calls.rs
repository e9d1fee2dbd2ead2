//! The table `open_calls`: calls that run outside this service, from their start row until 30 days after their end.
//!
//! A call that the caller runs begins as `ready` and is claimed once. A call of an upstream begins as `running`.
//! Every change of the state is a compare-and-set, so that of concurrent changes one succeeds.

mod list;
mod transition;
mod worker;

pub use list::{OpenCallQuery, OpenCallScope, list};
pub use transition::{CallEnd, claim, finish};
pub use worker::{DueCall, delete_ended_before, due};

use sqlx::FromRow;
use toolcrib_model::{ExecutorKind, Id, OpenCallState, Ts};

use super::confirmations::Requester;
use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `open_calls`.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OpenCallRow {
    /// The id of the call's audit row.
    pub call_id: Id,
    /// What runs the call.
    #[sqlx(try_from = "String")]
    pub executor: ExecutorKind,
    /// Full name of the tool.
    pub action: String,
    /// Digest of the tool's definition when the call passed the gates.
    pub definition: String,
    /// Kind of the principal: `user`, `agent` or `service`.
    pub principal_kind: String,
    /// The principal that made the call.
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
    /// When the call was made.
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
    /// Returns the principal that made the call.
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
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.call_id)
        .bind(row.executor.as_str()).bind(&row.action).bind(&row.definition).bind(&row.principal_kind)
        .bind(row.principal_id).bind(row.user_id).bind(&row.session).bind(&row.requester).bind(&row.arguments)
        .bind(&row.arguments_digest).bind(row.state.as_str()).bind(row.created_at.as_micros())
        .bind(row.claim_by).bind(row.end_by).bind(row.confirmation_id).bind(&row.tool_call_id)
        .bind(&row.tool_format).bind(&row.idempotency_key).execute(c).await.map(|_| ()))?)
}

pub async fn get(tx: &mut Tx, call_id: Id) -> Result<Option<OpenCallRow>, StoreError> {
    const SQL: &str = "SELECT * FROM open_calls WHERE workspace_id = $1 AND call_id = $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(call_id).fetch_optional(c)
        .await)?)
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
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(by.user_id)
        .fetch_one(c).await)?)
}

//! The table `confirmations`: calls that wait for a person's decision, and their outcome.

mod transition;

pub use transition::{Transition, transition};

use sqlx::FromRow;
use toolcrib_model::{ConfirmationStatus, Cursor, Id, Surface, Ts, Via};

use crate::backend::{AnyOf, Db, StoreError, Tx, WriteTx, any_of};

/// A row of `confirmations`.
#[derive(Clone, Debug, FromRow)]
pub struct ConfirmationRow {
    /// The confirmation's id.
    pub id: Id,
    /// Name of the action that would run.
    pub action: String,
    /// The call; a person may change it before they approve it.
    #[sqlx(flatten)]
    pub call: RequestedCall,
    /// What a person reads before they decide.
    pub warning: Option<String>,
    /// `simple` or `typed`.
    pub level: String,
    /// Kind of the principal: `user`, `agent` or `service`.
    pub requester_kind: String,
    /// The principal that made the call.
    pub requester_id: Id,
    /// The member on whose behalf the call was made.
    pub requester_user_id: Option<Id>,
    /// The conversation.
    pub session: Option<String>,
    /// The provider's id of the tool call.
    pub tool_call_id: Option<String>,
    /// The provider's tool format.
    pub tool_format: Option<String>,
    /// How the action was named.
    #[sqlx(try_from = "String")]
    pub via: Via,
    /// Where the call came in.
    #[sqlx(try_from = "String")]
    pub surface: Surface,
    /// Id of the request.
    pub request_id: String,
    /// The call's idempotency key.
    pub idempotency_key: Option<String>,
    /// The stored status: an open one may be past `expires_at`.
    #[sqlx(try_from = "String")]
    pub status: ConfirmationStatus,
    /// Wrong phrases so far.
    pub phrase_attempts: i64,
    /// When the call was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it expires undecided.
    #[sqlx(try_from = "i64")]
    pub expires_at: Ts,
    /// When it was decided, in microseconds.
    pub decided_at: Option<i64>,
    /// The user who decided.
    pub decided_by: Option<Id>,
    /// The reason that the user gave.
    pub reason: Option<String>,
    /// The audit row of the executed call.
    pub call_id: Option<Id>,
    /// The response of the executed call, as JSON.
    pub result: Option<String>,
    /// All transitions, as a JSON list.
    pub history: String,
}

/// The call that a confirmation is about.
#[derive(Clone, Debug, FromRow)]
pub struct RequestedCall {
    /// SHA-256 of the schema under which the arguments were checked.
    pub schema_digest: String,
    /// The resolved arguments, RFC 8785.
    pub arguments: String,
    /// SHA-256 of `arguments`.
    pub arguments_digest: String,
    /// The row that the call changes.
    pub target_id: Option<Id>,
    /// Name of the target.
    pub target_label: Option<String>,
    /// What else the call affects, such as the number of dependent rows.
    pub target_detail: Option<String>,
    /// Version of the target when the arguments were resolved.
    pub target_version: Option<i64>,
    /// The path of an upstream's target with the version that the upstream gave.
    pub upstream_target: Option<String>,
    /// Up to five parameters as people read them, as JSON.
    pub summary: String,
    /// Number of parameters that `summary` leaves out.
    pub more: i64,
    /// JSON pointers to the arguments that were read differently from how the model wrote them, as a JSON list; absent if
    /// none was.
    pub repaired: Option<String>,
    /// Claims of the caller, and of the person who changed the arguments, as JSON: the call is authorized again from
    /// them.
    pub requester: String,
}

impl ConfirmationRow {
    /// Returns the requesting principal.
    pub fn requester(&self) -> Requester {
        Requester { id: self.requester_id, user_id: self.requester_user_id }
    }

    /// Whether the confirmation still waits for a decision at `now`.
    pub fn open(&self, now: Ts) -> bool {
        self.status.is_open() && self.expires_at > now
    }
}

/// Inserts a confirmation.
pub async fn insert(tx: &mut WriteTx, row: &ConfirmationRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO confirmations (workspace_id, id, action, schema_digest, arguments, arguments_digest, \
        target_id, target_label, target_detail, target_version, upstream_target, summary, more, repaired, warning, level, requester, \
        requester_kind, requester_id, requester_user_id, session, tool_call_id, tool_format, via, surface, request_id, \
        idempotency_key, status, phrase_attempts, created_at, expires_at, history) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
        $23, $24, $25, $26, $27, 'pending', 0, $28, $29, $30)";
    let workspace = tx.workspace;
    execute!(tx, SQL; workspace, row.id, &row.action, &row.call.schema_digest, &row.call.arguments,
        &row.call.arguments_digest, row.call.target_id, &row.call.target_label, &row.call.target_detail,
        row.call.target_version, &row.call.upstream_target, &row.call.summary, row.call.more,
        &row.call.repaired, &row.warning, &row.level, &row.call.requester, &row.requester_kind,
        row.requester_id, row.requester_user_id, &row.session, &row.tool_call_id, &row.tool_format,
        row.via.as_str(), row.surface.as_str(), &row.request_id, &row.idempotency_key,
        row.created_at, row.expires_at, &row.history);
    Ok(())
}

/// Returns one confirmation.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Returns one confirmation and locks its row until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQLITE: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND id = $2";
    const PG: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND id = $2 FOR UPDATE";
    // SQLite has one writer, so that no lock is needed.
    let (workspace, sql) = (tx.workspace, tx.sql(SQLITE, PG));
    Ok(with_backend!(tx, c => sqlx::query_as(sql).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct ConfirmationQuery {
    /// Any of these statuses as clients see them: `expired` includes open confirmations after their expiry.
    pub statuses: Option<Vec<ConfirmationStatus>>,
    /// Only confirmations that were requested by or for this user.
    pub user_id: Option<Id>,
    /// Only confirmations of this requester.
    pub requester: Option<Requester>,
    /// Only confirmations of this conversation.
    pub session: Option<String>,
}

impl ConfirmationQuery {
    /// Returns the statuses as a condition.
    fn any_status(&self) -> Option<AnyOf> {
        self.statuses.as_ref().map(|all| all.iter().map(|status| status.as_str()).collect())
    }

    /// Returns whether all wanted confirmations are stored with a status that has not ended.
    fn is_unended(&self) -> bool {
        self.statuses.as_ref().is_some_and(|all| !all.iter().any(|status| status.has_ended()))
    }
}

/// The requester of a confirmation or the principal of an open call. The users of one service key are different requesters, and so are the
/// members for whom one agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The id of the user, agent or key.
    pub id: Id,
    /// The member for whom the call was made.
    pub user_id: Option<Id>,
}

/// Selects the rows of [`list`] that also meet a condition.
macro_rules! listed {
    ($condition:literal) => {
        concat!(
            "SELECT * FROM confirmations WHERE workspace_id = $1 ",
            $condition,
            " AND ",
            any_of!(
                "CASE WHEN status IN ('pending', 'awaiting_phrase') AND expires_at <= $3 \
                 THEN 'expired' ELSE status END",
                2
            ),
            " AND ($4 IS NULL OR requester_user_id = $4) \
             AND ($5 IS NULL OR requester_id = $5 AND requester_user_id IS NOT DISTINCT FROM $6) \
             AND ($7 IS NULL OR session = $7) \
             AND (created_at, id) < ($8, $9) ORDER BY created_at DESC, id DESC LIMIT $10"
        )
    };
}

/// Lists at most `limit` confirmations after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: &ConfirmationQuery,
    now: Ts,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ConfirmationRow>, StoreError> {
    const ALL: &str = listed!("");
    // Few confirmations have not ended. The condition lets the index by status find them.
    const UNENDED: &str = listed!("AND status IN ('pending', 'awaiting_phrase', 'running')");
    let workspace = tx.workspace;
    let sql = if filter.is_unended() { UNENDED } else { ALL };
    Ok(
        with_backend!(tx, c => sqlx::query_as(sql).bind(workspace).bind(filter.any_status()).bind(now.as_micros())
        .bind(filter.user_id).bind(filter.requester.map(|by| by.id)).bind(filter.requester.and_then(|by| by.user_id))
        .bind(&filter.session).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)?,
    )
}

/// Returns the requester's open confirmation of the same action with the same arguments.
pub async fn same_call(
    tx: &mut Tx,
    by: Requester,
    action: &str,
    digest: &str,
    now: Ts,
) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND requester_id = $2 AND action = $3 \
        AND arguments_digest = $4 AND status IN ('pending', 'awaiting_phrase') AND expires_at > $5 \
        AND requester_user_id IS NOT DISTINCT FROM $6 LIMIT 1";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(action).bind(digest)
        .bind(now.as_micros()).bind(by.user_id).fetch_optional(c).await)?)
}

/// Returns the requester's open confirmations of the same action on the same target and locks their rows
/// until the transaction ends.
pub async fn same_target(
    tx: &mut WriteTx,
    by: Requester,
    action: &str,
    target_id: Id,
    now: Ts,
) -> Result<Vec<ConfirmationRow>, StoreError> {
    const SQL: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND requester_id = $2 AND action = $3 \
        AND target_id = $4 AND status IN ('pending', 'awaiting_phrase') AND expires_at > $5 \
        AND requester_user_id IS NOT DISTINCT FROM $6 ORDER BY created_at, id";
    const HELD: &str = "SELECT * FROM confirmations WHERE workspace_id = $1 AND requester_id = $2 AND action = $3 \
        AND target_id = $4 AND status IN ('pending', 'awaiting_phrase') AND expires_at > $5 \
        AND requester_user_id IS NOT DISTINCT FROM $6 ORDER BY created_at, id \
        FOR UPDATE";
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(action).bind(target_id)
            .bind(now.as_micros()).bind(by.user_id).fetch_all(c).await,
        pg c => sqlx::query_as(HELD).bind(workspace).bind(by.id).bind(action).bind(target_id)
            .bind(now.as_micros()).bind(by.user_id).fetch_all(c).await,
    )?)
}

/// Serializes the transactions that create confirmations in one workspace, so that their counts and look-ups
/// stay valid until the commit.
pub async fn lock_inserts(tx: &mut WriteTx) -> Result<(), StoreError> {
    let workspace = tx.workspace;
    per_backend!(tx,
        // SQLite has one writer.
        sqlite _c => Ok::<_, sqlx::Error>(()),
        // An advisory lock and not a row's lock: a decision locks a confirmation and then changes other rows,
        // so that row locks could deadlock.
        pg c => sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('confirmations:' || CAST($1 AS TEXT), 0))")
            .bind(workspace).execute(c).await.map(|_| ()),
    )?;
    Ok(())
}

/// Returns workspace and id of at most `limit` open confirmations of all workspaces that have expired at
/// `now`, for the worker that ends each in its workspace.
pub async fn overdue(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT workspace_id, id FROM confirmations WHERE status IN ('pending', 'awaiting_phrase') \
        AND expires_at <= $1 ORDER BY expires_at LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(now.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok(found)
}

/// Counts the open confirmations: the requester's, and all of the workspace.
pub async fn count_open(tx: &mut Tx, by: Requester, now: Ts) -> Result<(i64, i64), StoreError> {
    const SQL: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN requester_id = $2 \
        AND requester_user_id IS NOT DISTINCT FROM $4 THEN 1 ELSE 0 END), 0) AS BIGINT), \
        CAST(COUNT(*) AS BIGINT) FROM confirmations WHERE workspace_id = $1 \
        AND status IN ('pending', 'awaiting_phrase') AND expires_at > $3";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(now.as_micros()).bind(by.user_id)
            .fetch_one(c).await)?,
    )
}

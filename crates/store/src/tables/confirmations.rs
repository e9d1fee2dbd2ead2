//! The table `confirmations`: calls that wait for a person's decision, and their outcome.

mod list;
mod open;
mod transition;

pub use list::{ConfirmationQuery, list};
pub use open::{all_open, count_open, lock_inserts, overdue, same_call, same_target};
pub use transition::{Transition, renew, transition};

use sqlx::FromRow;
use toolcrib_model::{ConfirmationStatus, Id, Surface, Ts, Via};

use crate::backend::{StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct ConfirmationRow {
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
    pub request_id: String,
    /// The call's idempotency key.
    pub idempotency_key: Option<String>,
    /// The stored status: an open one may be past `expires_at`.
    #[sqlx(try_from = "String")]
    pub status: ConfirmationStatus,
    /// Wrong phrases so far.
    pub phrase_attempts: i64,
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
    /// The confirmation that took the place of a superseded one.
    pub superseded_by: Option<Id>,
}

#[derive(Clone, Debug, FromRow)]
pub struct RequestedCall {
    /// What the arguments were checked by: SHA-256 of the schema, for an action of a pack with `@` and the version at
    /// which the pack was switched on.
    pub schema_digest: String,
    /// The resolved arguments: JSON with sorted keys.
    pub arguments: String,
    /// SHA-256 of `arguments`.
    pub arguments_digest: String,
    /// The row that the call changes.
    pub target_id: Option<Id>,
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
    /// JSON pointers to the arguments that were read differently from how the model wrote them, as a JSON list; absent
    /// if none was.
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

pub async fn insert(tx: &mut WriteTx, row: &ConfirmationRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO confirmations (workspace_id, id, action, schema_digest, arguments, arguments_digest, \
        target_id, target_label, target_detail, target_version, upstream_target, summary, more, repaired, warning, level, requester, \
        requester_kind, requester_id, requester_user_id, session, tool_call_id, tool_format, via, surface, request_id, \
        idempotency_key, status, phrase_attempts, created_at, expires_at, history) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
        $23, $24, $25, $26, $27, 'pending', 0, $28, $29, $30)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.action)
        .bind(&row.call.schema_digest).bind(&row.call.arguments).bind(&row.call.arguments_digest)
        .bind(row.call.target_id).bind(&row.call.target_label).bind(&row.call.target_detail)
        .bind(row.call.target_version).bind(&row.call.upstream_target).bind(&row.call.summary)
        .bind(row.call.more).bind(&row.call.repaired).bind(&row.warning).bind(&row.level)
        .bind(&row.call.requester).bind(&row.requester_kind).bind(row.requester_id)
        .bind(row.requester_user_id).bind(&row.session).bind(&row.tool_call_id).bind(&row.tool_format)
        .bind(row.via.as_str()).bind(row.surface.as_str()).bind(&row.request_id).bind(&row.idempotency_key)
        .bind(row.created_at.as_micros()).bind(row.expires_at.as_micros()).bind(&row.history).execute(c).await
        .map(|_| ()))
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ConfirmationRow>, StoreError> {
    tx.find(by_id!(confirmations), id).await
}

/// Returns one confirmation and locks its row until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<ConfirmationRow>, StoreError> {
    let sql = locked!(tx, by_id!(confirmations) => " FOR UPDATE");
    tx.find(sql, id).await
}

/// The requester of a confirmation or the principal of an open call. The users of one service key are different
/// requesters, and so are the members for whom one agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The id of the user, agent or key.
    pub id: Id,
    /// The member for whom the call was made.
    pub user_id: Option<Id>,
}

//! One row of the audit log, as it is read.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

/// One row of the audit log. It is never changed.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Entry {
    /// Whose log it is in.
    pub workspace_id: Id,
    /// Its id: the answer's `call_id`.
    pub id: Id,
    /// When the call was decided.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// `call`, `confirmation`, `grant` or `admin`.
    pub kind: String,
    /// The action or operation.
    pub action: String,
    /// The action's level: `read`, `write`, `destructive` or `external`.
    pub permission_level: String,
    /// How the call came in: `direct`, `dispatcher` or `confirmation`.
    pub via: String,
    /// Where the call came in: `rest`, `mcp`, `console` or `cli`.
    pub surface: String,
    /// `user`, `agent` or `service`.
    pub principal_kind: String,
    /// The user, agent or key that called.
    pub principal_id: Id,
    /// The user who acted or on whose behalf; absent for a service key of its own.
    pub user_id: Option<Id>,
    /// The key that was used; absent for a token.
    pub credential_id: Option<Id>,
    /// The role at that time; absent for a system admin who is no member.
    pub role: Option<String>,
    /// It was done with a system admin's token.
    pub system_admin: bool,
    /// Such as `chat` or `mission`.
    pub caller_type: String,
    /// The agent's slug.
    pub caller_name: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The mission.
    pub mission_id: Option<Id>,
    /// `auto_allowed`, `approved`, `denied`, `confirmation_required`, `rate_limited`, `invalid` or `expired`.
    pub decision: String,
    /// Who or what allowed it: `auto`, `session` or `user`.
    pub granted_by: Option<String>,
    /// It was allowed for the rest of the session.
    pub always_allow: bool,
    /// The service key that relayed a user's decision.
    pub relayed_by: Option<Id>,
    /// A code that says why.
    pub reason: Option<String>,
    /// The arguments as JSON text, sensitive ones masked.
    pub arguments: String,
    /// What it was done to, as people know it.
    pub target: Option<String>,
    /// The code of the error that was answered.
    pub error_code: Option<String>,
    /// `succeeded`, `failed` or `not_run`.
    pub outcome: String,
    /// How long it ran, in milliseconds.
    pub duration_ms: i64,
    /// The request it belongs to.
    pub request_id: String,
    /// The trace it belongs to.
    pub trace_id: Option<String>,
    /// The confirmation it belongs to.
    pub confirmation_id: Option<Id>,
}

//! A row of the audit log as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_store::audit::Entry;

/// A row of the audit log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EntryView {
    /// Its id: the answer's `call_id`.
    pub id: Id,
    /// When the call was decided.
    pub occurred_at: Ts,
    /// `call`, `confirmation`, `grant` or `admin`.
    pub kind: String,
    /// The action or operation.
    pub action: String,
    /// `read`, `write` or `destructive`.
    pub permission_level: String,
    /// `direct`, `dispatcher` or `confirmation`.
    pub via: String,
    /// `rest`, `mcp`, `console` or `cli`.
    pub surface: String,
    /// Who called.
    pub principal: PrincipalView,
    /// The user who acted or on whose behalf; null for a service key of its own.
    pub user_id: Option<Id>,
    /// The role at that time; null for none.
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
    /// What was decided.
    pub decision: String,
    /// `auto`, `session` or `user`; null where it was not allowed.
    pub granted_by: Option<String>,
    /// It was allowed for the rest of the session.
    pub always_allow: bool,
    /// The service key that relayed a user's decision.
    pub relayed_by: Option<Id>,
    /// A code that says why.
    pub reason: Option<String>,
    /// The arguments, sensitive ones masked.
    pub arguments: Value,
    /// What it was about, as people know it.
    pub target: Option<String>,
    /// The code of the error that was answered.
    pub error_code: Option<String>,
    /// `succeeded`, `failed` or `not_run`.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// The request it belongs to.
    pub request_id: String,
    /// The trace it belongs to.
    pub trace_id: Option<String>,
    /// The confirmation it belongs to.
    pub confirmation_id: Option<Id>,
}

/// Who called.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PrincipalView {
    /// `user`, `agent`, `service` or `operator`.
    pub kind: String,
    /// The user, agent or key.
    pub id: Id,
    /// The key that was used; null for a token.
    pub credential_id: Option<Id>,
}

impl From<Entry> for EntryView {
    fn from(row: Entry) -> Self {
        Self {
            id: row.id,
            occurred_at: row.occurred_at,
            kind: row.kind,
            action: row.action,
            permission_level: row.permission_level,
            via: row.via,
            surface: row.surface,
            principal: PrincipalView {
                kind: row.principal_kind,
                id: row.principal_id,
                credential_id: row.credential_id,
            },
            user_id: row.user_id,
            role: row.role,
            system_admin: row.system_admin,
            caller_type: row.caller_type,
            caller_name: row.caller_name,
            session: row.session,
            mission_id: row.mission_id,
            decision: row.decision,
            granted_by: row.granted_by,
            always_allow: row.always_allow,
            relayed_by: row.relayed_by,
            reason: row.reason,
            // Long arguments were cut when the row was written; what is no JSON is shown as it is.
            arguments: serde_json::from_str(&row.arguments).unwrap_or(Value::String(row.arguments)),
            target: row.target,
            error_code: row.error_code,
            outcome: row.outcome,
            duration_ms: row.duration_ms,
            request_id: row.request_id,
            trace_id: row.trace_id,
            confirmation_id: row.confirmation_id,
        }
    }
}

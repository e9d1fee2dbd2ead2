//! A row of the audit log as it is inserted.

use serde::Serialize;
use toolcrib_model::{
    AuditDecision, AuditKind, ErrorCode, ExecutorKind, GrantedBy, Id, Outcome, Role, Surface, Ts, Via,
};

use crate::backend::{BulkRow, BulkTable, SqlValue, WriteTx};

/// A new row of the audit log. Its fields are columns of `action_log`, described in `AuditEntry`, which reads them.
#[derive(Clone, Debug, Serialize)]
pub struct AuditRow {
    pub workspace_id: Id,
    pub id: Id,
    pub occurred_at: Ts,
    pub kind: AuditKind,
    pub action: String,
    pub permission_level: &'static str,
    pub via: Via,
    pub surface: Surface,
    pub principal_kind: &'static str,
    pub principal_id: Id,
    pub user_id: Option<Id>,
    pub credential_id: Option<Id>,
    pub role: Option<Role>,
    pub system_admin: bool,
    pub caller_type: String,
    pub caller_name: Option<String>,
    pub session: Option<String>,
    pub mission_id: Option<Id>,
    pub decision: AuditDecision,
    pub granted_by: Option<GrantedBy>,
    pub always_allow: bool,
    pub relayed_by: Option<Id>,
    pub reason: Option<String>,
    pub arguments: String,
    pub target: Option<String>,
    pub error_code: Option<ErrorCode>,
    pub outcome: Outcome,
    pub duration_ms: i64,
    pub request_id: String,
    pub trace_id: Option<String>,
    pub confirmation_id: Option<Id>,
    pub minters: Option<String>,
    pub edited_by: Option<Id>,
    pub issuer: Option<String>,
    pub subject: Option<String>,
    pub repaired: Option<String>,
    pub executor: Option<ExecutorKind>,
    pub definition: Option<String>,
    pub call_ref: Option<Id>,
    pub reported_by: Option<Id>,
}

impl AuditRow {
    /// Makes the row of an administrative change that no caller made: a write that succeeded. Its principal is `operator` with the
    /// nil id, on the command line.
    pub fn of_operator(workspace_id: Id, id: Id, occurred_at: Ts, action: &str) -> Self {
        Self {
            workspace_id,
            id,
            occurred_at,
            kind: AuditKind::Admin,
            action: action.to_owned(),
            permission_level: "write",
            via: Via::Direct,
            surface: Surface::Cli,
            principal_kind: "operator",
            principal_id: Id::nil(),
            user_id: None,
            credential_id: None,
            role: None,
            system_admin: false,
            caller_type: "console".to_owned(),
            caller_name: None,
            session: None,
            mission_id: None,
            decision: AuditDecision::AutoAllowed,
            granted_by: Some(GrantedBy::Auto),
            always_allow: false,
            relayed_by: None,
            reason: None,
            arguments: String::new(),
            target: None,
            error_code: None,
            outcome: Outcome::Succeeded,
            duration_ms: 0,
            request_id: id.to_string(),
            trace_id: None,
            confirmation_id: None,
            minters: None,
            edited_by: None,
            issuer: None,
            subject: None,
            repaired: None,
            executor: None,
            definition: None,
            call_ref: None,
            reported_by: None,
        }
    }
}

/// The bulk insert of audit rows. The columns are those of [`AuditRow`] after its workspace, in the same
/// order.
pub(crate) static BULK: BulkTable = BulkTable {
    name: "action_log",
    columns: &[
        "id",
        "occurred_at",
        "kind",
        "action",
        "permission_level",
        "via",
        "surface",
        "principal_kind",
        "principal_id",
        "user_id",
        "credential_id",
        "role",
        "system_admin",
        "caller_type",
        "caller_name",
        "session",
        "mission_id",
        "decision",
        "granted_by",
        "always_allow",
        "relayed_by",
        "reason",
        "arguments",
        "target",
        "error_code",
        "outcome",
        "duration_ms",
        "request_id",
        "trace_id",
        "confirmation_id",
        "minters",
        "edited_by",
        "issuer",
        "subject",
        "repaired",
        "executor",
        "definition",
        "call_ref",
        "reported_by",
    ],
    ids: &[
        "id",
        "principal_id",
        "user_id",
        "credential_id",
        "mission_id",
        "relayed_by",
        "confirmation_id",
        "edited_by",
        "call_ref",
        "reported_by",
    ],
};

impl From<AuditRow> for BulkRow {
    fn from(row: AuditRow) -> Self {
        let values = vec![
            SqlValue::Id(Some(row.id)),
            row.occurred_at.into(),
            SqlValue::Word(Some(row.kind.as_str())),
            SqlValue::Text(Some(row.action)),
            SqlValue::Word(Some(row.permission_level)),
            SqlValue::Word(Some(row.via.as_str())),
            SqlValue::Word(Some(row.surface.as_str())),
            SqlValue::Word(Some(row.principal_kind)),
            SqlValue::Id(Some(row.principal_id)),
            SqlValue::Id(row.user_id),
            SqlValue::Id(row.credential_id),
            SqlValue::Word(row.role.map(Role::as_str)),
            row.system_admin.into(),
            SqlValue::Text(Some(row.caller_type)),
            SqlValue::Text(row.caller_name),
            SqlValue::Text(row.session),
            SqlValue::Id(row.mission_id),
            SqlValue::Word(Some(row.decision.as_str())),
            SqlValue::Word(row.granted_by.map(GrantedBy::as_str)),
            row.always_allow.into(),
            SqlValue::Id(row.relayed_by),
            SqlValue::Text(row.reason),
            SqlValue::Text(Some(row.arguments)),
            SqlValue::Text(row.target),
            SqlValue::Word(row.error_code.map(ErrorCode::as_str)),
            SqlValue::Word(Some(row.outcome.as_str())),
            row.duration_ms.into(),
            SqlValue::Text(Some(row.request_id)),
            SqlValue::Text(row.trace_id),
            SqlValue::Id(row.confirmation_id),
            SqlValue::Text(row.minters),
            SqlValue::Id(row.edited_by),
            SqlValue::Text(row.issuer),
            SqlValue::Text(row.subject),
            SqlValue::Text(row.repaired),
            SqlValue::Word(row.executor.map(ExecutorKind::as_str)),
            SqlValue::Text(row.definition),
            SqlValue::Id(row.call_ref),
            SqlValue::Id(row.reported_by),
        ];
        Self { workspace: row.workspace_id, values }
    }
}

impl WriteTx {
    /// Adds a row to the audit log, which the transaction's commit inserts.
    pub fn audit(&mut self, row: AuditRow) {
        self.push_audit(row.into());
    }
}

//! A row of the audit log as it is inserted.

use serde::Serialize;
use toolcrib_model::{
    AuditDecision, AuditKind, ErrorCode, ExecutorKind, GrantedBy, Id, Outcome, Role, Surface, Ts, Via,
};

use crate::{
    backend::{BulkRow, BulkRows, Db, StoreError, WriteTx, bulk_table},
    tables::events::EventRow,
};

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
    /// Makes the row of an administrative change that no caller made: a write that succeeded. Its principal is
    /// `operator` with the nil id, on the command line.
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

bulk_table!("action_log", row: AuditRow, {
    id: Id(Some(row.id)),
    occurred_at: Number(Some(row.occurred_at.as_micros())),
    kind: Word(Some(row.kind.as_str())),
    action: Text(Some(row.action)),
    permission_level: Word(Some(row.permission_level)),
    via: Word(Some(row.via.as_str())),
    surface: Word(Some(row.surface.as_str())),
    principal_kind: Word(Some(row.principal_kind)),
    principal_id: Id(Some(row.principal_id)),
    user_id: Id(row.user_id),
    credential_id: Id(row.credential_id),
    role: Word(row.role.map(Role::as_str)),
    system_admin: Flag(Some(row.system_admin)),
    caller_type: Text(Some(row.caller_type)),
    caller_name: Text(row.caller_name),
    session: Text(row.session),
    mission_id: Id(row.mission_id),
    decision: Word(Some(row.decision.as_str())),
    granted_by: Word(row.granted_by.map(GrantedBy::as_str)),
    always_allow: Flag(Some(row.always_allow)),
    relayed_by: Id(row.relayed_by),
    reason: Text(row.reason),
    arguments: Text(Some(row.arguments)),
    target: Text(row.target),
    error_code: Word(row.error_code.map(ErrorCode::as_str)),
    outcome: Word(Some(row.outcome.as_str())),
    duration_ms: Number(Some(row.duration_ms)),
    request_id: Text(Some(row.request_id)),
    trace_id: Text(row.trace_id),
    confirmation_id: Id(row.confirmation_id),
    minters: Text(row.minters),
    edited_by: Id(row.edited_by),
    issuer: Text(row.issuer),
    subject: Text(row.subject),
    repaired: Text(row.repaired),
    executor: Word(row.executor.map(ExecutorKind::as_str)),
    definition: Text(row.definition),
    call_ref: Id(row.call_ref),
    reported_by: Id(row.reported_by),
});

impl WriteTx {
    /// Adds a row to the audit log, which the transaction's commit inserts.
    pub fn audit(&mut self, row: AuditRow) {
        self.push_audit(row.into());
    }
}

impl Db {
    /// Inserts audit rows of calls that have no write transaction. Returns when the commit is durable.
    pub async fn audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        self.audit_with_events(rows, Vec::new()).await
    }

    /// Like [`Db::audit`], with outbox rows in the same commit.
    pub async fn audit_with_events(
        &self,
        rows: Vec<AuditRow>,
        events: Vec<EventRow>,
    ) -> Result<(), StoreError> {
        let audit = rows.into_iter().map(BulkRow::from).collect();
        let outbox = events.into_iter().map(BulkRow::from).collect();
        self.write_rows(BulkRows { audit, outbox }).await
    }
}

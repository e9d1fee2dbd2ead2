//! Gate 11: the audit row of a call. Every audit row of a call begins here. Some are changed before they are inserted:
//! in `run::write` (the workspace that the call created), `run::approve` (`via`), `run::non_member` (`arguments`),
//! `declared::started_calls` and `declared::open_calls::end` (what ran a call, and its outcome),
//! `confirm::decision_audit` (decisions) and `confirm::session_grants` (grants).

use serde_json::{Value, json};
use toolcrib_access::Provenance;
use toolcrib_model::{AuditDecision, AuditKind, ErrorCode, GrantedBy, Id, Outcome};
use toolcrib_registry::ActionKind;
use toolcrib_store::AuditRow;

use crate::base::{ActionError, CallContext, CallFacts, mask};

/// Maximum size of a row's arguments, in bytes.
const ARGUMENTS_MAX: usize = 16 * 1024;

/// The decision about a call and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct AuditOutcome {
    pub decision: AuditDecision,
    /// What permitted the call; `None` if it did not run.
    pub granted_by: Option<GrantedBy>,
    /// The reason in one word.
    pub reason: Option<&'static str>,
    pub error: Option<ErrorCode>,
    /// Whether the call ran, and its result.
    pub outcome: Outcome,
    pub confirmation_id: Option<Id>,
}

impl AuditOutcome {
    /// Returns the outcome of a call that ran, with its error if it failed.
    pub fn of_run(context: &CallContext, granted_by: GrantedBy, error: Option<&ActionError>) -> Self {
        let approved = context.confirmation.as_ref();
        Self {
            decision: if approved.is_some() { AuditDecision::Approved } else { AuditDecision::AutoAllowed },
            granted_by: Some(granted_by),
            reason: error.and_then(|error| error.reason),
            error: error.map(|error| error.code),
            outcome: if error.is_none() { Outcome::Succeeded } else { Outcome::Failed },
            confirmation_id: approved.map(|approval| approval.confirmation_id),
        }
    }

    pub fn not_run(
        context: &CallContext,
        decision: AuditDecision,
        reason: &'static str,
        error: Option<ErrorCode>,
    ) -> Self {
        let confirmation_id = context.confirmation.as_ref().map(|approval| approval.confirmation_id);
        Self {
            decision,
            granted_by: None,
            reason: Some(reason),
            error,
            outcome: Outcome::NotRun,
            confirmation_id,
        }
    }
}

pub fn row(context: &CallContext, facts: &CallFacts, audit_outcome: AuditOutcome) -> AuditRow {
    let caller = &facts.caller;
    let Provenance { minters, editors, token, .. } = &caller.provenance;
    AuditRow {
        workspace_id: caller.workspace,
        id: context.call_id,
        occurred_at: context.now,
        kind: if facts.meta.as_ref().is_some_and(|m| m.spec.kind == ActionKind::Operation) {
            AuditKind::Admin
        } else {
            AuditKind::Call
        },
        action: facts.action.clone(),
        permission_level: facts.meta.as_ref().map_or("read", |meta| meta.spec.level.as_str()),
        via: facts.via,
        surface: context.surface,
        principal_kind: caller.principal.kind().as_str(),
        principal_id: caller.principal.id(),
        user_id: caller.principal.user(),
        credential_id: caller.credential,
        role: caller.role,
        system_admin: caller.system_admin,
        caller_type: caller.caller_type.to_string(),
        caller_name: caller.caller_name.as_deref().map(str::to_owned),
        session: caller.session.as_deref().map(str::to_owned),
        mission_id: caller.mission,
        decision: audit_outcome.decision,
        granted_by: audit_outcome.granted_by,
        always_allow: audit_outcome.granted_by == Some(GrantedBy::Session),
        relayed_by: context.relayed_by,
        reason: audit_outcome.reason.map(str::to_owned),
        arguments: arguments(facts),
        target: facts.target.clone(),
        error_code: audit_outcome.error,
        outcome: audit_outcome.outcome,
        duration_ms: i64::try_from(context.started.elapsed().as_millis()).unwrap_or(i64::MAX),
        request_id: context.request_id.clone(),
        trace_id: context.trace_id.clone(),
        confirmation_id: audit_outcome.confirmation_id,
        minters: (!minters.is_empty()).then(|| json!(minters).to_string()),
        edited_by: editors.last().copied(),
        issuer: token.as_deref().map(|token| token.issuer.to_string()),
        subject: token.as_deref().map(|token| token.subject.to_string()),
        repaired: repaired_text(&facts.repaired),
        executor: None,
        definition: None,
        call_ref: None,
        reported_by: None,
    }
}

/// Returns pointers to repaired arguments as they are stored: a JSON list, and nothing if there are none.
pub fn repaired_text(repaired: &[String]) -> Option<String> {
    (!repaired.is_empty()).then(|| json!(repaired).to_string())
}

/// Returns the masked arguments as JSON, shortened above [`ARGUMENTS_MAX`]. The log records what was
/// requested and is no store for documents.
fn arguments(facts: &CallFacts) -> String {
    let Some(meta) = &facts.meta else {
        // Without a schema any argument may be sensitive, so only the names are stored.
        let names = facts.arguments.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        return json!({ "parameters": names.unwrap_or_default() }).to_string();
    };
    let mut masked = facts.arguments.clone();
    mask::mask(meta.input.value(), &mut masked);
    let text = masked.to_string();
    if text.len() <= ARGUMENTS_MAX {
        return text;
    }
    shorten(&mut masked);
    masked.to_string()
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > 256 => {
            *text = text.chars().take(255).chain(['…']).collect();
        }
        Value::Array(items) => {
            items.truncate(20);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests;

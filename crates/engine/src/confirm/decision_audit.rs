//! The audit row of a decision.

use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::{AuditDecision, AuditKind, ErrorCode, IdGen, Outcome, Ts};
use toolcrib_store::{WriteTx, confirmations::ConfirmationRow};

use crate::{
    audit::{self, AuditOutcome},
    base::{CallContext, CallFacts},
    catalog::Catalog,
};

/// The content of a decision's audit row.
pub struct DecisionAudit {
    /// The audit row's `decision`.
    pub decision: AuditDecision,
    /// The audit row's `reason`.
    pub reason: &'static str,
    /// Why the decision was refused, or why the call does not run.
    pub error: Option<ErrorCode>,
    /// The edited arguments, if the approver changed them.
    pub modified: Option<Value>,
    /// Whether the approval creates a session grant.
    pub always_allow: bool,
}

impl DecisionAudit {
    /// Makes the row of a decision on unchanged arguments, without a session grant.
    pub fn new(decision: AuditDecision, reason: &'static str, error: Option<ErrorCode>) -> Self {
        Self { decision, reason, error, modified: None, always_allow: false }
    }
}

/// Writes the audit row of a decision or of a refused attempt.
pub(crate) fn write_decision(
    catalog: &Catalog,
    ids: &dyn IdGen,
    tx: &mut WriteTx,
    context: &CallContext,
    caller: &Caller,
    row: &ConfirmationRow,
    decision_audit: DecisionAudit,
) {
    let facts = |arguments: Value| CallFacts {
        arguments,
        target: row.call.target_label.clone(),
        ..CallFacts::new(caller.clone(), &row.action, catalog.registry().get(&row.action))
    };
    let outcome = if decision_audit.error.is_some() { Outcome::NotRun } else { Outcome::Succeeded };
    let audit_outcome = AuditOutcome {
        confirmation_id: Some(row.id),
        outcome,
        ..AuditOutcome::not_run(context, decision_audit.decision, decision_audit.reason, decision_audit.error)
    };
    let requested = facts(serde_json::from_str(&row.call.arguments).unwrap_or_default());
    let mut entry = audit::row(context, &requested, audit_outcome);
    if let Some(modified) = decision_audit.modified {
        let approved = audit::row(context, &facts(modified), audit_outcome);
        // Both texts are JSON already, masked and shortened.
        entry.arguments = format!("{{\"asked\":{},\"approved\":{}}}", entry.arguments, approved.arguments);
    }
    entry.kind = AuditKind::Confirmation;
    // Sorts after the row of the call that ran, which has the same time.
    entry.id = ids.new_id(Ts::from_micros(context.now.as_micros() + 1));
    entry.always_allow = decision_audit.always_allow;
    tx.audit(entry);
}

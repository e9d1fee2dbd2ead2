//! What became of a call: its first row, decisions about it, its run and its outcome.

use std::collections::BTreeMap;

use toolcrib_engine::ActionError;
use toolcrib_model::{AuditDecision, AuditKind, ErrorCode, Id, Outcome, Via};
use toolcrib_store::{
    Tx,
    audit::{self, AuditEntry, CallEntry},
};

use super::view::{AuditView, CallStep, Step};

impl Step {
    /// Returns what a row of a call stands for; `None` if it is about something else, such as a grant.
    fn of(row: &AuditEntry) -> Option<Self> {
        let is = |decision: AuditDecision| row.decision == decision.as_str();
        match row.kind.as_str() {
            kind if kind == AuditKind::Outcome.as_str() => Some(Self::Ended),
            kind if kind == AuditKind::Grant.as_str() => None,
            kind if kind == AuditKind::Confirmation.as_str() => Some(Self::of_decision(row)),
            _ if is(AuditDecision::ConfirmationRequired) => Some(Self::Asked),
            _ if row.outcome == Outcome::Started.as_str() => Some(Self::Started),
            _ => (row.via == Via::Confirmation.as_str()).then_some(Self::Ran),
        }
    }

    fn of_decision(row: &AuditEntry) -> Self {
        let is = |decision: AuditDecision| row.decision == decision.as_str();
        match row.reason.as_deref().unwrap_or_default() {
            _ if is(AuditDecision::Expired) => Self::Expired,
            _ if is(AuditDecision::ConfirmationRequired) => Self::PhraseAsked,
            "modify" if is(AuditDecision::Approved) => Self::ApprovedChanged,
            _ if is(AuditDecision::Approved) => Self::Approved,
            "phrase" => Self::WrongPhrase,
            "modify" if row.error_code.as_deref() == Some(ErrorCode::Void.as_str()) => Self::Changed,
            "superseded" => Self::Superseded,
            "void" => Self::Void,
            "deny" if row.error_code.is_none() => Self::Denied,
            _ => Self::Refused,
        }
    }
}

impl CallStep {
    fn of(view: &AuditView) -> Option<Self> {
        let AuditView { row, principal_name, user_name, .. } = view;
        let step = Step::of(row)?;
        let by = row.reported_by.unwrap_or(row.principal.id);
        let name = if row.user_id == Some(by) { user_name } else { principal_name };
        let (by, by_name) = if step == Step::Expired { (None, None) } else { (Some(by), name.clone()) };
        let AuditEntry { id, occurred_at: at, duration_ms, .. } = *row;
        let (outcome, error_code) = (row.outcome.clone(), row.error_code.clone());
        Some(Self { id, at, step, by, by_name, outcome, error_code, duration_ms })
    }
}

/// Returns calls as they ended, with their steps.
pub async fn of_calls(tx: &mut Tx, calls: Vec<CallEntry>) -> Result<Vec<AuditView>, ActionError> {
    let (first, last): (Vec<_>, Vec<_>) = calls.into_iter().map(|call| (call.first, call.last)).unzip();
    let mut views = with_steps(tx, first).await?;
    for (AuditView { row, .. }, last) in views.iter_mut().zip(last) {
        row.decision = last.decision;
        row.granted_by = last.granted_by;
        row.reason = last.reason;
        row.error_code = last.error_code;
        row.outcome = last.outcome;
        row.duration_ms = last.duration_ms;
    }
    Ok(views)
}

/// Returns the first rows of calls, with the steps of those that waited or ran elsewhere.
pub async fn with_steps(tx: &mut Tx, first: Vec<AuditEntry>) -> Result<Vec<AuditView>, ActionError> {
    let later = audit::rows_of_calls(tx, &first).await?;
    let calls = first.len();
    let mut views = AuditView::of_all(tx, first.into_iter().chain(later).collect()).await?;
    let mut steps: BTreeMap<Id, Vec<(bool, CallStep)>> = BTreeMap::new();
    for view in views.split_off(calls) {
        if let (Some(key), Some(step)) = (view.row.confirmation_id.or(view.row.call_ref), CallStep::of(&view))
        {
            steps.entry(key).or_default().push((view.row.kind != AuditKind::Confirmation.as_str(), step));
        }
    }
    for view in &mut views {
        let Some(key) = key(&view.row) else { continue };
        let mut all = steps.remove(&key).unwrap_or_default();
        all.retain(|(_, step)| step.id != view.row.id);
        // A decision has the time of the run that it allows.
        all.sort_by_key(|(is_run, step)| (step.at, *is_run, step.id));
        view.steps = CallStep::of(view).into_iter().chain(all.into_iter().map(|(_, step)| step)).collect();
    }
    Ok(views)
}

/// Returns what later rows have in common with the first row of their call; `None` if it has none.
fn key(row: &AuditEntry) -> Option<Id> {
    match row.confirmation_id {
        Some(confirmation) if row.decision == AuditDecision::ConfirmationRequired.as_str() => {
            Some(confirmation)
        }
        None if row.outcome == Outcome::Started.as_str() => Some(row.id),
        _ => None,
    }
}

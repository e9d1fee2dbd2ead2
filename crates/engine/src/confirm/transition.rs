//! Transitions of a record, its history, and the errors for closed records.

use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Id, Ts};
use toolcrib_store::{
    WriteTx,
    confirmations::{self, ConfirmationRow, Transition},
};

use super::{ConfirmationRecords, DecisionAudit, requester, write_decision};
use crate::{
    base::{ActionError, CallContext, CallFacts},
    events::emit,
    gates::early_exit::EarlyExit,
};

impl ConfirmationRecords<'_> {
    /// Supersedes the caller's open confirmations of the same action and target, and `outdated`, because the call of the
    /// confirmation `new` replaces them. Returns their ids.
    pub async fn supersede(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        facts: &CallFacts,
        target: Option<Id>,
        outdated: Option<ConfirmationRow>,
        new: Id,
    ) -> Result<Vec<Id>, EarlyExit> {
        let (caller, action) = (&facts.caller, &facts.action);
        let (by, session, surface) = (requester(caller), caller.session.as_deref(), context.surface);
        let mut open = match target {
            Some(target) => {
                confirmations::same_target(tx, by, session, surface, action, target, context.now).await?
            }
            None => Vec::new(),
        };
        open.extend(outdated.filter(|row| open.iter().all(|other| other.id != row.id)));
        let why = format!(
            "a later call of `{action}` on the same target replaced it, with the confirmation `{new}`"
        );
        for row in &open {
            let step =
                undecided(row, context, ConfirmationStatus::Superseded, Some(caller.principal.id()), None);
            let step = Transition { reason: Some(&why), superseded_by: Some(new), ..step };
            let audit = DecisionAudit::new(AuditDecision::Denied, "superseded", Some(ErrorCode::Void));
            self.end_without_run(tx, context, caller, row, &step, audit).await?;
        }
        Ok(open.iter().map(|row| row.id).collect())
    }

    /// Ends a record whose call does not run, with the audit row of `caller` and the event. Returns the record then.
    pub async fn end_without_run(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        caller: &Caller,
        row: &ConfirmationRow,
        step: &Transition<'_>,
        audit: DecisionAudit,
    ) -> Result<ConfirmationRow, EarlyExit> {
        let ended = apply(tx, row, step).await?;
        write_decision(self.catalog, self.ids, tx, context, caller, row, audit);
        emit::denied(self.catalog.registry(), self.stamp(context.now), tx, row, step.reason).await?;
        Ok(ended)
    }
}

/// Makes a transition without a decision. `by` is the principal that caused it, if any, and `replaced` are the
/// arguments before a person changed them.
pub fn undecided(
    row: &ConfirmationRow,
    context: &CallContext,
    to: ConfirmationStatus,
    by: Option<Id>,
    replaced: Option<&Value>,
) -> Transition<'static> {
    Transition {
        to,
        now: context.now,
        by: None,
        reason: None,
        phrase_attempts: row.phrase_attempts,
        call_id: None,
        result: None,
        edited: None,
        history: history(row, context, to, by, replaced),
        superseded_by: None,
    }
}

/// Returns why a record can't be decided; `None` if it is open.
pub fn closed(row: &ConfirmationRow, now: Ts) -> Option<ActionError> {
    if row.open(now) {
        return None;
    }
    Some(match row.status {
        ConfirmationStatus::Pending | ConfirmationStatus::AwaitingPhrase | ConfirmationStatus::Expired => {
            ActionError::new(ErrorCode::Expired, "the confirmation was not decided in time")
                .hint("make the call again")
        }
        ConfirmationStatus::Void | ConfirmationStatus::Superseded => {
            ActionError::new(ErrorCode::Void, "the confirmation no longer applies")
                .hint("make the call again")
        }
        status @ (ConfirmationStatus::Running
        | ConfirmationStatus::Executed
        | ConfirmationStatus::Failed
        | ConfirmationStatus::Unknown
        | ConfirmationStatus::Denied) => {
            let detail = format!("the confirmation is already decided: `{status}`");
            ActionError::new(ErrorCode::AlreadyDecided, detail)
        }
    })
}

/// Makes the error for a call whose confirmation has no stored response: it ended without a run, or its call runs
/// outside this service.
pub fn ended(status: ConfirmationStatus, reason: Option<&str>) -> ActionError {
    let no_longer = || {
        let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        ActionError::new(ErrorCode::Void, format!("the confirmation no longer applies{why}"))
    };
    match status {
        ConfirmationStatus::Denied => {
            let why = reason.map(|reason| format!(": `{reason}`")).unwrap_or_default();
            ActionError::new(ErrorCode::PermissionDenied, format!("a person denied the call{why}"))
                .hint("do not repeat the call; ask the person what to do instead")
        }
        ConfirmationStatus::Superseded => no_longer()
            .hint("if both changes are meant, make one call with both; it replaces the one that waits"),
        ConfirmationStatus::Void => no_longer(),
        ConfirmationStatus::Running => {
            ActionError::new(ErrorCode::InProgress, "a person approved the call, and it is still running")
        }
        ConfirmationStatus::Unknown => {
            ActionError::new(ErrorCode::OutcomeUnknown, "the call was started, and nobody knows how it ended")
        }
        // An executed or failed confirmation has a stored response, so only expiry remains.
        ConfirmationStatus::Pending
        | ConfirmationStatus::AwaitingPhrase
        | ConfirmationStatus::Executed
        | ConfirmationStatus::Failed
        | ConfirmationStatus::Expired => {
            ActionError::new(ErrorCode::Expired, "the confirmation was not decided in time")
        }
    }
}

/// Returns the history with one more entry.
fn history(
    row: &ConfirmationRow,
    context: &CallContext,
    status: ConfirmationStatus,
    by: Option<Id>,
    replaced: Option<&Value>,
) -> String {
    let mut steps: Vec<Value> = serde_json::from_str(&row.history).unwrap_or_default();
    let mut step = json!({ "at": context.now, "status": status, "by": by });
    if let Some(fields) = step.as_object_mut() {
        if let Some(key) = context.relayed_by {
            fields.insert("relayed_by".into(), json!(key));
        }
        if let Some(replaced) = replaced {
            fields.insert("replaced_arguments".into(), replaced.clone());
        }
    }
    steps.push(step);
    Value::Array(steps).to_string()
}

/// Makes the transition, and returns the record after it. Returns 409 `already_decided` if another decision was faster.
pub async fn apply(
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    step: &Transition<'_>,
) -> Result<ConfirmationRow, EarlyExit> {
    let changed = confirmations::transition(tx, row, step).await?;
    changed.ok_or_else(|| {
        ActionError::new(ErrorCode::AlreadyDecided, "the confirmation has just been decided").into()
    })
}

#[cfg(test)]
mod tests;

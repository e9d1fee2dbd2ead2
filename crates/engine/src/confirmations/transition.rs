//! Steps of a record: its history, and why a record that ended can't take one.

use serde_json::{Value, json};
use toolcrib_model::{ErrorCode, Id, Ts};
use toolcrib_store::{
    StoreError, WriteTx,
    confirmations::{self, ConfirmationRow, Transition},
};

use super::{ConfirmationRecords, DecisionAudit, requester};
use crate::{
    audit::AuditSubject,
    base::{ActionError, CallContext},
    events::emit,
    gates::early_exit::EarlyExit,
};

impl ConfirmationRecords<'_> {
    /// Ends the caller's open records of the same action on the same target: another call of it is asked now.
    pub async fn supersede(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        subject: &AuditSubject,
        target: Id,
    ) -> Result<(), EarlyExit> {
        let (caller, action) = (&subject.caller, &subject.action);
        let open = confirmations::same_target(tx, requester(caller), action, target, context.now).await?;
        for row in open {
            let steps = history(&row, context, "superseded", Some(caller.principal.id()), None);
            take(tx, row.id, &undecided(&row, context, "superseded", &steps)).await?;
            let note = DecisionAudit {
                decision: "denied",
                reason: "superseded",
                error: Some(ErrorCode::Void),
                ..DecisionAudit::default()
            };
            self.write_decision(tx, context, caller, &row, note);
            let why = Some("a later call of the same action superseded it");
            emit::denied(self.catalog.registry(), self.stamp(context.now), tx, &row, why).await?;
        }
        Ok(())
    }
}

/// The step of a record that nobody decided.
pub fn undecided<'s>(
    row: &'s ConfirmationRow,
    context: &CallContext,
    to: &'s str,
    history: &'s str,
) -> Transition<'s> {
    Transition {
        from: &row.status,
        to,
        now: context.now,
        by: None,
        reason: None,
        phrase_attempts: row.phrase_attempts,
        call_id: None,
        result: None,
        edited: None,
        history,
    }
}

/// Why a record that is not open can't be decided. An open one has no such reason.
pub fn closed(row: &ConfirmationRow, now: Ts) -> Option<ActionError> {
    if row.open(now) {
        return None;
    }
    Some(match row.status.as_str() {
        "pending" | "awaiting_phrase" | "expired" => {
            ActionError::new(ErrorCode::Expired, "the confirmation was not decided in time")
                .hint("make the call again")
        }
        "void" | "superseded" => ActionError::new(ErrorCode::Void, "the confirmation no longer applies")
            .hint("make the call again"),
        status => ActionError::new(
            ErrorCode::AlreadyDecided,
            format!("the confirmation is already decided: `{status}`"),
        ),
    })
}

/// What a call is told whose confirmation ended without running.
pub fn ended(row: &ConfirmationRow) -> ActionError {
    match row.status.as_str() {
        "denied" => {
            let why = row.reason.as_deref().map(|reason| format!(": `{reason}`")).unwrap_or_default();
            ActionError::new(ErrorCode::PermissionDenied, format!("a person denied the call{why}"))
                .hint("do not repeat the call; ask the person what to do instead")
        }
        "void" | "superseded" => ActionError::new(ErrorCode::Void, "the confirmation no longer applies"),
        _ => ActionError::new(ErrorCode::Expired, "the confirmation was not decided in time"),
    }
}

/// The history with one more step; `by` whom, where it was anybody's doing.
pub fn history(
    row: &ConfirmationRow,
    context: &CallContext,
    status: &str,
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

/// Takes a step, or tells that somebody else was first.
pub async fn take(tx: &mut WriteTx, id: Id, step: &confirmations::Transition<'_>) -> Result<(), EarlyExit> {
    let won: Result<bool, StoreError> = confirmations::transition(tx, id, step).await;
    if won? {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::AlreadyDecided, "the confirmation has just been decided").into())
    }
}

#[cfg(test)]
mod tests;

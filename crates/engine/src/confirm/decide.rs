//! Deciding: which record, who may, and how a decision, or an attempt at one, is written down.

use serde_json::{Value, json};
use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_model::{ErrorCode, Id, Role, Ts};
use toolcrib_registry::ActionKind;
use toolcrib_store::{AccessRow, StoreError, WriteTx, confirmations, confirmations::ConfirmationRow};

use super::{
    decider::{DecisionMaker, DecisionMeta},
    people::{behind, role_may},
    requester_of,
    view::{not_found, visible},
};
use crate::{
    ActionError, Engine, Via,
    call::CallContext,
    early_exit::EarlyExit,
    gates::{
        audit::{self, AuditOutcome},
        lookup::AuditSubject,
    },
};

/// A record that is held for a decision, and who decides it.
pub(super) struct LockedConfirmation {
    pub context: CallContext,
    pub caller: Caller,
    pub policy: WorkspacePolicy,
    pub row: ConfirmationRow,
}

/// What the audit row of a decision says.
#[derive(Default)]
pub(super) struct DecisionAudit {
    /// The audit row's `decision`.
    pub decision: &'static str,
    /// The audit row's `reason`.
    pub reason: &'static str,
    /// Why it was refused, or nothing runs.
    pub error: Option<ErrorCode>,
    /// The arguments that run in the place of those that were asked for.
    pub modified: Option<Value>,
    /// The rest of the session runs without asking.
    pub always_allow: bool,
}

impl Engine {
    /// Holds the record against other deciders until the transaction ends, if it is open and this sender may decide it.
    /// Whatever speaks against it is written down, and answered: the inner error.
    pub(super) async fn hold(
        &self,
        tx: &mut WriteTx,
        sender: &DecisionMaker,
        access: Option<&AccessRow>,
        id: Id,
        (decider, what): (&DecisionMeta, &'static str),
    ) -> Result<Result<LockedConfirmation, ActionError>, EarlyExit> {
        let row = confirmations::lock(tx, id).await?;
        // Now, and not before it was waited for: time may have run out meanwhile.
        let context = CallContext { relayed_by: sender.relayed_by(), ..self.decision_info(decider) };
        let (caller, policy, refused) = sender.stands(access)?;
        let Some(row) = row else { return Err(refused.unwrap_or_else(|| not_found(id)).into()) };
        let judged = match refused {
            Some(error) => Err(error),
            None if !visible(&caller, &row) => Err(not_found(id)),
            None => {
                let people = if policy.four_eyes {
                    behind(tx, &requester_of(&row)?, context.now).await?
                } else {
                    Vec::new()
                };
                self.may_decide(&caller, &policy, &row, &people)
                    .and_then(|()| sender.may_relay(&row, &policy))
            }
        };
        let refusal = judged.err().or_else(|| closed(&row, context.now));
        let Some(error) = refusal else { return Ok(Ok(LockedConfirmation { context, caller, policy, row })) };
        let note = DecisionAudit {
            decision: "denied",
            reason: what,
            error: Some(error.code),
            ..DecisionAudit::default()
        };
        self.write_decision(tx, &context, &caller, &row, note);
        Ok(Err(error))
    }

    /// A human whose own current role could run the action: the user on whose behalf, or an admin; with four eyes none of
    /// the people behind the call.
    fn may_decide(
        &self,
        caller: &Caller,
        policy: &WorkspacePolicy,
        row: &ConfirmationRow,
        people: &[Id],
    ) -> Result<(), ActionError> {
        let refuse = |detail: &str| Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        let Principal::User { user_id } = caller.principal else {
            return refuse("a person decides this with their own token; a key can't");
        };
        let own = row.requester_user_id == Some(user_id);
        if !own && caller.role < Some(Role::Admin) {
            return refuse("only the person for whom it was asked, or an admin, may decide this");
        }
        if policy.four_eyes && people.contains(&user_id) {
            let detail = "with four eyes somebody else decides: you are behind this call, as its requester, as who \
                 made its key, or as who changed its arguments";
            return refuse(detail);
        }
        let meta = self.catalog.registry().get(&row.action);
        let allowed = meta.is_some_and(|meta| role_may(caller, &meta.spec, policy));
        if allowed {
            Ok(())
        } else {
            refuse("your own role may not run this action, so you can't approve it")
        }
    }

    pub(crate) fn decision_info(&self, decider: &DecisionMeta) -> CallContext {
        let now = self.clock.now();
        CallContext {
            call_id: self.ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            surface: decider.surface,
            // Operations never wait for a confirmation.
            offers: ActionKind::Tool,
            idempotency_key: None,
            tool_call: None,
            request_id: decider.request_id.clone(),
            trace_id: decider.trace_id.clone(),
            names_mission: false,
            confirmation: None,
            relayed_by: None,
        }
    }

    /// The audit row of a decision, or of an attempt at one.
    pub(super) fn write_decision(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        caller: &Caller,
        row: &ConfirmationRow,
        note: DecisionAudit,
    ) {
        let subject = |arguments: Value| AuditSubject {
            caller: caller.clone(),
            action: row.action.clone(),
            meta: self.catalog.registry().get(&row.action).cloned(),
            via: Via::Direct,
            arguments,
            creates: false,
            target: row.target_label.clone(),
        };
        let outcome = if note.error.is_some() { "not_run" } else { "succeeded" };
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            outcome,
            ..AuditOutcome::not_run(context, note.decision, note.reason, note.error)
        };
        let asked = subject(serde_json::from_str(&row.arguments).unwrap_or_default());
        let mut entry = audit::row(context, &asked, audit_outcome);
        if let Some(modified) = note.modified {
            let approved = audit::row(context, &subject(modified), audit_outcome);
            // Both are JSON already, masked and cut.
            entry.arguments =
                format!("{{\"asked\":{},\"approved\":{}}}", entry.arguments, approved.arguments);
        }
        entry.kind = "confirmation";
        // Behind the row of the call that ran, which has the same time.
        entry.id = self.ids.new_id(Ts::from_micros(context.now.as_micros() + 1));
        entry.always_allow = note.always_allow;
        tx.audit(entry);
    }
}

/// Why a record that is not open can't be decided. An open one has no such reason.
pub(super) fn closed(row: &ConfirmationRow, now: Ts) -> Option<ActionError> {
    if row.open(now) {
        return None;
    }
    Some(match row.status.as_str() {
        "pending" | "awaiting_phrase" | "expired" => {
            ActionError::new(ErrorCode::Expired, "nobody decided it in time").hint("make the call again")
        }
        "void" | "superseded" => ActionError::new(ErrorCode::Void, "the confirmation no longer applies")
            .hint("make the call again"),
        status => ActionError::new(ErrorCode::AlreadyDecided, format!("it was decided before: `{status}`")),
    })
}

/// What a call is told whose confirmation ended without running.
pub(super) fn ended(row: &ConfirmationRow) -> ActionError {
    match row.status.as_str() {
        "denied" => {
            let why = row.reason.as_deref().map(|reason| format!(": `{reason}`")).unwrap_or_default();
            ActionError::new(ErrorCode::PermissionDenied, format!("a person denied it{why}"))
                .hint("do not repeat the call; ask the person what to do instead")
        }
        "void" | "superseded" => ActionError::new(ErrorCode::Void, "the confirmation no longer applies"),
        _ => ActionError::new(ErrorCode::Expired, "nobody decided it in time"),
    }
}

/// The history with one more step; `by` whom, where it was anybody's doing.
pub(super) fn history(
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
pub(super) async fn take(
    tx: &mut WriteTx,
    id: Id,
    step: &confirmations::Transition<'_>,
) -> Result<(), EarlyExit> {
    let won: Result<bool, StoreError> = confirmations::transition(tx, id, step).await;
    if won? {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::AlreadyDecided, "somebody decided it just now").into())
    }
}

#[cfg(test)]
mod tests;

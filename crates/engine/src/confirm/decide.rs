//! Deciding: who may, in which state, and how a decision is written down.

use serde_json::{Value, json};
use toolcrib_access::{Caller, Principal, WorkspacePolicy, decide};
use toolcrib_model::{ErrorCode, Id, Role, Ts};
use toolcrib_store::{StoreError, WriteTx, confirmations, confirmations::ConfirmationRow};

use super::view::{not_found, visible};
use crate::{
    ActionError, Engine, Via,
    call::{Door, Info},
    gates::{
        audit::{self, Verdict},
        lookup::Subject,
    },
    stop::Stop,
};

/// How a decision came in.
#[derive(Clone, Debug)]
pub struct Decider {
    /// The door.
    pub door: Door,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
}

impl Engine {
    /// The record, held for this decision, if this caller may see it.
    pub(super) async fn held(
        &self,
        tx: &mut WriteTx,
        caller: &Caller,
        id: Id,
    ) -> Result<ConfirmationRow, ActionError> {
        confirmations::lock(tx, id).await?.filter(|row| visible(caller, row)).ok_or_else(|| not_found(id))
    }

    /// A human whose own current role could run the action: the user on whose behalf, or an admin.
    pub(super) fn may_decide(
        &self,
        caller: &Caller,
        policy: &WorkspacePolicy,
        row: &ConfirmationRow,
    ) -> Result<(), ActionError> {
        let refuse = |detail: &str| Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        let Principal::User { user_id } = caller.principal else {
            return refuse("a person decides this with their own token; a key can't");
        };
        let own = row.requester_user_id == Some(user_id);
        if !own && caller.role < Some(Role::Admin) {
            return refuse("only the person for whom it was asked, or an admin, may decide this");
        }
        if policy.four_eyes && own {
            return refuse("in this workspace another person than the requester decides");
        }
        let allowed =
            self.catalog.registry().get(&row.action).is_some_and(|m| decide(caller, &m.spec, policy).allowed);
        if allowed {
            Ok(())
        } else {
            refuse("your own role may not run this action, so you can't approve it")
        }
    }

    pub(super) fn decision_info(&self, decider: &Decider) -> Info {
        let now = self.clock.now();
        Info {
            call_id: self.ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            door: decider.door,
            idempotency_key: None,
            tool_call: None,
            request_id: decider.request_id.clone(),
            trace_id: decider.trace_id.clone(),
            names_mission: false,
            confirmation: None,
        }
    }

    /// The audit row of a decision, or of an attempt at one.
    pub(super) fn write_decision(
        &self,
        tx: &mut WriteTx,
        info: &Info,
        caller: &Caller,
        row: &ConfirmationRow,
        (decision, reason, error): (&'static str, &'static str, Option<ErrorCode>),
    ) {
        let subject = Subject {
            caller: caller.clone(),
            action: row.action.clone(),
            meta: self.catalog.registry().get(&row.action).cloned(),
            via: Via::Direct,
            arguments: serde_json::from_str(&row.arguments).unwrap_or_default(),
            target: row.target_label.clone(),
        };
        let outcome = if error.is_some() { "not_run" } else { "succeeded" };
        let verdict = Verdict {
            confirmation_id: Some(row.id),
            outcome,
            ..Verdict::not_run(info, decision, reason, error)
        };
        let mut entry = audit::row(info, &subject, verdict);
        entry.kind = "confirmation";
        entry.id = self.ids.new_id(info.now);
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

/// The history with one more step.
pub(super) fn history(
    row: &ConfirmationRow,
    now: Ts,
    status: &str,
    by: Id,
    replaced: Option<&Value>,
) -> String {
    let mut steps: Vec<Value> = serde_json::from_str(&row.history).unwrap_or_default();
    let mut step = json!({ "at": now, "status": status, "by": by });
    if let (Some(replaced), Some(fields)) = (replaced, step.as_object_mut()) {
        fields.insert("replaced_arguments".into(), replaced.clone());
    }
    steps.push(step);
    Value::Array(steps).to_string()
}

/// Takes a step, or tells that somebody else was first.
pub(super) async fn take(tx: &mut WriteTx, id: Id, step: &confirmations::Step<'_>) -> Result<(), Stop> {
    let won: Result<bool, StoreError> = confirmations::step(tx, id, step).await;
    if won? {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::AlreadyDecided, "somebody decided it just now").into())
    }
}

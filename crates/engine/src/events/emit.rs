//! Emits the events of calls and confirmations, and the notifications of users.
//!
//! Every event and notification is part of the commit that it reports. The gates decide what is emitted and
//! call the functions of this module.
//!
//! A call with a session emits `tool_request`, then one of `tool_use`, `awaiting_permission` and
//! `permission_denied`. A call that waits for a confirmation emits, with or without a session,
//! `awaiting_permission`, then one of `permission_granted` (and `tool_use`), `permission_denied` and
//! `permission_expired`.
//!
//! To add an event: add a function here that makes it from [`CallEvents`], call it where the event happens,
//! and add a line to `docs/events.md`.

mod call;
mod people;
mod truncate;

use serde_json::{Value, json};
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, Id, IdGen, Outcome, Ts};
use toolcrib_registry::{ActionRegistry, Permission};
use toolcrib_store::{
    EventRow, StoreError, WriteTx, confirmations::ConfirmationRow, notifications, open_calls::OpenCallRow,
};

use crate::base::{ActionError, CallContext, CallFacts};
use call::CallEvents;
pub(crate) use people::notify_of_call;
pub use people::{NotificationText, notify_admins};

/// The source of ids and the time for new rows.
#[derive(Clone, Copy)]
pub struct Stamp<'m> {
    pub ids: &'m dyn IdGen,
    pub now: Ts,
}

impl Stamp<'_> {
    pub fn new_id(self) -> Id {
        self.ids.new_id(self.now)
    }

    /// Makes a domain event, such as `agent.created`, of no conversation and no user. Readers need `permission`.
    pub fn domain(self, workspace_id: Id, name: &str, permission: &str, data: Value) -> EventRow {
        EventRow {
            workspace_id,
            id: self.new_id(),
            name: name.to_owned(),
            kind: "domain",
            session: None,
            user_id: None,
            permission: Some(permission.to_owned()),
            data,
            occurred_at: self.now,
        }
    }

    /// Emits a domain event in the transaction.
    pub fn emit(self, tx: &mut WriteTx, name: &str, permission: &str, data: Value) {
        tx.event(self.domain(tx.workspace(), name, permission, data));
    }
}

/// A call that waits for a confirmation, with what its notifications need.
pub(crate) struct AwaitingCall<'q> {
    pub facts: &'q CallFacts,
    pub policy: &'q WorkspacePolicy,
    /// The permission that the action needs.
    pub permission: &'q Permission,
    /// The URL at which a person decides.
    pub approve_url: &'q str,
}

/// Returns the events of a call that ran, successfully if `well`. Empty if the call has no session.
pub(crate) fn ran(ids: &dyn IdGen, context: &CallContext, facts: &CallFacts, well: bool) -> Vec<EventRow> {
    let Some(call) = CallEvents::of_conversation(context, facts) else { return Vec::new() };
    let stamp = Stamp { ids, now: context.now };
    vec![call.event(stamp, "tool_request", json!({})), call.used(stamp, well)]
}

/// Returns the events of a call whose request is sent to an upstream. Its end has others.
pub(crate) fn started(ids: &dyn IdGen, context: &CallContext, facts: &CallFacts) -> Vec<EventRow> {
    let Some(call) = CallEvents::of_conversation(context, facts) else { return Vec::new() };
    vec![call.event(Stamp { ids, now: context.now }, "tool_request", json!({}))]
}

/// Returns the events of a call that the caller runs: with or without a session, because whoever runs it waits for
/// them.
pub(crate) fn to_run(
    ids: &dyn IdGen,
    context: &CallContext,
    facts: &CallFacts,
    claim_by: Option<Ts>,
) -> Vec<EventRow> {
    let Some(call) = CallEvents::of_call(context, facts) else { return Vec::new() };
    let stamp = Stamp { ids, now: context.now };
    let data = json!({ "claim": claim_by.is_some(), "claim_by": claim_by });
    let request = facts.caller.session.is_some().then(|| call.event(stamp, "tool_request", json!({})));
    request.into_iter().chain([call.event(stamp, "client_execution_required", data)]).collect()
}

/// Emits the events of a call that ended, which the caller ran or should have run.
pub(crate) fn call_ended(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &OpenCallRow,
    outcome: Outcome,
) {
    let call = CallEvents::of_open_call(registry, tx.workspace(), row);
    tx.event(call.event(stamp, "call.ended", json!({ "outcome": outcome })));
    if row.session.is_some() {
        tx.event(call.used(stamp, outcome == Outcome::Succeeded));
    }
}

/// Returns the events of a call that was refused or rolled back. Only a call that was denied or that ran has
/// events.
pub(crate) fn refused(
    ids: &dyn IdGen,
    context: &CallContext,
    facts: &CallFacts,
    error: &ActionError,
    decision: AuditDecision,
    ran: bool,
) -> Vec<EventRow> {
    if !ran && decision != AuditDecision::Denied {
        return Vec::new();
    }
    let Some(call) = CallEvents::of_conversation(context, facts) else { return Vec::new() };
    let stamp = Stamp { ids, now: context.now };
    let last = if ran {
        call.used(stamp, false)
    } else {
        call.event(stamp, "permission_denied", json!({ "reason": error.detail }))
    };
    vec![call.event(stamp, "tool_request", json!({})), last]
}

/// Emits the events of a call that now waits for a confirmation, and notifies those who may approve it.
pub(crate) async fn awaiting_permission(
    stamp: Stamp<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    awaiting: &AwaitingCall<'_>,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    let facts = awaiting.facts;
    if let Some(call) = CallEvents::of_awaiting(context, facts, row) {
        if facts.caller.session.is_some() {
            tx.event(call.event(stamp, "tool_request", json!({})));
        }
        tx.event(call.event(stamp, "awaiting_permission", waiting(row)));
    }
    people::approvers(stamp, context, tx, awaiting, row).await
}

/// Emits the events of an approved call that ran, successfully if `well`.
pub(crate) fn approved(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    facts: &CallFacts,
    call_id: Id,
    well: bool,
) {
    granted(registry, stamp, tx, row, facts, call_id);
    let call =
        CallEvents::of_confirmation(registry, tx.workspace(), row, Some(call_id)).with(&facts.arguments);
    tx.event(call.used(stamp, well));
}

/// Emits the event of an approval whose call starts, here or outside of this service.
pub(crate) fn granted(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    facts: &CallFacts,
    call_id: Id,
) {
    let call =
        CallEvents::of_confirmation(registry, tx.workspace(), row, Some(call_id)).with(&facts.arguments);
    tx.event(call.event(stamp, "permission_granted", json!({ "confirmation_level": row.level })));
}

/// Emits the event of a confirmation that ended without a run: a person denied it, or it no longer applied.
pub(crate) async fn denied(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    ended(registry, stamp, tx, row, "permission_denied", reason).await
}

/// Emits the event of a confirmation that expired, and notifies the requester and their user.
pub(crate) async fn expired(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    ended(registry, stamp, tx, row, "permission_expired", None).await?;
    people::not_decided(stamp, tx, row).await
}

async fn ended(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    name: &str,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    let asked_by = notifications::asking_call(tx, row.id, row.created_at).await?;
    let call = CallEvents::of_confirmation(registry, tx.workspace(), row, asked_by);
    let more = json!({ "confirmation_level": row.level, "reason": reason });
    tx.event(call.event(stamp, name, more));
    Ok(())
}

/// Returns the data of `awaiting_permission`, for user interfaces.
fn waiting(row: &ConfirmationRow) -> Value {
    let summary: Value = serde_json::from_str(&row.call.summary).unwrap_or_default();
    json!({ "confirmation_level": row.level, "summary": summary, "expires_at": row.expires_at })
}

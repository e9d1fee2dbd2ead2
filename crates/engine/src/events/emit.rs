//! What is told beside answers: events of calls and of confirmations as they go on, and notifications for people.
//!
//! Everything is written in the commit of what it tells of. Nothing here decides; the gates call it when they did.
//!
//! A call of a conversation (it names a session) tells `tool_request`, then one of `tool_use`, `awaiting_permission`
//! and `permission_denied`. A call that waits tells, whatever its session, `awaiting_permission`, then one of
//! `permission_granted` (and `tool_use`), `permission_denied` and `permission_expired`.
//!
//! To add an event: a function here that makes it from a [`CallEvents`], one line where it happens, its line in
//! `docs/events.md`.

mod call;
mod people;
mod truncate;

use serde_json::{Value, json};
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, Id, IdGen, Ts};
use toolcrib_registry::{ActionRegistry, Permission};
use toolcrib_store::{EventRow, StoreError, WriteTx, confirmations::ConfirmationRow, notifications};

use crate::{
    audit::AuditSubject,
    base::{ActionError, CallContext},
};
use call::CallEvents;

/// Where ids come from, and what time it is.
#[derive(Clone, Copy)]
pub(crate) struct Stamp<'m> {
    pub ids: &'m dyn IdGen,
    pub now: Ts,
}

/// A call that waits for a human, for those who are told.
pub(crate) struct AskedCall<'q> {
    pub subject: &'q AuditSubject,
    pub policy: &'q WorkspacePolicy,
    /// What running it needs.
    pub permission: Permission,
    /// Where a human decides.
    pub approve_url: &'q str,
}

/// A call that ran, well or not. Nothing outside of conversations.
pub(crate) fn ran(
    ids: &dyn IdGen,
    context: &CallContext,
    subject: &AuditSubject,
    well: bool,
) -> Vec<EventRow> {
    let Some(call) = CallEvents::of_conversation(context, subject) else { return Vec::new() };
    let stamp = Stamp { ids, now: context.now };
    vec![call.event(stamp, "tool_request", json!({})), call.used(stamp, well)]
}

/// A call that was refused or taken back: where rights were missing, or it ran.
pub(crate) fn refused(
    ids: &dyn IdGen,
    context: &CallContext,
    subject: &AuditSubject,
    error: &ActionError,
    (decision, ran): (AuditDecision, bool),
) -> Vec<EventRow> {
    if !ran && decision != AuditDecision::Denied {
        return Vec::new();
    }
    let Some(call) = CallEvents::of_conversation(context, subject) else { return Vec::new() };
    let stamp = Stamp { ids, now: context.now };
    let last = if ran {
        call.used(stamp, false)
    } else {
        call.event(stamp, "permission_denied", json!({ "reason": error.detail }))
    };
    vec![call.event(stamp, "tool_request", json!({})), last]
}

/// A call that waits for a human from now on: told to whoever looks, and to those who may approve it.
pub(crate) async fn asked(
    stamp: Stamp<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    question: &AskedCall<'_>,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    let subject = question.subject;
    if let Some(call) = CallEvents::of_asking(context, subject, row) {
        if subject.caller.session.is_some() {
            tx.event(call.event(stamp, "tool_request", json!({})));
        }
        tx.event(call.event(stamp, "awaiting_permission", waiting(row)));
    }
    people::approvers(stamp, context, tx, question, row).await
}

/// An approved call that ran, well or not.
pub(crate) fn approved(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    ran: (&AuditSubject, Id, bool),
) {
    let (subject, call_id, well) = ran;
    let call =
        CallEvents::of_confirmation(registry, tx.workspace(), row, Some(call_id)).with(&subject.arguments);
    let granted = call.event(stamp, "permission_granted", json!({ "confirmation_level": row.level }));
    tx.event(granted);
    tx.event(call.used(stamp, well));
}

/// A confirmation that ended without a run: a human said no, or it no longer applied.
pub(crate) async fn denied(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    ended(registry, stamp, tx, row, ("permission_denied", reason)).await
}

/// A confirmation that nobody decided in time: told to whoever looks, to the requester and to their user.
pub(crate) async fn expired(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    ended(registry, stamp, tx, row, ("permission_expired", None)).await?;
    people::waited_in_vain(stamp, tx, row).await
}

/// A successful call that the workspace's admins hear of, unless it was their own.
pub(crate) async fn admins(
    stamp: Stamp<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    subject: &AuditSubject,
    description: &str,
) -> Result<(), StoreError> {
    people::admins(stamp, context, tx, subject, description).await
}

/// Something that the workspace's other admins must know, in its own words.
pub(crate) async fn other_admins(
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    except: Option<Id>,
    words: (&'static str, String, String),
    data: &Value,
) -> Result<(), StoreError> {
    people::other_admins(stamp, tx, except, words, data).await
}

async fn ended(
    registry: &ActionRegistry,
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    (name, reason): (&str, Option<&str>),
) -> Result<(), StoreError> {
    let asked_by = notifications::asking_call(tx, row.id, row.created_at).await?;
    let call = CallEvents::of_confirmation(registry, tx.workspace(), row, asked_by);
    let more = json!({ "confirmation_level": row.level, "reason": reason });
    tx.event(call.event(stamp, name, more));
    Ok(())
}

/// What a front end shows of a confirmation.
fn waiting(row: &ConfirmationRow) -> Value {
    let summary: Value = serde_json::from_str(&row.call.summary).unwrap_or_default();
    json!({ "confirmation_level": row.level, "summary": summary, "expires_at": row.expires_at })
}

/// Whether in this workspace the requester's own user may approve.
fn own_may_approve(policy: &WorkspacePolicy) -> bool {
    !policy.four_eyes
}

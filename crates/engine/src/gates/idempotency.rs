//! Gate 7: returns the stored response to a call with the same key and arguments. Refuses the same key with
//! other arguments.

use std::{cell::LazyCell, fmt::Display};

use serde_json::json;
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, ErrorCode, Id, Ts};
use toolcrib_registry::{Level, digest};
use toolcrib_store::{StoreError, Tx, WriteTx, idempotency};

use super::{early_exit::EarlyExit, lookup::FoundCall};
use crate::{
    base::{ActionError, CallContext, CallFacts},
    response::Outcome,
};

/// Seconds for which an `Idempotency-Key` is stored.
const HEADER_SECONDS: i64 = 24 * 3600;
/// Seconds for which a provider's call id is stored. Long enough for a request that is sent again, and short, because
/// several client libraries number the calls of each turn anew.
const TOOL_CALL_SECONDS: i64 = 60;

/// The longest key that is stored as it is, in bytes.
const MAX_KEY_LEN: usize = 512;

/// The idempotency key of a call.
#[derive(Clone, Debug)]
pub struct Key {
    text: String,
    given_digest: String,
    expires_at: Ts,
}

impl Key {
    /// Returns the text under which the response is stored.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A stored response.
pub struct Stored {
    pub facts: CallFacts,
    pub policy: WorkspacePolicy,
    pub state: KeyState,
}

/// What is stored under a key.
pub enum KeyState {
    /// The call was sent to an upstream and has not ended.
    Begun,
    /// The call waits for this confirmation, whose current state is the response.
    Waiting(Id),
    /// The call has ended.
    Ended(Outcome),
}

/// Returns the text of a call's key: its header, or the provider's call id together with format, session and
/// `given`. For a long id it is a digest: some gateways put a page of text into an id, and an index holds the key.
pub fn key_text<T: Display>(
    context: &CallContext,
    session: Option<&str>,
    given: impl FnOnce() -> T,
) -> Option<String> {
    if let Some(key) = &context.idempotency_key {
        return Some(format!("key:{key}"));
    }
    let call = context.tool_call.as_ref().filter(|call| !call.id.is_empty())?;
    let text = format!("call:{}:{}:{}:{}", call.format, session.unwrap_or(""), call.id, given());
    Some(if text.len() <= MAX_KEY_LEN { text } else { format!("call:{}", digest(&text.into())) })
}

/// Returns the key of a call, with the digest of its arguments as received. Reads have none. An approved call
/// has none, because its key was checked when the confirmation was requested.
pub(super) fn key(context: &CallContext, call: &FoundCall) -> Option<Key> {
    if call.spec().level == Level::Read || context.confirmation.is_some() {
        return None;
    }
    let (arguments, caller) = (&call.facts().arguments, &call.facts().caller);
    // A header of the action's pack is part of what the call asks for.
    let pack = call.spec().category.pack();
    let given_digest = LazyCell::new(|| match pack.and_then(|pack| caller.pack_contexts.get(pack.slug)) {
        Some(context) => digest(&json!([arguments, context])),
        None => digest(arguments),
    });
    let text = key_text(context, call.facts().caller.session.as_deref(), || &*given_digest)?;
    let seconds = if context.idempotency_key.is_some() { HEADER_SECONDS } else { TOOL_CALL_SECONDS };
    Some(Key { text, expires_at: context.now.plus_seconds(seconds), given_digest: given_digest.clone() })
}

/// Ends a call whose key has a stored response.
pub(super) async fn check(
    context: &CallContext,
    tx: &mut Tx,
    call: &FoundCall,
    key: &Key,
) -> Result<(), EarlyExit> {
    let principal = call.facts().caller.principal.key();
    let named = idempotency::IdempotencyKey { principal, action: &call.spec().name, key: &key.text };
    match idempotency::find(tx, named, context.now).await? {
        None => Ok(()),
        Some(row) if row.arguments_digest != key.given_digest => {
            Err(call.refuse(mismatch(), AuditDecision::Invalid, "idempotency_mismatch"))
        }
        Some(row) => Err(replay(call, &row)),
    }
}

fn mismatch() -> ActionError {
    ActionError::new(ErrorCode::IdempotencyMismatch, "this `Idempotency-Key` was used with other arguments")
        .hint("use a new key for a new call")
}

fn replay(call: &FoundCall, row: &idempotency::Row) -> EarlyExit {
    let state = match (row.confirmation_id, row.status, &row.body) {
        (Some(id), ..) => KeyState::Waiting(id),
        (None, Some(status), Some(body)) => match Outcome::of_stored(status, body) {
            Ok(outcome) => KeyState::Ended(outcome),
            Err(error) => return ActionError::internal(format!("stored response: {error}")).into(),
        },
        _ => return EarlyExit::InProgress,
    };
    let (facts, policy) = (call.facts().clone(), call.policy().clone());
    EarlyExit::Replay(Box::new(Stored { facts, policy, state }))
}

/// Stores the state of the key in the transaction of the effect. Returns `false` if another process has stored one
/// first: the transaction must then be rolled back and the call looked up again.
pub async fn store(
    context: &CallContext,
    tx: &mut WriteTx,
    call: &FoundCall,
    key: &Key,
    state: &KeyState,
) -> Result<bool, EarlyExit> {
    let mut row = idempotency::Row {
        arguments_digest: key.given_digest.clone(),
        status: None,
        body: None,
        confirmation_id: None,
    };
    match state {
        KeyState::Begun => {}
        KeyState::Waiting(id) => row.confirmation_id = Some(*id),
        KeyState::Ended(outcome) => {
            row.status = Some(outcome.status().into());
            row.body = Some(outcome.to_json());
        }
    }
    let principal = call.facts().caller.principal.key();
    let named = idempotency::IdempotencyKey { principal, action: &call.spec().name, key: &key.text };
    match idempotency::insert(tx, named, &row, context.now, key.expires_at).await {
        Ok(()) => Ok(true),
        Err(StoreError::Duplicate) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

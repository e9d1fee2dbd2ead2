//! Gate 7: returns the stored response to a call with the same key and arguments. Refuses the same key with
//! other arguments.

use std::{cell::LazyCell, fmt::Display};

use serde_json::json;
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, ErrorCode, Id, Ts};
use toolcrib_registry::{Level, digest};
use toolcrib_store::{
    StoreError, Tx, WriteTx,
    idempotency::{self, IdempotencyKey},
};

use super::{early_exit::EarlyExit, lookup::FoundCall};
use crate::{
    base::{ActionError, CallContext, CallFacts, CallKey},
    response::Outcome,
};

/// Seconds for which an `Idempotency-Key` is stored.
const HEADER_SECONDS: i64 = 24 * 3600;
/// Seconds for which a provider's call id is stored. Long enough for a request that is sent again, and short, because
/// several client libraries number the calls of each turn anew.
const TOOL_CALL_SECONDS: i64 = 60;

/// Seconds for which the key of an assistant's call is stored: longer than the week that its confirmation may wait, and
/// the time of its run after that.
const RUN_SECONDS: i64 = 10 * 24 * 3600;

/// Stored in place of the arguments' digest for a closed call, which must never run.
const CLOSED: &str = "closed";

/// The prefix of the keys of assistants' calls.
const RUN: &str = "run:";

/// The longest key that is stored as it is, in bytes.
const MAX_KEY_LEN: usize = 512;

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
    match &context.idempotency_key {
        Some(CallKey::Header(key)) => return Some(format!("key:{key}")),
        Some(CallKey::Run(id)) => return Some(run_key(*id)),
        None => {}
    }
    let call = context.tool_call.as_ref().filter(|call| !call.id.is_empty())?;
    let text = format!("call:{}:{}:{}:{}", call.format, session.unwrap_or(""), call.id, given());
    Some(if text.len() <= MAX_KEY_LEN { text } else { format!("call:{}", digest(&text.into())) })
}

/// Returns the text of the key of an assistant's call.
pub fn run_key(id: Id) -> String {
    format!("{RUN}{id}")
}

/// Returns where a key is stored. That of an assistant's call is for one call, whatever action the model named.
pub fn stored_key<'k>(principal: Id, action: &'k str, key: &'k str) -> IdempotencyKey<'k> {
    IdempotencyKey { principal, action: if key.starts_with(RUN) { RUN } else { action }, key }
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
    let seconds = match context.idempotency_key {
        Some(CallKey::Header(_)) => HEADER_SECONDS,
        Some(CallKey::Run(_)) => RUN_SECONDS,
        None => TOOL_CALL_SECONDS,
    };
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
    match idempotency::find(tx, stored_key(principal, &call.spec().name, &key.text), context.now).await? {
        None => Ok(()),
        Some(row) if row.arguments_digest != key.given_digest && row.arguments_digest != CLOSED => {
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
    let state = match KeyState::of(row) {
        Ok(KeyState::Begun) => return EarlyExit::InProgress,
        Ok(state) => state,
        Err(error) => return error.into(),
    };
    let (facts, policy) = (call.facts().clone(), call.policy().clone());
    EarlyExit::Replay(Box::new(Stored { facts, policy, state }))
}

impl KeyState {
    /// Reads the state of a stored key.
    fn of(row: &idempotency::Row) -> Result<Self, ActionError> {
        match (row.confirmation_id, row.status, &row.body) {
            (Some(id), ..) => Ok(Self::Waiting(id)),
            (None, Some(status), Some(body)) => Outcome::of_stored(status, body)
                .map(Self::Ended)
                .map_err(|error| ActionError::internal(format!("stored response: {error}"))),
            _ => Ok(Self::Begun),
        }
    }
}

/// Returns the state of the key of an assistant's call; `None` if the call has not begun.
pub async fn run_state(tx: &mut Tx, principal: Id, id: Id, now: Ts) -> Result<Option<KeyState>, ActionError> {
    let row = idempotency::find(tx, stored_key(principal, RUN, &run_key(id)), now).await?;
    row.as_ref().map(KeyState::of).transpose()
}

/// Stores the answer of an assistant's call that has not begun, so that it never runs. Returns whether it had not.
pub async fn close_run(
    tx: &mut WriteTx,
    principal: Id,
    id: Id,
    now: Ts,
    answer: &Outcome,
) -> Result<bool, StoreError> {
    let row = idempotency::Row {
        arguments_digest: CLOSED.to_owned(),
        status: Some(answer.status().into()),
        body: Some(answer.to_json()),
        confirmation_id: None,
    };
    let key = run_key(id);
    let stored = stored_key(principal, RUN, &key);
    match idempotency::insert(tx, stored, &row, now, now.plus_seconds(RUN_SECONDS)).await {
        Ok(()) => Ok(true),
        Err(StoreError::Duplicate) => Ok(false),
        Err(error) => Err(error),
    }
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
    let named = stored_key(principal, &call.spec().name, &key.text);
    match idempotency::insert(tx, named, &row, context.now, key.expires_at).await {
        Ok(()) => Ok(true),
        Err(StoreError::Duplicate) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

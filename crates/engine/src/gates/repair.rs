//! Validates the arguments of a call and repairs those of models.
//!
//! What has one meaning is repaired in every call of a model. What is only likely is repaired in a read; a write is
//! answered with the corrected call, which the model makes if it agrees. Everything else is an error that says what is
//! missing or unclear. Nothing that was given is lost.

use serde_json::{Map, Value};
use toolcrib_model::{ErrorCode, Via};
use toolcrib_registry::{Level, coerce, coerce_integers, correct, required_of};

use super::{dispatch::Guess, lookup::FoundCall};
use crate::base::{ActionError, Respelled};

/// Validates the arguments against the published schema. Changes only arguments that are not valid as they are.
pub fn validate(call: &mut FoundCall) -> Result<(), ActionError> {
    let meta = call.meta().clone();
    let (lenient, dispatched) = (call.is_lenient(), call.facts().via == Via::Dispatcher);
    let facts = call.facts_mut();
    if lenient {
        facts.repaired.extend(coerce(meta.input.value(), &mut facts.arguments));
    } else {
        coerce_integers(meta.input.value(), &mut facts.arguments);
    }
    let errors = meta.input.check(&mut facts.arguments);
    let is_read = meta.spec.level == Level::Read;
    if errors.is_empty() {
        return match call.guess() {
            Some(guess) if !is_read => {
                Err(ask_back(call, guess).corrected(&meta, &call.facts().arguments, dispatched))
            }
            _ => Ok(()),
        };
    }
    match correct(&meta, &call.facts().arguments) {
        Some(right) if lenient && is_read && right.complete => {
            let facts = call.facts_mut();
            facts.arguments = right.arguments;
            facts.repaired.extend(right.changed);
            Ok(())
        }
        Some(right) => Err(ActionError::invalid_all(errors).corrected(&meta, &right.arguments, dispatched)),
        None => Err(ActionError::invalid_all(errors)),
    }
}

/// The keyword of a parameter that takes a reference.
const REFERENCE: &str = "x-reference";

/// Changes the references of a model's call that were not found as `error` says: to the name of the one record that
/// they can mean. A word such as `none` is left out of a read, where the parameter is optional. Returns whether
/// something changed; then the references are looked up again.
pub fn respell(call: &mut FoundCall, error: &ActionError) -> bool {
    let Some(respelled) = error.respelled.as_deref().filter(|_| call.is_lenient()) else { return false };
    if respelled.name.is_none() && call.spec().level != Level::Read {
        return false;
    }
    let meta = call.meta().clone();
    let facts = call.facts_mut();
    let changed = rewrite(meta.input.value(), &mut facts.arguments, respelled);
    let respells = !changed.is_empty();
    facts.repaired.extend(changed);
    respells
}

/// Adds the call without a reference that is a word such as `none`: in a write, it may also mean that the field is to
/// be emptied.
pub fn with_call_without_reference(call: &FoundCall, error: ActionError) -> ActionError {
    let Some(respelled) = error.respelled.clone().filter(|respelled| respelled.name.is_none()) else {
        return error;
    };
    let (meta, facts) = (call.meta(), call.facts());
    let mut arguments = facts.arguments.clone();
    if rewrite(meta.input.value(), &mut arguments, &respelled).is_empty() {
        return error;
    }
    error.corrected(meta, &arguments, facts.via == Via::Dispatcher)
}

/// Replaces or removes the references at the top of the arguments. Returns the JSON pointers of what changed.
fn rewrite(schema: &Value, arguments: &mut Value, respelled: &Respelled) -> Vec<String> {
    let required = |key: &str| required_of(schema).any(|name| name == key);
    let Some(fields) = arguments.as_object_mut() else { return Vec::new() };
    let keys: Vec<String> = references(schema, fields, &respelled.given);
    let changed = keys.into_iter().filter(|key| match &respelled.name {
        Some(name) => {
            fields.insert(key.clone(), name.clone().into()).as_ref() != Some(&Value::from(name.as_str()))
        }
        None => !required(key) && fields.shift_remove(key).is_some(),
    });
    changed.map(|key| format!("/{key}")).collect()
}

/// Returns the parameters that take a reference and have this one.
fn references(schema: &Value, fields: &Map<String, Value>, given: &str) -> Vec<String> {
    let takes = |key: &str| schema.pointer(&format!("/properties/{key}/{REFERENCE}")).is_some();
    let has = |value: &Value| value.as_str().is_some_and(|text| text.trim() == given.trim());
    fields.iter().filter(|(key, value)| takes(key) && has(value)).map(|(key, _)| key.clone()).collect()
}

/// Makes the error for a write whose reading is only likely.
fn ask_back(call: &FoundCall, guess: &Guess) -> ActionError {
    match guess {
        Guess::Name(given) => {
            let given: String = given.chars().take(80).collect();
            ActionError::new(ErrorCode::UnknownAction, format!("there is no action `{given}`"))
                .hint(format!("did you mean `{}`", call.spec().name))
        }
        Guess::Prose => {
            ActionError::invalid("", "prose", "the arguments must be JSON without text around it")
        }
    }
}

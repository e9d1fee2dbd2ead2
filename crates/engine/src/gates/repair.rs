//! Validates the arguments of a call and repairs those of models.
//!
//! What has one meaning is repaired in every call of a model. What is only likely is repaired in a read; a write is
//! answered with the corrected call, which the model makes if it agrees. Everything else is an error that says what is
//! missing or unclear. Nothing that was given is lost.

use toolcrib_model::{ErrorCode, Via};
use toolcrib_registry::{Level, coerce, coerce_integers, correct};

use super::{dispatch::Guess, lookup::KnownAction};
use crate::base::ActionError;

/// Validates the arguments against the published schema. Changes only arguments that are not valid as they are.
pub fn validate(action: &mut KnownAction) -> Result<(), ActionError> {
    let meta = action.meta().clone();
    let (lenient, dispatched) = (action.is_lenient(), action.subject().via == Via::Dispatcher);
    let subject = action.subject_mut();
    if lenient {
        subject.repaired.extend(coerce(meta.input.value(), &mut subject.arguments));
    } else {
        coerce_integers(meta.input.value(), &mut subject.arguments);
    }
    let errors = meta.input.check(&mut subject.arguments);
    let is_read = meta.spec.level == Level::Read;
    if errors.is_empty() {
        return match action.guess() {
            Some(guess) if !is_read => {
                Err(ask_back(action, guess).corrected(&meta, &action.subject().arguments, dispatched))
            }
            _ => Ok(()),
        };
    }
    match correct(&meta, &action.subject().arguments) {
        Some(right) if lenient && is_read && right.complete => {
            let subject = action.subject_mut();
            subject.arguments = right.arguments;
            subject.repaired.extend(right.changed);
            Ok(())
        }
        Some(right) => Err(ActionError::invalid_all(errors).corrected(&meta, &right.arguments, dispatched)),
        None => Err(ActionError::invalid_all(errors)),
    }
}

/// Makes the error for a write whose reading is only likely.
fn ask_back(action: &KnownAction, guess: &Guess) -> ActionError {
    match guess {
        Guess::Name(given) => {
            let given: String = given.chars().take(80).collect();
            ActionError::new(ErrorCode::UnknownAction, format!("there is no action `{given}`"))
                .hint(format!("did you mean `{}`", action.spec().name))
        }
        Guess::Prose => {
            ActionError::invalid("", "prose", "the arguments must be JSON without text around it")
        }
    }
}

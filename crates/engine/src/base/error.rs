//! Why a call was refused or failed: what the caller is told, apart from what the log is told.

use toolcrib_model::ErrorCode;
use toolcrib_registry::{ArgError, UntrustedSource};
use toolcrib_store::StoreError;

/// Why a call was refused or failed. Everything but `internal` is shown to the caller.
#[derive(Clone, Debug)]
pub struct ActionError {
    /// The stable code; it decides the HTTP status.
    pub code: ErrorCode,
    /// What happened: lower case, no full stop, user input in backticks.
    pub detail: String,
    /// What to do instead.
    pub hint: Option<String>,
    /// What is wrong with the arguments, each with a pointer.
    pub errors: Vec<ArgError>,
    /// Seconds to wait before trying again.
    pub retry_after: Option<u64>,
    /// The same call, mended, ready to be made.
    pub call: Option<serde_json::Value>,
    /// The source of other people's words that `detail` or `hint` quotes.
    pub quotes: Option<UntrustedSource>,
    /// For the log alone.
    pub internal: Option<String>,
    /// For the audit log: why, in one word.
    pub reason: Option<&'static str>,
}

impl ActionError {
    /// An error with nothing but a code and a sentence.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            hint: None,
            errors: Vec::new(),
            retry_after: None,
            call: None,
            quotes: None,
            internal: None,
            reason: None,
        }
    }

    /// It does not exist in this workspace (or belongs to another one: the answer is the same).
    pub fn not_found(what: &str, reference: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} `{reference}` in this workspace"))
    }

    /// The state forbids it.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, detail)
    }

    /// One argument is wrong in a way that no schema can state.
    pub fn invalid(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid_all(vec![ArgError::new(pointer, code, message)])
    }

    /// Several arguments are not valid.
    pub fn invalid_all(errors: Vec<ArgError>) -> Self {
        let mut error = Self::new(ErrorCode::InvalidArguments, summary(&errors));
        error.errors = errors;
        error
    }

    /// Something broke here; the caller learns nothing but the code.
    pub fn internal(what: impl Into<String>) -> Self {
        let mut error = Self::new(ErrorCode::Internal, "the service failed");
        error.internal = Some(what.into());
        error
    }

    /// Adds why, in one word, for the audit log.
    #[must_use]
    pub fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Says that `detail` or `hint` quotes other people's words, and of which source, such as `agents`: models are told so.
    #[must_use]
    pub fn quoting(mut self, source: &str) -> Self {
        self.quotes = UntrustedSource::named(source);
        self
    }

    /// Adds what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn summary(errors: &[ArgError]) -> String {
    match errors {
        // A message that begins with the parameter's name does not need it twice.
        [one] if one.pointer.is_empty() || one.message.starts_with('`') => one.message.clone(),
        [one] => format!("`{}` {}", one.pointer.trim_start_matches('/'), one.message),
        many => format!("{} arguments are not valid", many.len()),
    }
}

impl From<StoreError> for ActionError {
    fn from(fault: StoreError) -> Self {
        let (code, detail) = match &fault {
            StoreError::Unavailable(_) => {
                (ErrorCode::StoreUnavailable, "the database is unavailable; nothing was done")
            }
            StoreError::AccessRowUnreadable(_) => {
                (ErrorCode::AuthorizationUnavailable, "your permissions can't be read now; nothing was done")
            }
            StoreError::NotCommitted(_) => {
                (ErrorCode::AuditUnavailable, "the audit row can't be written now; nothing was done")
            }
            StoreError::InDoubt(_) => (
                ErrorCode::OutcomeUnknown,
                "the connection to the database was lost during the commit: the call may have been done or not",
            ),
            StoreError::Timeout => (ErrorCode::Timeout, "the call took too long; nothing was done"),
            StoreError::Duplicate => (ErrorCode::Conflict, "it exists already"),
            StoreError::Inconsistent(_) | StoreError::Setup(_) | StoreError::Statement(_) => {
                (ErrorCode::Internal, "the service failed")
            }
        };
        let mut error = Self::new(code, detail);
        error.internal = Some(fault.to_string());
        if code == ErrorCode::OutcomeUnknown {
            return error
                .hint("check whether it was done, or repeat the call with the same `Idempotency-Key`");
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_wrong_are_told_in_one_sentence() {
        let wrong = |pointers: &[&str]| {
            let errors = pointers.iter().map(|pointer| ArgError::new(pointer, "type", "must be text"));
            ActionError::invalid_all(errors.collect()).detail
        };
        assert_eq!(wrong(&[""]), "must be text");
        assert_eq!(wrong(&["/name"]), "`name` must be text");
        assert_eq!(wrong(&["/name", "/tags/0"]), "2 arguments are not valid");
    }
}

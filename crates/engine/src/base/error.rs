//! The error of a call: the part for the caller and the part for the log.

use serde_json::Value;
use toolcrib_auth::{AuthError, jwks, secret_cipher::CipherError, token_words};
use toolcrib_connectors::upstream::SendError;
use toolcrib_model::ErrorCode;
use toolcrib_registry::{ActionMeta, ArgError, call_of};
use toolcrib_store::StoreError;

use super::mask;

/// Why a call was refused or failed. The caller sees every field but `internal` and `reason`.
#[derive(Clone, Debug)]
pub struct ActionError {
    /// The stable error code. It determines the HTTP status.
    pub code: ErrorCode,
    /// What happened: lower case, no full stop, user input in backticks.
    pub detail: String,
    /// What the caller can do instead.
    pub hint: Option<String>,
    /// The invalid arguments, each with a JSON pointer.
    pub errors: Vec<ArgError>,
    /// Seconds to wait before a retry.
    pub retry_after: Option<u64>,
    /// Whether the same call fails until somebody changes something, although other errors of the code are passing.
    pub is_permanent: bool,
    /// The corrected call, which the caller can make as it is.
    pub call: Option<Box<Value>>,
    /// How a reference that was not found is written. Calls of models are made again with it.
    pub respelled: Option<Box<Respelled>>,
    /// The source of text by other people that `detail` or `hint` quotes.
    pub quotes: Option<&'static str>,
    /// What the upstream of the call's tool answered. Text by other people.
    pub upstream_message: Option<String>,
    /// The cause. Only the log contains it.
    pub internal: Option<String>,
    /// The reason in one word. Only the audit row contains it.
    pub reason: Option<&'static str>,
}

/// Another spelling of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelled {
    /// The reference as it was given.
    pub given: String,
    /// The name of the one record that it can mean; `None` if it is a word such as `none`.
    pub name: Option<String>,
}

impl ActionError {
    /// Returns what a log says of the error: the cause, or else the detail.
    pub fn cause(&self) -> &str {
        self.internal.as_deref().unwrap_or(&self.detail)
    }

    /// Logs the cause, with the request's ID that the caller gets instead.
    pub fn log(&self, request_id: &str) {
        let Some(cause) = &self.internal else { return };
        let code = self.code.as_str();
        if self.code.status() >= 500 {
            tracing::error!(request_id, code, cause, "request failed");
        } else {
            tracing::debug!(request_id, code, cause, "request refused");
        }
    }

    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            hint: None,
            errors: Vec::new(),
            retry_after: None,
            is_permanent: false,
            call: None,
            respelled: None,
            quotes: None,
            upstream_message: None,
            internal: None,
            reason: None,
        }
    }

    /// Makes the error for an object that does not exist in this workspace. An object of another workspace
    /// gives the same error.
    pub fn not_found(what: &str, reference: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} `{reference}` in this workspace"))
    }

    /// Makes the error for a call that the current state does not allow.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, detail)
    }

    /// Makes the error for one argument that breaks a rule which the schema can't express.
    pub fn invalid(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid_all(vec![ArgError::new(pointer, code, message)])
    }

    /// Makes the error for several invalid arguments.
    pub fn invalid_all(errors: Vec<ArgError>) -> Self {
        let mut error = Self::new(ErrorCode::InvalidArguments, summary(&errors));
        error.errors = errors;
        error
    }

    /// Changes the pointers of the invalid arguments, also where `detail` names one.
    #[must_use]
    pub fn moved(mut self, to: impl Fn(&str) -> String) -> Self {
        let is_summary = self.detail == summary(&self.errors);
        for one in &mut self.errors {
            one.pointer = to(&one.pointer);
        }
        if is_summary {
            self.detail = summary(&self.errors);
        }
        self
    }

    /// Makes an internal error. Only the log contains `what`.
    pub fn internal(what: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, "the service failed").caused_by(what)
    }

    /// Adds the cause. Only the log contains it.
    #[must_use]
    pub(crate) fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.internal = Some(cause.into());
        self
    }

    /// Makes the error for too many open requests to an upstream, which `busy` says.
    pub(crate) fn busy_upstream(name: &str, busy: &SendError) -> Self {
        let error = Self::new(ErrorCode::RateLimited, format!("too many requests to `{name}` are running"));
        Self { retry_after: Some(1), ..error.hint(busy.hint()) }
    }

    /// Adds what an upstream answered, if that is not empty.
    #[must_use]
    pub(crate) fn with_upstream_message(self, message: &str) -> Self {
        if message.is_empty() {
            return self;
        }
        Self { upstream_message: Some(message.to_owned()), ..self.quoting("answers of services") }
    }

    /// States that the same call fails until somebody changes something.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.is_permanent = true;
        self
    }

    /// Adds the reason for the audit row.
    #[must_use]
    pub fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// States that `detail` or `hint` quotes text by other people, and names its source, such as `agents` or one that a
    /// pack declares. The response to a model marks the text as untrusted.
    #[must_use]
    pub fn quoting(mut self, source: &'static str) -> Self {
        self.quotes = Some(source);
        self
    }

    /// Adds the corrected call of an action, and says so in the hint. Adds nothing if the action takes a sensitive
    /// value, which is never repeated in a response.
    #[must_use]
    pub(crate) fn corrected(self, meta: &ActionMeta, arguments: &Value, dispatched: bool) -> Self {
        if mask::has_sensitive(meta.input.value()) {
            return self;
        }
        let hint = self.hint.as_ref().map(|hint| format!("{hint}; ")).unwrap_or_default();
        let call = Some(Box::new(call_of(meta, arguments, dispatched)));
        Self { call, ..self.hint(format!("{hint}`call` is the corrected call")) }
    }

    /// Adds how the reference that was not found is written.
    #[must_use]
    pub fn respelled(mut self, given: &str, name: Option<&str>) -> Self {
        let name = name.map(str::to_owned);
        self.respelled = Some(Box::new(Respelled { given: given.to_owned(), name }));
        self
    }

    /// Adds what the caller can do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn summary(errors: &[ArgError]) -> String {
    match errors {
        [one] => one.sentence(),
        many => format!("{} arguments are not valid", many.len()),
    }
}

impl From<StoreError> for ActionError {
    fn from(cause: StoreError) -> Self {
        let (code, detail) = match &cause {
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
        let error = Self::new(code, detail).caused_by(cause.to_string());
        if code == ErrorCode::OutcomeUnknown {
            return error
                .hint("check whether it was done, or repeat the call with the same `Idempotency-Key`");
        }
        error
    }
}

impl From<AuthError> for ActionError {
    fn from(error: AuthError) -> Self {
        let detail = error.to_string();
        match error {
            AuthError::Unauthenticated { hint, reason, .. } => {
                let error = Self::new(ErrorCode::Unauthenticated, detail).hint(hint);
                error.caused_by(format!("not authenticated: {reason}"))
            }
            AuthError::Token(refused) => {
                let (_, hint, reason) = token_words(refused);
                let error = Self::new(ErrorCode::Unauthenticated, detail).hint(hint);
                error.caused_by(format!("not authenticated: {reason}"))
            }
            AuthError::SignIn { problem, reason } => {
                let error = Self::new(ErrorCode::Unauthenticated, detail).hint(problem.hint());
                error.because(problem.as_str()).caused_by(format!("not signed in: {reason}"))
            }
            AuthError::TooManyFailures { retry_after, reason } => {
                let hint = "this credential is not valid; a valid credential is accepted at any time";
                let error = Self::new(ErrorCode::RateLimited, detail).hint(hint);
                let error = error.caused_by(format!("not authenticated: {reason}"));
                Self { retry_after: Some(retry_after), ..error }
            }
            AuthError::KeySignsIn => Self::new(ErrorCode::PermissionDenied, detail)
                .hint("sign in with the token of a person; keys are for programs"),
            AuthError::Unavailable { cause, .. } => {
                Self::new(ErrorCode::AuthorizationUnavailable, detail).caused_by(cause)
            }
            AuthError::KeysUnavailable => {
                let retry_after = Some(jwks::COOLDOWN);
                Self { retry_after, ..Self::new(ErrorCode::AuthorizationUnavailable, detail) }
            }
            AuthError::Store(cause) => cause.into(),
            AuthError::Cipher(cause) => cause.into(),
            AuthError::Internal(what) => Self::internal(what),
        }
    }
}

impl From<CipherError> for ActionError {
    fn from(error: CipherError) -> Self {
        match error {
            CipherError::NoKey => Self::new(ErrorCode::ConnectorNotConfigured, error.to_string()),
            CipherError::Decrypt => {
                Self::conflict("the stored secret can't be decrypted with the current key")
                    .hint("ask an admin to remove it and register it again")
            }
            CipherError::BadKey | CipherError::File(_) => Self::internal(error.to_string()),
        }
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

//! How a request ended.

use toolcrib_model::{ErrorCode, Outcome};

use crate::base::{ActionError, Done};

/// How a request ended, as the call's answer and its outcome row say it.
pub(crate) enum UpstreamEnd<T = Done> {
    /// The upstream says that it did it.
    Succeeded(T),
    /// It was not done. `sent` is false if the upstream can't have received the request.
    Failed {
        /// What the caller is told.
        error: Box<ActionError>,
        /// Whether the upstream may have received the request.
        sent: bool,
    },
    /// Nobody knows whether it was done.
    Unknown(Box<ActionError>),
}

impl<T> UpstreamEnd<T> {
    /// A request that the upstream can't have received.
    pub fn not_sent(error: ActionError) -> Self {
        Self::Failed { error: Box::new(error), sent: false }
    }

    /// A request that the upstream refused.
    pub fn failed(error: ActionError) -> Self {
        Self::Failed { error: Box::new(error), sent: true }
    }

    /// Returns the same end with another form of what the upstream returned.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> UpstreamEnd<U> {
        match self {
            Self::Succeeded(data) => UpstreamEnd::Succeeded(form(data)),
            Self::Failed { error, sent } => UpstreamEnd::Failed { error, sent },
            Self::Unknown(error) => UpstreamEnd::Unknown(error),
        }
    }

    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Succeeded(_) => Outcome::Succeeded,
            Self::Failed { .. } => Outcome::Failed,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Returns the result of a read, which has no unknown end: it can be repeated.
    pub fn of_read(self) -> Result<T, ActionError> {
        match self {
            Self::Succeeded(data) => Ok(data),
            Self::Failed { error, .. } | Self::Unknown(error) => Err(*error),
        }
    }

    pub fn of_write(self) -> Result<T, ActionError> {
        match self {
            Self::Succeeded(data) => Ok(data),
            Self::Failed { error, .. } => Err(*error),
            Self::Unknown(error) => Err(unknown(&error.detail)),
        }
    }
}

/// Makes the error of a write whose outcome nobody knows.
pub(crate) fn unknown(why: &str) -> ActionError {
    let detail = format!("the call may have been done or not: {why}");
    ActionError::new(ErrorCode::OutcomeUnknown, detail)
        .hint("look up with the service whether it was done before making another call; this one is never sent again")
}

//! How a request ended.

use toolcrib_model::{ErrorCode, Outcome};
use toolcrib_toolset::ShapedResponse;

use crate::base::ActionError;

/// How a request ended, as the call's answer and its outcome row say it.
pub(crate) enum UpstreamEnd {
    /// The upstream says that it did it.
    Succeeded(ShapedResponse),
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

impl UpstreamEnd {
    /// A request that the upstream can't have received.
    pub fn not_sent(error: ActionError) -> Self {
        Self::Failed { error: Box::new(error), sent: false }
    }

    /// A request that the upstream refused.
    pub fn failed(error: ActionError) -> Self {
        Self::Failed { error: Box::new(error), sent: true }
    }

    /// Returns the outcome of a write.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Succeeded(_) => Outcome::Succeeded,
            Self::Failed { .. } => Outcome::Failed,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Returns the result of a read, which has no unknown end: it can be repeated.
    pub fn of_read(self) -> Result<ShapedResponse, ActionError> {
        match self {
            Self::Succeeded(data) => Ok(data),
            Self::Failed { error, .. } | Self::Unknown(error) => Err(*error),
        }
    }

    pub fn of_write(self) -> Result<ShapedResponse, ActionError> {
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

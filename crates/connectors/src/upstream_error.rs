//! Errors of requests to external services.

use std::{error::Error as _, iter::successors};

/// Why a request to an external service failed. `Display` is for the log and for operators;
/// [`UpstreamError::public_text`] is for callers.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The settings of the client are not valid.
    #[error("{0}")]
    Settings(&'static str),
    /// The connection failed or was closed.
    #[error("it can't be reached: {0}")]
    Unreachable(String),
    /// The host name resolves to no address that may be reached.
    #[error("its address is not public")]
    NotPublic,
    /// The request timed out.
    #[error("no answer in time")]
    Timeout,
    /// The response has another status than success. Redirects are not followed.
    #[error("it answered with status {status}")]
    Status {
        status: u16,
        /// The beginning of the body. Only for the log.
        body: String,
    },
    /// The response is larger than this number of bytes.
    #[error("its answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The response can't be parsed.
    #[error("its answer can't be read: {0}")]
    Malformed(String),
    /// The service returned an error of its protocol. The text is only for the log.
    #[error("it refused: {0}")]
    Refused(String),
}

impl UpstreamError {
    /// Returns the text for callers. It contains no text of the service and no address.
    pub fn public_text(&self) -> String {
        match self {
            Self::Settings(_) | Self::Unreachable(_) => "can't be reached".to_owned(),
            Self::NotPublic => "has no public address".to_owned(),
            Self::Timeout => "did not answer in time".to_owned(),
            Self::Status { status, .. } => format!("answered with status {status}"),
            Self::TooLarge(most) => format!("answered with more than {most} bytes: ask for less"),
            Self::Malformed(_) => "gave an answer that can't be read".to_owned(),
            Self::Refused(_) => "refused to answer".to_owned(),
        }
    }

    /// Returns the text for the log, with the beginning of the response's body.
    pub fn logged(&self) -> String {
        match self {
            Self::Status { body, .. } if !body.is_empty() => format!("{self}: {body:?}"),
            _ => self.to_string(),
        }
    }
}

impl From<reqwest::Error> for UpstreamError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::Timeout;
        }
        // The URL may contain a login.
        let error = error.without_url();
        let causes = successors(error.source(), |&cause| cause.source());
        Self::Unreachable(causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}")))
    }
}

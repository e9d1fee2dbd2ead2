//! Why an outside service gave no answer.

/// Why an outside service gave no answer. As text it is for the log and for operators; [`UpstreamError::told`] is for callers.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The client can't be made from what is configured.
    #[error("{0}")]
    Settings(&'static str),
    /// No connection, or it broke off.
    #[error("it can't be reached: {0}")]
    Unreachable(String),
    /// Its name leads to no address that may be reached.
    #[error("its address is not public")]
    NotPublic,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// Anything but success; redirects are not followed.
    #[error("it answered with status {status}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// How the body begins. For the log alone.
        body: String,
    },
    /// More bytes than are read.
    #[error("its answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The answer is not in its protocol.
    #[error("its answer can't be read: {0}")]
    Malformed(String),
    /// It answered, in its protocol, that it will not. The text is for the log alone.
    #[error("it refused: {0}")]
    Refused(String),
}

impl UpstreamError {
    /// What a caller may know: nothing of what the service itself wrote, and no address.
    pub fn told(&self) -> String {
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

    /// For the log: with how the answer began, which nobody else sees.
    pub fn logged(&self) -> String {
        match self {
            Self::Status { body, .. } if !body.is_empty() => format!("{self}: {body:?}"),
            _ => self.to_string(),
        }
    }
}

impl From<reqwest::Error> for UpstreamError {
    fn from(fault: reqwest::Error) -> Self {
        if fault.is_timeout() {
            return Self::Timeout;
        }
        // The URL may carry a login.
        let fault = fault.without_url();
        let mut text = fault.to_string();
        let mut cause = std::error::Error::source(&fault);
        while let Some(inner) = cause {
            text = format!("{text}: {inner}");
            cause = inner.source();
        }
        Self::Unreachable(text)
    }
}

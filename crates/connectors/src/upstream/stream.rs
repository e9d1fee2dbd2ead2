//! A response whose body is read as it arrives.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{Response, header::CONTENT_TYPE};
use tokio::time::Instant;

use super::{
    SecretMask, SendError,
    answer::{error_body, is_encoded, next_chunk},
};
use crate::retry_after::retry_after;

/// The response of an upstream whose body is not read yet. Dropping it closes the connection, unless the body
/// has ended.
pub struct UpstreamStream {
    /// The HTTP status. It is no redirect.
    pub status: u16,
    pub content_type: Option<String>,
    /// `Retry-After`, in whole seconds from the response on.
    pub retry_after: Option<u64>,
    response: Response,
    deadline: Instant,
    mask: SecretMask,
}

impl UpstreamStream {
    pub(super) fn new(response: Response, deadline: Instant, mask: SecretMask) -> Result<Self, SendError> {
        let status = response.status();
        if status.is_redirection() {
            return Err(SendError::of_redirection(status.as_u16()));
        }
        if status.is_informational() || (status.is_success() && is_encoded(&response)) {
            return Err(SendError::Broken);
        }
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Ok(Self {
            status: status.as_u16(),
            content_type: content_type.map(|text| mask.apply_to_text(text)),
            retry_after: retry_after(response.headers()),
            response,
            deadline,
            mask,
        })
    }

    /// Waits for the next bytes of the body, at most this long and until the request's time is over. `None` is
    /// the end. The bytes are as they came: whoever shows them masks the secret.
    pub async fn chunk(&mut self, at_most: Duration) -> Result<Option<Bytes>, SendError> {
        next_chunk(&mut self.response, self.deadline.min(Instant::now() + at_most)).await
    }

    /// Reads the first 2 KiB of an error's body, without the secret.
    pub async fn error_text(self, at_most: Duration) -> String {
        let deadline = self.deadline.min(Instant::now() + at_most);
        let (body, _) = error_body(self.response, deadline, &self.mask).await;
        String::from_utf8_lossy(&body).into_owned()
    }
}

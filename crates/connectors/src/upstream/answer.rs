//! Reads the response of an upstream.

use reqwest::{
    Response,
    header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER},
};
use tokio::time::{Instant, timeout_at};

use super::{SecretMask, SendError};

/// How many bytes of the body of an error are kept.
const ERROR_BODY: usize = 2_048;

/// The response of an upstream: a success, or an error of the upstream. Where the secret that was sent came
/// back, it is replaced by `•••`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamAnswer {
    /// The HTTP status. It is no redirect.
    pub status: u16,
    /// The content type.
    pub content_type: Option<String>,
    /// `Retry-After`, in seconds. A date counts as absent.
    pub retry_after: Option<u64>,
    /// The body of a 2xx, or the first 2 KiB of the body of an error.
    pub body: Vec<u8>,
    /// Whether more of the body of an error existed than was kept.
    pub truncated: bool,
}

/// Reads a response until the deadline.
pub async fn read(
    response: Response,
    deadline: Instant,
    max_bytes: usize,
    mask: &SecretMask,
) -> Result<UpstreamAnswer, SendError> {
    let status = response.status();
    if status.is_redirection() {
        return Err(SendError::Redirect(status.as_u16()));
    }
    if status.is_informational() {
        // A final response has another status, so that this one is no response at all.
        return Err(SendError::Broken);
    }
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let content_type = header(CONTENT_TYPE).map(|text| mask.apply_to_text(text));
    let retry_after = header(RETRY_AFTER).and_then(|text| text.trim().parse().ok());
    let (body, truncated) = if status.is_success() {
        (mask.apply(success_body(response, deadline, max_bytes).await?), false)
    } else {
        error_body(response, deadline, mask).await
    };
    Ok(UpstreamAnswer { status: status.as_u16(), content_type, retry_after, body, truncated })
}

async fn success_body(
    mut response: Response,
    deadline: Instant,
    max_bytes: usize,
) -> Result<Vec<u8>, SendError> {
    if is_encoded(&response) {
        return Err(SendError::Encoded);
    }
    let mut body = Vec::new();
    // Count the received bytes, because `content-length` may be wrong.
    while let Some(chunk) = next_chunk(&mut response, deadline).await? {
        if body.len() + chunk.len() > max_bytes {
            return Err(SendError::TooLarge(max_bytes));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads the beginning of an error's body, and whether it was cut. The status is known already, so that a body
/// that can't be read is left out instead of making the end of the request unknown.
async fn error_body(mut response: Response, deadline: Instant, mask: &SecretMask) -> (Vec<u8>, bool) {
    if is_encoded(&response) {
        return (Vec::new(), true);
    }
    // A secret that begins in the part that is kept must be read to its end to be found.
    let window = ERROR_BODY + mask.longest_match();
    let mut body = Vec::new();
    let mut truncated = false;
    loop {
        match next_chunk(&mut response, deadline).await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(_) => {
                truncated = true;
                break;
            }
        }
        if body.len() > window {
            truncated = true;
            break;
        }
    }
    let mut body = mask.apply(body);
    truncated |= body.len() > ERROR_BODY;
    body.truncate(ERROR_BODY);
    (body, truncated)
}

async fn next_chunk(response: &mut Response, deadline: Instant) -> Result<Option<bytes::Bytes>, SendError> {
    let chunk = timeout_at(deadline, response.chunk()).await.map_err(|_| SendError::TimedOut)?;
    chunk.map_err(SendError::from)
}

fn is_encoded(response: &Response) -> bool {
    let mut encodings = response.headers().get_all(CONTENT_ENCODING).iter();
    encodings.any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

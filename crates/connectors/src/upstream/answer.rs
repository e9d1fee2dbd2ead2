//! Reads the response of an upstream.

use reqwest::{
    Response,
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName},
};
use tokio::time::{Instant, timeout_at};
use toolcrib_model::count;

use super::{SecretMask, SendError, StreamWatch};
use crate::retry_after::retry_after;

/// How many bytes of the body of an error are kept.
const ERROR_BODY: usize = 2_048;
/// The header with the id of a session of the Model Context Protocol.
const MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The response of an upstream: a success, or an error of the upstream. Where the secret that was sent came
/// back, it is replaced by `•••`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamAnswer {
    /// The HTTP status. It is no redirect.
    pub status: u16,
    pub content_type: Option<String>,
    /// `Retry-After`, in whole seconds from the response on.
    pub retry_after: Option<u64>,
    /// `Mcp-Session-Id`, as it was received.
    pub session_id: Option<String>,
    /// The body of a 2xx, or the first 2 KiB of the body of an error.
    pub body: Vec<u8>,
    /// Whether more of the body of an error existed than was kept.
    pub truncated: bool,
    /// Why the body of a 2xx is not kept, although it came.
    pub unread: Option<UnreadBody>,
}

/// Why the body of a success is not kept. `Display` is its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadBody {
    /// It is compressed, although the request allows only `identity`.
    #[error("{}, compressed", count(.0, "byte"))]
    Encoded(usize),
    /// It is larger than this number of bytes. The rest was not received.
    #[error("more than {0} bytes")]
    TooLarge(usize),
}

/// Returns what to do after an answer with this status, an error.
pub const fn status_hint(status: u16) -> &'static str {
    match status {
        400 | 422 => "correct the arguments: they fit the schema of the tool, and the service refuses them",
        401 | 403 => "an admin checks the secret of the upstream and what it may do there",
        404 | 410 => "correct the arguments: what they name does not exist at the service",
        408 | 500.. => "make the call again later; of a write, look up first whether the service did it",
        409 | 412 => "read the current state at the service again, and make the call that fits it",
        429 => "the service limits its requests: wait, for `retry_after` seconds if the answer has it",
        _ => "an admin compares the method, path and body of the tool with what the service takes",
    }
}

/// Reads a response until the deadline.
pub async fn read(
    response: Response,
    deadline: Instant,
    max_bytes: usize,
    mask: &SecretMask,
    watch: Option<&mut (dyn StreamWatch + 'static)>,
) -> Result<UpstreamAnswer, SendError> {
    let status = response.status();
    if status.is_redirection() {
        return Err(SendError::of_redirection(status.as_u16()));
    }
    if status.is_informational() {
        // A final response has another status, so that this one is no response at all.
        return Err(SendError::Broken);
    }
    let header = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
    let content_type = header(CONTENT_TYPE).map(|text| mask.apply_to_text(text));
    let retry_after = retry_after(response.headers());
    let session_id = header(MCP_SESSION_ID).map(str::to_owned);
    let (body, truncated, unread) = if status.is_success() {
        let watch = watch.filter(|_| content_type.as_deref().is_some_and(is_event_stream));
        match success_body(response, deadline, max_bytes, watch).await? {
            Ok(body) => (mask.apply(body), false, None),
            Err(unread) => (Vec::new(), false, Some(unread)),
        }
    } else {
        let (body, truncated) = error_body(response, deadline, mask).await;
        (body, truncated, None)
    };
    let status = status.as_u16();
    Ok(UpstreamAnswer { status, content_type, retry_after, session_id, body, truncated, unread })
}

async fn success_body(
    mut response: Response,
    deadline: Instant,
    max_bytes: usize,
    mut watch: Option<&mut (dyn StreamWatch + 'static)>,
) -> Result<Result<Vec<u8>, UnreadBody>, SendError> {
    let is_encoded = is_encoded(&response);
    let mut body = Vec::new();
    // Count the received bytes, because `content-length` may be wrong.
    while let Some(chunk) = next_chunk(&mut response, deadline).await? {
        if body.len() + chunk.len() > max_bytes {
            return Ok(Err(UnreadBody::TooLarge(max_bytes)));
        }
        body.extend_from_slice(&chunk);
        if watch.as_mut().is_some_and(|watch| watch.has_enough(&chunk)) {
            break;
        }
    }
    Ok(if is_encoded { Err(UnreadBody::Encoded(body.len())) } else { Ok(body) })
}

/// Reads the beginning of an error's body, and whether it was cut. The status is known already, so that a body
/// that can't be read is left out instead of making the end of the request unknown.
pub(super) async fn error_body(
    mut response: Response,
    deadline: Instant,
    mask: &SecretMask,
) -> (Vec<u8>, bool) {
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

pub(super) async fn next_chunk(
    response: &mut Response,
    deadline: Instant,
) -> Result<Option<bytes::Bytes>, SendError> {
    let chunk = timeout_at(deadline, response.chunk()).await.map_err(|_| SendError::TimedOut)?;
    chunk.map_err(SendError::from)
}

/// Returns whether a content type is that of an event stream, whatever its parameters are.
pub fn is_event_stream(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("text/event-stream")
}

pub(super) fn is_encoded(response: &Response) -> bool {
    let mut encodings = response.headers().get_all(CONTENT_ENCODING).iter();
    encodings.any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

//! What the answer of an upstream means for the call.

use toolcrib_connectors::upstream::{SendError, UpstreamAnswer, status_hint};
use toolcrib_model::{ErrorCode, visible};
use toolcrib_toolset::{ResponseMapping, ShapedResponse, shape_response};

use super::UpstreamEnd;
use crate::base::ActionError;

/// See Other: the request was carried out, and what it led to is at another address.
const SEE_OTHER: u16 = 303;

/// Reads an answer. A success is one whether or not its body can be shown.
pub(super) fn read(
    name: &str,
    mapping: Option<&ResponseMapping>,
    answer: &UpstreamAnswer,
) -> UpstreamEnd<ShapedResponse> {
    match answer.status {
        200..=299 => UpstreamEnd::Succeeded(succeeded(mapping, answer)),
        502 | 504 => UpstreamEnd::Unknown(Box::new(refused(name, answer))),
        _ => UpstreamEnd::failed(refused(name, answer)),
    }
}

fn succeeded(mapping: Option<&ResponseMapping>, answer: &UpstreamAnswer) -> ShapedResponse {
    let content_type = answer.content_type.as_deref();
    match &answer.unread {
        Some(unread) => ShapedResponse::unreadable(content_type, &unread.to_string()),
        None => shape_response(mapping, content_type, &answer.body),
    }
}

/// Makes the error of an answer that says no. A refused credential is ours and never looks like the caller's.
fn refused(name: &str, answer: &UpstreamAnswer) -> ActionError {
    let status = answer.status;
    let (code, detail) = match status {
        404 => (ErrorCode::NotFound, format!("`{name}` does not know it")),
        409 => (ErrorCode::Conflict, format!("its current state in `{name}` does not allow it")),
        400 | 422 => (ErrorCode::InvalidArguments, format!("`{name}` does not accept these arguments")),
        401 | 403 => (
            ErrorCode::UpstreamError,
            format!("`{name}` refused the credential with which this service asked ({status})"),
        ),
        429 => (ErrorCode::UpstreamError, format!("`{name}` takes no more requests now (429)")),
        _ => (ErrorCode::UpstreamError, format!("`{name}` answered with {status}")),
    };
    let error = ActionError {
        retry_after: answer.retry_after,
        is_permanent: matches!(status, 401 | 403),
        ..ActionError::new(code, detail).hint(status_hint(status))
    };
    let text = String::from_utf8_lossy(&answer.body);
    let text = visible(text.trim()).into_owned();
    match status {
        500.. => ActionError { internal: Some(format!("{name} answered {status}: {text}")), ..error },
        400..=499 => error.with_upstream_message(&text),
        _ => error,
    }
}

/// Reads an error of sending. `has_effect` says whether the request may change something.
pub(super) fn unanswered(name: &str, has_effect: bool, error: &SendError) -> UpstreamEnd<ShapedResponse> {
    let told = ActionError::new(ErrorCode::UpstreamError, format!("`{name}`: {error}")).hint(error.hint());
    let told = ActionError { is_permanent: error.is_permanent(), ..told };
    match error {
        SendError::Busy(_) => UpstreamEnd::not_sent(ActionError::busy_upstream(name, error)),
        SendError::Redirect(SEE_OTHER) if has_effect => {
            let elsewhere = "a redirect (status 303), which is not followed";
            UpstreamEnd::Succeeded(ShapedResponse::unreadable(None, elsewhere))
        }
        error if error.is_unknown() => UpstreamEnd::Unknown(Box::new(told)),
        error if error.is_unsent() => UpstreamEnd::not_sent(told),
        _ => UpstreamEnd::failed(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16) -> UpstreamAnswer {
        UpstreamAnswer {
            status,
            content_type: None,
            retry_after: Some(30),
            session_id: None,
            body: b"busy".to_vec(),
            truncated: false,
            unread: None,
        }
    }

    #[test]
    fn the_time_to_wait_is_kept_for_every_error() {
        for status in [404, 429, 500, 502, 503] {
            assert_eq!(refused("desk", &answer(status)).retry_after, Some(30), "{status}");
        }
    }

    #[test]
    fn each_class_of_errors_says_how_to_go_on() {
        for (status, words) in [
            (400, "correct the arguments"),
            (403, "an admin checks the secret"),
            (404, "does not exist at the service"),
            (409, "read the current state"),
            (412, "read the current state"),
            (415, "an admin compares the method, path and body"),
            (429, "`retry_after` seconds"),
            (500, "look up first whether the service did it"),
            (503, "look up first whether the service did it"),
        ] {
            let hint = refused("desk", &answer(status)).hint.unwrap();
            assert!(hint.contains(words), "{status}: {hint}");
        }
    }

    #[test]
    fn an_error_without_an_answer_says_what_to_do() {
        for (error, is_permanent) in [
            (SendError::TimedOut, false),
            (SendError::Broken, false),
            (SendError::Redirect(307), true),
            (SendError::NotModified, true),
        ] {
            let told = unanswered("desk", false, &error).of_read().unwrap_err();
            assert_eq!(told.hint.as_deref(), Some(error.hint()));
            assert_eq!(told.is_permanent, is_permanent, "{error}");
            let is_redirect = told.detail.contains("redirect");
            assert_eq!(is_redirect, matches!(error, SendError::Redirect(_)), "{error}");
        }
    }
}

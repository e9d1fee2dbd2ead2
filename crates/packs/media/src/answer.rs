//! Reads the answers of the services: what a failure means, and the first sentence of what the service says.
//!
//! Descriptions of errors hold stack traces, addresses and paths, so that nothing beyond the first sentence is shown.

use serde_json::Value;
use toolcrib_engine::{ActionError, ServiceAnswer};
use toolcrib_model::{ErrorCode, visible};
use toolcrib_registry::first_sentence;

use crate::{kind::Kind, text::Text};

/// The longest text about what is wrong with a service, in characters.
pub const MAX_PROBLEM_CHARS: usize = 600;

/// Why there is no answer that can be used.
#[derive(Debug)]
pub enum Failure {
    /// There is no answer.
    Unanswered(ActionError),
    /// It answered with a redirect, which is not followed.
    Redirect(ActionError),
    /// It refused the key.
    Key,
    /// It does not know the path.
    Unknown,
    /// It starts.
    Starting,
    /// It is up, but the service that it asks for titles is not; after so many seconds it may be.
    Metadata(Option<u64>, Option<String>),
    /// It answered with a page for people.
    WebPage,
    /// It answered with a page and this status of a server that fails; after so many seconds it may answer otherwise.
    Proxy(u16, Option<u64>),
    /// The other server answers here.
    Other,
    /// It takes no more requests: after so many seconds it may, or those of the month are used up.
    Busy(Option<u64>, Option<String>),
    /// Its answer is larger than is read.
    TooLarge,
    /// Its answer is no JSON, or JSON of another shape.
    Unreadable,
    /// It answered with this status; after so many seconds it may answer otherwise.
    Refused(u16, Option<u64>, Option<String>),
}

/// Returns the JSON of an answer, or why it can't be used.
pub fn read(kind: Kind, answer: ServiceAnswer) -> Result<Value, Failure> {
    if !answer.is_success() {
        return Err(refused(kind, &answer));
    }
    if answer.too_large {
        return Err(Failure::TooLarge);
    }
    match answer.json {
        Some(value) if kind.is_of_other(&value) => Err(Failure::Other),
        Some(value) => Ok(value),
        None if is_page(answer.media_type.as_deref()) => Err(Failure::WebPage),
        None => Err(Failure::Unreadable),
    }
}

fn refused(kind: Kind, answer: &ServiceAnswer) -> Failure {
    let said = sentence(answer.json.as_ref(), answer.text());
    let code = answer.json.as_ref().and_then(|json| json.pointer("/error/code")).and_then(Value::as_str);
    match answer.status {
        401 | 403 => Failure::Key,
        // Brave refuses a key with the status of wrong parameters.
        422 if is_wrong_key(code, answer) => Failure::Key,
        // The header is of the limit of a second.
        429 if is_month_used_up(answer.json.as_ref()) => Failure::Busy(None, said),
        429 => Failure::Busy(Some(answer.retry_after.unwrap_or(0).max(1)), said),
        status @ 500.. if is_page(answer.media_type.as_deref()) => Failure::Proxy(status, answer.retry_after),
        status if is_page(answer.media_type.as_deref()) && status != 404 => Failure::WebPage,
        404 => Failure::Unknown,
        _ if kind.is_arr() && is_starting(answer) => Failure::Starting,
        503 if kind.is_arr() && said.is_some() => Failure::Metadata(answer.retry_after, said),
        503 => Failure::Refused(503, answer.retry_after, said),
        status => Failure::Refused(status, None, said),
    }
}

/// Returns whether Radarr or Sonarr starts, and has not looked at the request.
pub fn is_starting(answer: &ServiceAnswer) -> bool {
    answer.status == 503 && answer.text().contains("\"errorMessage\"")
}

/// Returns whether whoever answered has ended with the request. A proxy that waited in vain answers 502, 504 or with a
/// page, and the server may go on.
pub fn is_final(answer: &ServiceAnswer) -> bool {
    match answer.status {
        502 | 504 => false,
        status => status < 500 || answer.media_type.as_deref() == Some("application/json"),
    }
}

fn is_wrong_key(code: Option<&str>, answer: &ServiceAnswer) -> bool {
    code == Some("SUBSCRIPTION_TOKEN_INVALID") || answer.text().contains("\"x-subscription-token\"")
}

/// Returns whether the requests of a month are used up, if Brave says so: those of a second and of a month have the
/// same code.
fn is_month_used_up(json: Option<&Value>) -> bool {
    let figure = |name: &str| json?.pointer(&format!("/error/meta/{name}")).and_then(Value::as_i64);
    figure("quota_current").zip(figure("quota_limit")).is_some_and(|(current, limit)| current >= limit)
}

/// Returns whether an answer is a page for people.
pub fn is_page(media_type: Option<&str>) -> bool {
    media_type.is_some_and(|text| text == "text/html" || text == "application/xhtml+xml")
}

/// Returns the first sentence of the service's own words about an error: of a list of defects, of an object with a
/// message, or of a problem document with the defects of each field. `text` is read where the body is too long to be
/// JSON.
fn sentence(json: Option<&Value>, text: &str) -> Option<String> {
    let said = match json {
        Some(json) => message(json)?.to_owned(),
        None => message_in(text)?,
    };
    let line = said.lines().find(|line| !line.trim().is_empty())?;
    Some(visible(&first_sentence(line.trim())).into_owned())
}

fn message(json: &Value) -> Option<&str> {
    if let Some(list) = json.as_array() {
        return list.first()?.get("errorMessage")?.as_str();
    }
    let defects = json.get("errors").and_then(Value::as_object);
    let defect = defects.and_then(|fields| fields.values().next()?.get(0)?.as_str());
    let names = [
        "/errorMessage",
        "/message",
        "/status_message",
        "/error/detail",
        "/errors/0/detail",
        "/error",
        "/title",
    ];
    defect.or_else(|| names.iter().find_map(|name| json.pointer(name)?.as_str()))
}

/// Finds the message in the beginning of a JSON text.
fn message_in(text: &str) -> Option<String> {
    let names = ["\"errorMessage\"", "\"message\""];
    let rest = names.iter().find_map(|name| text.split_once(name))?.1;
    let (_, value) = rest.split_once('"')?;
    let mut ends = value.match_indices('"').map(|(at, _)| at);
    let end = ends.find(|at| !value[..*at].ends_with('\\'))?;
    serde_json::from_str(&format!("\"{}\"", &value[..end])).ok()
}

impl Failure {
    /// Makes the error for the caller: it names the server and says what to do.
    pub fn into_error(self, kind: Kind, address: &str) -> ActionError {
        let error =
            ActionError::new(ErrorCode::UpstreamError, self.detail(kind, address)).hint(self.hint(kind));
        let error = ActionError { is_permanent: self.is_permanent(), ..error };
        match self {
            Self::Unanswered(error) | Self::Redirect(error) => error,
            Self::Starting => ActionError { retry_after: Some(10), ..error },
            Self::Proxy(_, retry_after) => ActionError { retry_after, ..error },
            Self::Busy(retry_after, said)
            | Self::Metadata(retry_after, said)
            | Self::Refused(_, retry_after, said) => quote(ActionError { retry_after, ..error }, said),
            _ => error,
        }
    }

    /// Returns whether the same call fails until somebody changes something.
    const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::Key
                | Self::Unknown
                | Self::WebPage
                | Self::Other
                | Self::TooLarge
                | Self::Busy(None, _)
                | Self::Refused(400 | 422, ..)
        )
    }

    /// Returns what happened; nothing where there is an error already.
    fn detail(&self, kind: Kind, address: &str) -> String {
        let title = kind.title();
        let at = format!("{title} at {address}");
        match self {
            Self::Unanswered(_) | Self::Redirect(_) => String::new(),
            Self::Key => format!("{at} refused the key"),
            Self::Unknown => format!("{at} does not know what was asked (404)"),
            Self::Starting => format!("{at} is starting"),
            Self::Metadata(..) => {
                format!("{at} is up, but the service that it asks for titles does not answer")
            }
            Self::WebPage => format!("{at} answered with a web page and not with its API"),
            Self::Proxy(status, _) => format!("{at} answered with {status} and a web page"),
            Self::Other => {
                format!("the upstream `{}` at {address} is another server than {title}", kind.name())
            }
            Self::Busy(Some(_), _) => format!("{at} takes no more requests now"),
            Self::Busy(None, _) => format!("{at} takes no more requests this month"),
            Self::TooLarge => format!("the answer of {at} is larger than 4 MiB, and was not read"),
            Self::Unreadable => format!("the answer of {at} is not what {title} answers"),
            Self::Refused(status, ..) => format!("{at} answered with {status}"),
        }
    }

    /// Returns what to do; nothing where there is an error already.
    fn hint(&self, kind: Kind) -> String {
        let title = kind.title();
        let correct = kind.address_hint();
        match self {
            Self::Unanswered(_) | Self::Redirect(_) => String::new(),
            Self::Key => kind.key_hint(),
            Self::Unknown if kind.is_arr() => {
                format!("`media_check_status` says what answers there; {correct}")
            }
            Self::Starting => "try again in a moment".to_owned(),
            Self::Metadata(..) => {
                "the library, the calendar and the queue can be read meanwhile; try again later".to_owned()
            }
            Self::WebPage if kind.is_arr() => {
                let name = kind.name();
                format!(
                    "the address lacks a part such as `/{name}/` at the end, or leads to a login page; {correct}"
                )
            }
            Self::Unknown | Self::WebPage => correct,
            Self::Proxy(..) => format!(
                "a proxy may have answered in its place: try again later; if it stays, an admin checks that {title} runs"
            ),
            Self::Other => format!("the addresses of two servers may be swapped; {correct}"),
            Self::Busy(None, _) => "do not try again before the next month".to_owned(),
            Self::TooLarge => {
                "the call can't ask for less: an admin checks what answers at this address".to_owned()
            }
            Self::Unreadable => format!("another server or version may answer there; {correct}"),
            Self::Refused(400 | 422, ..) => {
                format!("{title} refuses the same call again: change its arguments")
            }
            Self::Refused(..) if kind.is_arr() => {
                format!("try again later; if it stays, an admin reads the log of {title}")
            }
            Self::Busy(Some(_), _) | Self::Refused(..) => "try again later".to_owned(),
        }
    }
}

/// Adds what the service says.
fn quote(error: ActionError, said: Option<String>) -> ActionError {
    if said.is_none() {
        return error;
    }
    ActionError { upstream_message: said, ..error.quoting("answers of services") }
}

/// Returns an error as one sentence, for answers of several services.
pub fn as_text(error: &ActionError) -> Text {
    let parts = [Some(&error.detail), error.upstream_message.as_ref(), error.hint.as_ref()];
    let text = parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(": ");
    Text::cut(&text, MAX_PROBLEM_CHARS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_sentence_is_found_in_every_shape() {
        let list = json!([{"propertyName": "TmdbId", "errorMessage": "Not found. Path: /movies/x"}, {}]);
        let problem = json!({"title": "One or more", "errors": {"$.a": ["Could not convert. Path: $.a"]}});
        for (body, expected) in [
            (list, Some("Not found")),
            (problem, Some("Could not convert")),
            (json!({"message": "It failed\n  at Nancy.Run()", "description": "trace"}), Some("It failed")),
            (json!({"errorMessage": "Radarr is starting up"}), Some("Radarr is starting up")),
            (json!({"error": "Unauthorized"}), Some("Unauthorized")),
            (
                json!({"status_message": "Invalid page: Pages start at 1."}),
                Some("Invalid page: Pages start at 1"),
            ),
            (json!({"error": {"detail": "Rate limit"}}), Some("Rate limit")),
            (json!({"title": "Not Found", "status": 404}), Some("Not Found")),
            (json!([]), None),
            (json!("text"), None),
        ] {
            assert_eq!(sentence(Some(&body), "").as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn the_message_of_a_body_that_was_cut_is_found() {
        let cut = r#"{ \u{a}  "message": "Search for \"x\" failed. More", \u{a} "description": "   at Nzb"#;
        assert_eq!(sentence(None, cut).as_deref(), Some("Search for \"x\" failed"));
        assert_eq!(sentence(None, r#"{"message": "no end"#), None);
        assert_eq!(sentence(None, "<html>"), None);
    }
}

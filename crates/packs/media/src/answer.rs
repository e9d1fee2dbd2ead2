//! Reads the answers of the services: what a failure means, and the first sentence of what the service says.
//!
//! Descriptions of errors hold stack traces, addresses and paths, so that nothing beyond the first sentence is shown.

use serde_json::Value;
use toolcrib_engine::{ActionError, ServiceAnswer};
use toolcrib_model::{ErrorCode, visible};
use toolcrib_registry::first_sentence;

use crate::{kind::Kind, text::Text};

/// Why there is no answer that can be used.
#[derive(Debug)]
pub enum Failure {
    /// There is no answer.
    Unanswered(ActionError),
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
    /// The other server answers here.
    Other,
    /// It takes no more requests now; after so many seconds it may, or nobody knows when.
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
        429 if is_month_used_up(answer.json.as_ref()) => {
            Failure::Busy(None, Some("the requests of the month are used up".to_owned()))
        }
        429 => Failure::Busy(Some(answer.retry_after.unwrap_or(0).max(1)), said),
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
        let (title, name) = (kind.title(), kind.name());
        let at = format!("{title} at {address}");
        let correct = format!("an admin corrects the address with `PATCH /v1/upstreams/{name}`");
        let (detail, hint) = match &self {
            Self::Unanswered(_) => (String::new(), String::new()),
            Self::Key => (format!("{at} refused the key"), kind.key_hint()),
            Self::Unknown => (
                format!("{at} does not know what was asked (404)"),
                format!("`media_check_status` says what answers there; {correct}"),
            ),
            Self::Starting => (format!("{at} is starting"), "try again in a moment".to_owned()),
            Self::Metadata(..) => (
                format!("{at} is up, but the service that it asks for titles does not answer"),
                "the library, the calendar and the queue can be read meanwhile; search again later"
                    .to_owned(),
            ),
            Self::WebPage => (
                format!("{at} answered with a web page and not with its API"),
                format!(
                    "the address lacks a part such as `/{name}/` at the end, or leads to a login page; {correct}"
                ),
            ),
            Self::Other => (
                format!("the upstream `{name}` at {address} is another server than {title}"),
                format!("the addresses of two servers may be swapped; {correct}"),
            ),
            Self::Busy(wait, _) => {
                let hint =
                    if wait.is_some() { "try again later" } else { "do not try again before the next month" };
                (format!("{title} takes no more requests now"), hint.to_owned())
            }
            Self::TooLarge => (
                format!("the answer of {at} is larger than 4 MiB, and was not read"),
                "ask for less: fewer days, or a longer query".to_owned(),
            ),
            Self::Unreadable => (
                format!("the answer of {at} is not what {title} answers"),
                format!("`media_check_status` says which version answers there; {correct}"),
            ),
            Self::Refused(status, ..) => (
                format!("{at} answered with {status}"),
                format!("try again later; if it stays, an admin reads the log of {title}"),
            ),
        };
        let error = ActionError::new(ErrorCode::UpstreamError, detail).hint(hint);
        match self {
            Self::Unanswered(error) => error,
            Self::Starting => ActionError { retry_after: Some(10), ..error },
            Self::Busy(retry_after, said)
            | Self::Metadata(retry_after, said)
            | Self::Refused(_, retry_after, said) => quote(ActionError { retry_after, ..error }, said),
            _ => error,
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
    Text::cut(&parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(": "), 600)
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

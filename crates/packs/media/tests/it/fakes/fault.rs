//! How a fake misbehaves.

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, interval_at};

use super::{Asked, reply::Reply};

/// A stack trace that is longer than what is read of an error.
const TRACE_LINES: usize = 60;

#[derive(Clone, Debug)]
pub enum Fault {
    /// A login page with 200, as behind a wrong prefix.
    LoginPage,
    /// 504 of a proxy that waited in vain.
    GatewayPage,
    /// A redirect with this status to the path behind this address.
    Redirect(u16, String),
    /// 503 while it starts.
    Starting,
    /// 503 because the service that it asks for titles is down.
    MetadataDown,
    /// 500 with a stack trace.
    Thrown,
    /// 400 with a list of defects.
    Defects,
    /// 400 as a problem document.
    Problem,
    /// 400 of an API exception.
    BadRequest,
    /// This status with this header and body.
    Says(u16, (&'static str, &'static str), Value),
    /// 50 MB of JSON.
    Huge,
    /// A list without an end.
    Endless,
    /// A byte each second.
    Drip,
    /// A body that breaks off in the middle.
    Cut,
    /// A length that is larger than the body.
    LyingLength,
    /// JSON of another shape.
    OtherShape,
    /// The right answer after this time.
    Slow(Duration),
    /// The request is processed after this time, also if its client is gone.
    Late(Duration),
    /// The request is processed, and no answer comes.
    Held,
    /// The request is not processed, and no answer comes.
    Swallowed,
}

impl Fault {
    /// Returns whether the request is processed, although its answer comes late or not at all.
    pub const fn acts(&self) -> bool {
        matches!(self, Self::Slow(_) | Self::Huge | Self::Drip | Self::Cut | Self::Held)
    }

    pub async fn respond(self, asked: &Asked, reply: Reply) -> Response {
        match self {
            Self::LoginPage => {
                let page = "<!doctype html><html><title>Login</title><form>secret-folder</form></html>";
                Html(page).into_response()
            }
            Self::GatewayPage => {
                (StatusCode::GATEWAY_TIMEOUT, Html("<html>504 secret-folder</html>")).into_response()
            }
            Self::Redirect(status, to) => {
                let status = StatusCode::from_u16(status).unwrap();
                (status, [(header::LOCATION, format!("{to}{}?{}", asked.path, asked.query))]).into_response()
            }
            Self::Starting => {
                let text = "Radarr is starting up, please try again later";
                Reply::Json(503, json!({ "errorMessage": text })).into_response()
            }
            Self::MetadataDown => metadata_is_down("x").into_response(),
            Self::Thrown => thrown(500, "Expected query to return 1 rows but returned 0").into_response(),
            Self::Defects => Reply::Json(400, defects()).into_response(),
            Self::Problem => Reply::Json(400, problem()).into_response(),
            Self::BadRequest => {
                let body =
                    json!({ "message": "BadRequest: 0 is not a valid ID", "content": "0 is not a valid ID" });
                Reply::Json(400, body).into_response()
            }
            Self::Says(status, extra, body) => Reply::With(status, extra, body).into_response(),
            Self::Slow(time) => {
                pause(time).await;
                reply.into_response()
            }
            Self::Held | Self::Swallowed => std::future::pending().await,
            Self::OtherShape => Reply::Json(200, json!({ "status": "ok" })).into_response(),
            body => (body.headers(), body.body()).into_response(),
        }
    }

    fn headers(&self) -> [(header::HeaderName, &'static str); 2] {
        let length = if matches!(self, Self::LyingLength) { "4096" } else { "" };
        let name = if length.is_empty() { header::VARY } else { header::CONTENT_LENGTH };
        [(header::CONTENT_TYPE, "application/json"), (name, length)]
    }

    fn body(&self) -> Body {
        let chunk = |text: &str| Ok::<_, io::Error>(Bytes::copy_from_slice(text.as_bytes()));
        let item = format!("{{\"title\": \"{}\"}},", "x".repeat(64 * 1024));
        match self {
            Self::Huge => {
                let items = stream::iter((0..800).map(move |_| chunk(&item)));
                let (begin, end) = (stream::iter([chunk("[")]), stream::iter([chunk("{}]")]));
                Body::from_stream(begin.chain(items).chain(end))
            }
            Self::Endless => {
                let items = stream::iter((0..).map(move |_| chunk(&item)));
                Body::from_stream(stream::iter([chunk("[")]).chain(items))
            }
            Self::Drip => {
                let second = Duration::from_secs(1);
                let clock = interval_at(Instant::now(), second);
                Body::from_stream(stream::unfold(clock, |mut clock| async move {
                    clock.tick().await;
                    Some((Ok::<_, io::Error>(Bytes::from_static(b" ")), clock))
                }))
            }
            Self::LyingLength => Body::from_stream(stream::iter([chunk("[]")])),
            _ => Body::from_stream(stream::iter([chunk("[{\"title\": "), Err(io::Error::other("cut"))])),
        }
    }
}

pub async fn pause(time: Duration) {
    interval_at(Instant::now() + time, time).tick().await;
}

/// An error of a server: a sentence, and a stack trace with the paths of its source.
fn thrown(status: u16, message: &str) -> Reply {
    let line = "   at NzbDrone.Core.SecretFolder.Run() in /home/secret-folder/src/Run.cs:line 7\n";
    Reply::Json(status, json!({ "message": message, "description": line.repeat(TRACE_LINES) }))
}

pub fn metadata_is_down(term: &str) -> Reply {
    let said = format!(
        "Search for '{term}' failed. Unable to communicate with RadarrAPI. Connection to secret-folder"
    );
    thrown(503, &said)
}

fn defects() -> Value {
    let defect = |name: &str, message: &str| {
        json!({ "propertyName": name, "errorMessage": message, "attemptedValue": 603, "severity": "error",
            "errorCode": "PathValidator", "formattedMessageArguments": [],
            "formattedMessagePlaceholderValues": { "propertyName": name,
            "propertyValue": "/secret-folder" } })
    };
    json!([defect("Path", "Invalid Path: ''. See /secret-folder"), defect("TmdbId", "Second defect")])
}

fn problem() -> Value {
    json!({ "type": "https://tools.ietf.org/html/rfc9110#section-15.5.1", "status": 400,
        "title": "One or more validation errors occurred.", "traceId": "00-secret-folder-00",
        "errors": { "$.days": ["The value could not be converted. Path: $.days | LineNumber: 3."] } })
}

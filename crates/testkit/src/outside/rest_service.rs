//! A small REST service that declared tools call. It records every request, and answers as the test says.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use http_body_util::{BodyExt as _, Collected};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::serve;
use crate::eventually::pass;

#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Method and target, such as `GET /v2/tickets/1?include=messages`.
    pub line: String,
    pub headers: HeaderMap,
    pub body: Value,
}

#[derive(Clone, Debug)]
pub enum ServiceAnswer {
    /// With this status and JSON.
    Json(u16, Value),
    /// With this status, this header and this body.
    Bytes(u16, (&'static str, &'static str), &'static [u8]),
    /// After this time, with 200.
    After(Duration),
    /// With half of a response.
    Half,
}

struct Inner {
    answer: ServiceAnswer,
    received: Vec<ReceivedRequest>,
}

#[derive(Clone)]
pub struct RestService {
    /// The base URL, ending with `/v2/`.
    pub url: String,
    /// `HOST:PORT` of the URL.
    pub host: String,
    inner: Arc<Mutex<Inner>>,
}

impl RestService {
    /// Starts a service that answers with `{"ok": true}`.
    pub async fn start() -> Self {
        let answer = ServiceAnswer::Json(200, json!({ "ok": true }));
        let inner = Arc::new(Mutex::new(Inner { answer, received: Vec::new() }));
        let own = inner.clone();
        let base = serve(Router::new().fallback(move |request: Request| respond(own.clone(), request))).await;
        let host = base.trim_start_matches("http://").to_owned();
        Self { url: format!("{base}/v2/"), host, inner }
    }

    /// Sets how the following requests are answered.
    pub fn answer(&self, answer: ServiceAnswer) {
        self.inner.lock().answer = answer;
    }

    /// Returns the requests received so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.inner.lock().received.clone()
    }

    /// Returns the methods and targets of the requests received so far.
    pub fn lines(&self) -> Vec<String> {
        self.received().into_iter().map(|request| request.line).collect()
    }
}

async fn respond(inner: Arc<Mutex<Inner>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let line = format!("{} {}", parts.method, parts.uri);
    let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into());
    let answer = {
        let mut inner = inner.lock();
        inner.received.push(ReceivedRequest { line, headers: parts.headers, body });
        inner.answer.clone()
    };
    let json = |status: u16, value: &Value| {
        let status = StatusCode::from_u16(status).expect("a status");
        (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
    };
    match answer {
        ServiceAnswer::Json(status, value) => json(status, &value),
        ServiceAnswer::Bytes(status, header, body) => {
            let status = StatusCode::from_u16(status).expect("a status");
            (status, [header], body).into_response()
        }
        ServiceAnswer::After(time) => {
            pass(time).await;
            json(200, &json!({ "ok": true }))
        }
        ServiceAnswer::Half => {
            let parts = [Ok(Bytes::from_static(b"{\"ok\":")), Err(std::io::Error::other("cut"))];
            let body = Body::from_stream(stream::iter(parts));
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
    }
}

//! One caller, and the responses to it.

use std::net::SocketAddr;

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Method, Request, StatusCode},
    response::Response,
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A caller: its headers and its address.
#[derive(Clone)]
pub struct HttpClient<'a> {
    router: &'a Router,
    headers: Vec<(String, String)>,
    peer: [u8; 4],
}

/// A response. `body` is null if the body is not JSON.
#[derive(Debug)]
pub struct HttpReply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl<'a> HttpClient<'a> {
    pub(super) fn new(router: &'a Router, peer: [u8; 4]) -> Self {
        Self { router, headers: Vec::new(), peer }
    }

    /// Returns the same caller with one more header.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    /// Returns the same caller without a header.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.headers.retain(|(known, _)| known != name);
        other
    }

    /// Returns the same caller with this token instead of its own.
    #[must_use]
    pub fn bearer(&self, token: &str) -> Self {
        self.without("Authorization").with("Authorization", &format!("Bearer {token}"))
    }

    /// Returns the same caller of another router.
    #[must_use]
    pub fn of<'b>(&self, router: &'b Router) -> HttpClient<'b> {
        HttpClient { router, headers: self.headers.clone(), peer: self.peer }
    }

    /// Returns the same caller at another address.
    #[must_use]
    pub fn from(&self, peer: [u8; 4]) -> Self {
        Self { peer, ..self.clone() }
    }

    /// Sends `body` with this content type, and returns the response before its body is read.
    pub async fn open(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Body>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        let peer = ConnectInfo(SocketAddr::from((self.peer, 40_000)));
        let request = request.extension(peer).body(body.into()).expect("a request");
        self.router.clone().oneshot(request).await.expect("a router does not fail")
    }

    /// Sends `body` with this content type, and reads the response. The body of an event stream, which has no end, is
    /// not read.
    pub async fn raw(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Body>,
    ) -> HttpReply {
        let (head, body) = self.open(method, path, content_type, body).await.into_parts();
        let endless = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if endless { Body::empty() } else { body };
        let bytes = body.collect().await.expect("the body is complete").to_bytes();
        let text = String::from_utf8(bytes.to_vec()).expect("the body is UTF-8");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        HttpReply { status: head.status, headers: head.headers, text, body }
    }

    /// Sends a request without a body.
    pub async fn get(&self, path: &str) -> HttpReply {
        self.raw("GET", path, None, Body::empty()).await
    }

    /// Sends JSON.
    pub async fn send(&self, method: &str, path: &str, body: Value) -> HttpReply {
        self.raw(method, path, Some("application/json"), body.to_string()).await
    }

    /// Sends JSON with `POST`.
    pub async fn post(&self, path: &str, body: Value) -> HttpReply {
        self.send("POST", path, body).await
    }

    /// Calls an action by its name without the prefix.
    pub async fn run(&self, action: &str, arguments: Value) -> HttpReply {
        self.post(&format!("/v1/actions/platform_{action}"), arguments).await
    }

    /// Approves a call that waits, with this body.
    pub async fn approve(&self, asked: &Value, body: Value) -> HttpReply {
        self.post(&format!("{}/approve", confirmation_path(asked)), body).await
    }

    /// Sends one turn of tool calls, each as `(id, name, arguments)`, in OpenAI's format.
    pub async fn calls(&self, calls: &[(&str, &str, Value)]) -> HttpReply {
        let calls: Vec<Value> =
            calls.iter().map(|(id, name, arguments)| openai_call(id, name, arguments)).collect();
        self.post("/v1/tools/calls", json!({ "tool_calls": calls })).await
    }
}

/// Returns the path of the confirmation that a call waits for.
pub fn confirmation_path(asked: &Value) -> String {
    format!("/v1/confirmations/{}", asked["confirmation"]["id"].as_str().expect("it waits"))
}

/// Returns a tool call in OpenAI's format. Arguments that are a string are sent as they are.
pub fn openai_call(id: &str, name: &str, arguments: &Value) -> Value {
    let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": text } })
}

impl HttpReply {
    /// Returns a header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("the header is ASCII"))
    }

    /// Returns the body.
    ///
    /// # Panics
    /// Panics if the status is another.
    #[track_caller]
    pub fn ok(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self.body
    }

    /// Returns the body, which must be a complete problem document.
    ///
    /// # Panics
    /// Panics if status or code are others, or if a field is missing.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!((self.status.as_u16(), self.body["code"].as_str()), (status, Some(code)), "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["type"], format!("/docs/errors/{code}"));
        assert_eq!(self.body["request_id"], self.header("x-request-id"));
        for field in ["title", "detail"] {
            assert!(self.body[field].as_str().is_some_and(|text| !text.is_empty()), "{}", self.text);
        }
        self.body
    }
}

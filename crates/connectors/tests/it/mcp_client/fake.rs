//! A server that answers each message as a test says.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use toolcrib_connectors::upstream::Url;

/// A message that reached the server.
#[derive(Clone, Debug)]
pub struct Asked {
    pub http_method: Method,
    pub headers: HeaderMap,
    /// Null without a body.
    pub message: Value,
}

impl Asked {
    /// The method of the protocol.
    pub fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// A response with a result.
    pub fn result(&self, result: &Value) -> Response {
        json_body(&self.success(result))
    }

    /// A message with a result.
    pub fn success(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result})
    }

    /// A message with an error.
    pub fn failure(&self, code: i64, message: &str) -> Value {
        json!({"jsonrpc": "2.0", "id": self.message["id"], "error": {"code": code, "message": message}})
    }

    /// What a server of an older revision does before the first request of interest.
    pub fn handshake(&self, session: Option<&str>) -> Option<Response> {
        match self.method() {
            "server/discover" => Some(StatusCode::BAD_REQUEST.into_response()),
            "initialize" => {
                let mut response = self.result(&json!({
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "forge", "version": "1"},
                }));
                if let Some(session) = session {
                    response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
                }
                Some(response)
            }
            "notifications/initialized" => Some(StatusCode::ACCEPTED.into_response()),
            _ => None,
        }
    }
}

pub fn json_body(message: &Value) -> Response {
    ([("content-type", "application/json; charset=utf-8")], message.to_string()).into_response()
}

pub fn event_stream(body: impl Into<String>) -> Response {
    ([("content-type", "text/event-stream")], body.into()).into_response()
}

/// One event of a stream.
pub fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

/// A running server.
pub struct Fake {
    pub url: Url,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Fake {
    pub async fn start(answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let own = asked.clone();
        let respond = async move |http_method: Method, headers: HeaderMap, body: Bytes| {
            let message = serde_json::from_slice(&body).unwrap_or_default();
            let asked = Asked { http_method, headers, message };
            own.lock().unwrap().push(asked.clone());
            answer(&asked)
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(respond)).await });
        Self { url, asked }
    }

    /// A server of an older revision that answers everything after the handshake so.
    pub async fn after_handshake(
        session: Option<&'static str>,
        answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |asked| asked.handshake(session).unwrap_or_else(|| answer(asked))).await
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn methods(&self) -> Vec<String> {
        self.asked().iter().map(|asked| asked.method().to_owned()).collect()
    }
}

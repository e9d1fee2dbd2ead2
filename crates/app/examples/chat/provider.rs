//! A provider whose model streams the times of its pieces, and calls tools as the message says.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, Bytes},
    response::Response,
    routing::post,
};
use futures_util::{StreamExt as _, stream};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};

/// Pieces of an answer, and the time between them.
pub const PIECES: usize = 250;
const PACE: Duration = Duration::from_millis(20);

static START: OnceLock<Instant> = OnceLock::new();

/// Returns the time since the begin of the measurement, in microseconds.
pub fn micros() -> u64 {
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// What the provider was asked.
#[derive(Clone, Default)]
pub struct Asked(Arc<Mutex<Requests>>);

#[derive(Default)]
pub struct Requests {
    /// When the last request with the answer of a tool came.
    pub last_answer: Option<Instant>,
    /// The requests of a conversation as a model reads them: tools, then messages.
    pub turns: Vec<String>,
}

impl Asked {
    pub fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock()
    }
}

/// Serves the provider. Returns its address.
pub async fn provide(asked: Asked) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = move |body: Bytes| {
        let asked = asked.clone();
        async move { answer(&body, &asked) }
    };
    let app = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}/v1")
}

fn answer(bytes: &Bytes, asked: &Asked) -> Response {
    let body: Value = serde_json::from_slice(bytes).expect("JSON");
    let last = body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let words = last["content"].as_str().unwrap_or_default();
    if last["role"] == "tool" {
        asked.lock().last_answer = Some(Instant::now());
        return events(vec![json!({ "content": "done" })], "stop", Duration::ZERO);
    }
    if words.ends_with("turn") {
        asked.lock().turns.push(format!("{}{}", body["tools"], body["messages"]));
        return events(vec![json!({ "content": "an answer of some words" })], "stop", Duration::ZERO);
    }
    let call = |name: &str, arguments: Value| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "tool_calls": [{ "index": 0, "id": "call_0", "type": "function", "function": function }] })
    };
    if words.ends_with("read") {
        let read = call("platform_list_agents", json!({ "limit": 1 }));
        return events(vec![read], "tool_calls", Duration::ZERO);
    }
    if let Some((_, name)) = words.rsplit_once("delete ") {
        let arguments = json!({ "action": "platform_delete_agent", "params": { "agent": name } });
        return events(vec![call("platform_execute", arguments)], "tool_calls", Duration::ZERO);
    }
    events(vec![Value::Null; PIECES], "stop", PACE)
}

/// A stream of pieces. `null` is a text with the time at which it is sent.
fn events(pieces: Vec<Value>, why: &'static str, pace: Duration) -> Response {
    let chunk = move |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "object": "chat.completion.chunk", "choices": [choice] }))
    };
    let pieces = stream::iter(pieces).then(move |piece| async move {
        let _ = tokio::time::timeout(pace, std::future::pending::<()>()).await;
        let stamp = || json!({ "content": format!("{} ", micros()) });
        chunk(if piece.is_null() { stamp() } else { piece }, None)
    });
    let end = stream::once(async move { format!("{}data: [DONE]\n\n", chunk(json!({}), Some(why))) });
    let body = Body::from_stream(pieces.chain(end).map(|text| Ok::<_, Infallible>(Bytes::from(text))));
    Response::builder().header("content-type", "text/event-stream").body(body).expect("a response")
}

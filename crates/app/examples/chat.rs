//! Measures the chat of the assistant from outside: how long a provider's piece takes to the client, a step
//! to the next request, and a decision to the next request. Usage: `chat BINARY [DATABASE_URL]`.
//! `scripts/bench chat` runs it.
//!
//! Provider and client are this process, so that their times are of one clock.
#![expect(clippy::expect_used, reason = "a measurement ends when something is not as it should be")]

use std::{
    convert::Infallible,
    env, fs,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    response::Response,
    routing::post,
};
use futures_util::{StreamExt as _, future::join_all, stream};
use serde_json::{Value, json};
use toolcrib_testkit::eventually;

/// Pieces of an answer, and the time between them.
const PIECES: usize = 250;
const PACE: Duration = Duration::from_millis(20);
/// Repetitions of a measurement of single requests.
const ROUNDS: usize = 40;
/// Streams of a person at the same time.
const STREAMS: usize = 4;

/// When requests came that have the answer of a tool, in the order of their coming.
type Arrivals = Arc<Mutex<Vec<Instant>>>;

static START: OnceLock<Instant> = OnceLock::new();

fn micros() -> u64 {
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[tokio::main]
async fn main() {
    let mut arguments = env::args().skip(1);
    let binary = arguments.next().expect("usage: chat BINARY [DATABASE_URL]");
    let database = arguments.next();
    let arrivals = Arrivals::default();
    let provider = provide(arrivals.clone()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = serve(&binary, folder.path(), &provider, database.as_deref());
    let service = Service::find(folder.path()).await;
    println!("| | p50, ms | p99, ms |\n|---|---|---|");
    print("a provider's piece at the client, 1 stream", service.pieces(&service.people[..1], 1).await);
    let all = format!("the same, {} streams at 50 pieces a second", service.people.len() * STREAMS);
    print(&all, service.pieces(&service.people, STREAMS).await);
    print("a client that reads of a call (a read) to the next request", service.steps(&arrivals).await);
    print(
        "the second step of an approval in the chat to the next request",
        service.decisions(&arrivals).await,
    );
    server.kill().and_then(|()| server.wait()).expect("it runs");
}

fn print(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("| {what} | {:.1} | {:.1} |", at(50), at(99));
}

/// Serves a provider. Its model streams the times of its pieces, and calls tools as the message says.
async fn provide(arrivals: Arrivals) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = move |Json(body): Json<Value>| {
        let arrivals = arrivals.clone();
        async move { answer(&body, &arrivals) }
    };
    let app = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}/v1")
}

fn answer(body: &Value, arrivals: &Arrivals) -> Response {
    let last = body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let words = last["content"].as_str().unwrap_or_default();
    if last["role"] == "tool" {
        arrivals.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        return events(vec![json!({ "content": "done" })], "stop", Duration::ZERO);
    }
    let call = |name: &str, arguments: Value| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "tool_calls": [{ "index": 0, "id": "call_0", "type": "function", "function": function }] })
    };
    if words.ends_with("read") {
        return events(
            vec![call("platform_list_agents", json!({ "limit": 1 }))],
            "tool_calls",
            Duration::ZERO,
        );
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

fn serve(binary: &str, folder: &std::path::Path, provider: &str, database: Option<&str>) -> Child {
    let log = fs::File::create(folder.join("log.txt")).expect("a file");
    let mut command = Command::new(binary);
    command.args(["serve", "--demo", "--bind", "127.0.0.1:0", "--assistant-models", "measured"]);
    command.args(["--assistant-context", "100000", "--assistant-provider", provider, "--data-dir"]);
    command.arg(folder.join("data")).stdout(log).stderr(Stdio::null());
    command.args(database.iter().flat_map(|url| ["--database", url]));
    command.spawn().expect("it starts")
}

/// A member with their workspace.
struct Person {
    token: String,
    workspace: String,
}

struct Service {
    client: reqwest::Client,
    base: String,
    people: Vec<Person>,
}

impl Service {
    /// Waits until the service listens.
    async fn find(folder: &std::path::Path) -> Self {
        let base = eventually("it listens", async || {
            let log = fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
            let (_, rest) = log.split_once("listening on ")?;
            Some(rest.lines().next()?.trim().to_owned())
        })
        .await;
        let demo = fs::read(folder.join("data/demo.json")).expect("the demo's credentials");
        let demo: Value = serde_json::from_slice(&demo).expect("JSON");
        let mut people = Vec::new();
        for workspace in demo["workspaces"].as_array().into_iter().flatten() {
            for role in ["owner", "admin", "editor", "member"] {
                let token = workspace[role]["token"].as_str().expect("a member").to_owned();
                let id = workspace["id"].as_str().expect("an ID").to_owned();
                people.push(Person { token, workspace: id });
            }
        }
        let service = Self { client: reqwest::Client::new(), base, people };
        let admin = demo["system_admin"]["token"].as_str().expect("a token").to_owned();
        let limits = json!({ "limits": { "write_per_minute": 100_000, "read_per_minute": 100_000 } });
        for workspace in service.people.iter().map(|person| person.workspace.clone()).step_by(4) {
            let admin = Person { token: admin.clone(), workspace };
            service.send(&admin, reqwest::Method::PATCH, "/v1/settings", &limits).await;
        }
        service
    }

    async fn send(
        &self,
        person: &Person,
        method: reqwest::Method,
        path: &str,
        body: &Value,
    ) -> reqwest::Response {
        let request = self.client.request(method, format!("{}{path}", self.base)).bearer_auth(&person.token);
        let request = request.header("X-Workspace-Id", &person.workspace).json(body);
        let response = request.send().await.expect("a response");
        assert!(response.status().is_success(), "{}", response.text().await.unwrap_or_default());
        response
    }

    async fn post(&self, person: &Person, path: &str, body: &Value) -> reqwest::Response {
        self.send(person, reqwest::Method::POST, path, body).await
    }

    async fn say(&self, person: &Person, thread: &str, words: &str) -> reqwest::Response {
        let message = json!({ "role": "user", "parts": [{ "type": "text", "text": words }] });
        self.post(person, "/v1/assistant/chat", &json!({ "id": thread, "message": message })).await
    }

    /// Returns the times in milliseconds of all pieces of these people's streams.
    async fn pieces(&self, people: &[Person], streams: usize) -> Vec<f64> {
        let all = people.iter().flat_map(|person| (0..streams).map(move |n| (person, n)));
        let read = join_all(all.map(|(person, n)| self.stream(person, format!("pieces-{n}")))).await;
        read.into_iter().flatten().collect()
    }

    async fn stream(&self, person: &Person, thread: String) -> Vec<f64> {
        let mut body = self.say(person, &thread, "write").await.bytes_stream();
        let (mut times, mut rest) = (Vec::new(), String::new());
        while let Some(bytes) = body.next().await {
            let now = micros();
            rest.push_str(&String::from_utf8_lossy(&bytes.expect("bytes")));
            while let Some((line, after)) = rest.split_once('\n') {
                let chunk: Value = line
                    .strip_prefix("data: ")
                    .and_then(|data| serde_json::from_str(data).ok())
                    .unwrap_or_default();
                if chunk["type"] == "text-delta" {
                    let stamps = chunk["delta"].as_str().unwrap_or_default().split_whitespace();
                    let sent = stamps.filter_map(|stamp| stamp.parse::<u64>().ok());
                    times.extend(
                        sent.map(|sent| {
                            Duration::from_micros(now.saturating_sub(sent)).as_secs_f64() * 1_000.0
                        }),
                    );
                }
                rest = after.to_owned();
            }
        }
        assert_eq!(times.len(), PIECES, "a piece is lost");
        times
    }

    /// Returns the times from the request of a step that calls a read to the next request.
    async fn steps(&self, arrivals: &Arrivals) -> Vec<f64> {
        let mut times = Vec::new();
        for n in 0..ROUNDS {
            // The provider answers at once: the step has ended when the client reads of the call.
            let mut body = self.say(&self.people[0], &format!("steps-{n}"), "read").await.bytes_stream();
            let mut called = None;
            while let Some(bytes) = body.next().await {
                let text = String::from_utf8_lossy(&bytes.expect("bytes")).into_owned();
                if called.is_none() && text.contains("tool-input-start") {
                    called = Some(Instant::now());
                }
            }
            let arrived = last(arrivals);
            times.push(arrived.saturating_duration_since(called.expect("a call")).as_secs_f64() * 1_000.0);
        }
        times
    }

    /// Returns the times from the second step of a typed approval in the chat to the next request.
    async fn decisions(&self, arrivals: &Arrivals) -> Vec<f64> {
        let (owner, mut times) = (&self.people[0], Vec::new());
        for n in 0..ROUNDS / 4 {
            let (name, thread) = (format!("Measured {n}"), format!("decisions-{n}"));
            self.post(owner, "/v1/actions/platform_create_agent", &json!({ "name": name, "role": "worker" }))
                .await;
            let text =
                self.say(owner, &thread, &format!("delete {name}")).await.text().await.expect("a stream");
            let find = |kind: &str, field: &str| -> Value {
                let chunks = text.lines().filter_map(|line| line.strip_prefix("data: "));
                let mut chunks = chunks.filter_map(|data| serde_json::from_str::<Value>(data).ok());
                chunks.find(|chunk| chunk["type"] == kind).expect("a chunk")[field].clone()
            };
            let approval = find("tool-approval-request", "approvalId").as_str().expect("an ID").to_owned();
            let (call, run) = (find("tool-approval-request", "toolCallId"), find("start", "messageId"));
            let body = |id: String, reason: Option<&str>| {
                let approval = json!({ "id": id, "approved": true, "reason": reason });
                let part = json!({
                    "type": "dynamic-tool", "toolCallId": call, "state": "approval-responded",
                    "approval": approval,
                });
                json!({ "id": thread, "message": { "id": run, "role": "assistant", "parts": [part] } })
            };
            let first = body(approval.clone(), None);
            self.post(owner, "/v1/assistant/chat", &first).await.text().await.expect("a stream");
            let begun = Instant::now();
            let second = body(format!("{approval}.1"), Some(&name));
            self.post(owner, "/v1/assistant/chat", &second).await.text().await.expect("a stream");
            times.push(last(arrivals).saturating_duration_since(begun).as_secs_f64() * 1_000.0);
        }
        times
    }
}

fn last(arrivals: &Arrivals) -> Instant {
    let arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
    *arrivals.last().expect("a request with an answer")
}

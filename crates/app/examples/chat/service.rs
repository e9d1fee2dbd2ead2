//! The client: people who chat.

use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, future::join_all};
use serde_json::{Value, json};

use crate::{
    process::{Person, Process},
    provider::{Asked, PIECES, micros},
};

/// Repetitions of a measurement of single requests.
const ROUNDS: usize = 40;

pub struct Service {
    client: reqwest::Client,
    base: String,
    /// The demo's people.
    pub people: Vec<Person>,
}

impl Service {
    /// Waits until the service listens, and raises the limits of the demo's workspaces.
    pub async fn find(process: &Process) -> Self {
        let (base, demo) = (process.base().await, process.demo());
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
    pub async fn pieces(&self, people: &[Person], streams: usize) -> Vec<f64> {
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
                times.extend(sent(line).iter().map(|sent| milliseconds(now.saturating_sub(*sent))));
                rest = after.to_owned();
            }
        }
        assert_eq!(times.len(), PIECES, "a piece is lost");
        times
    }

    /// Returns the times from the request of a step that calls a read to the next request.
    pub async fn steps(&self, asked: &Asked) -> Vec<f64> {
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
            times.push(since(called.expect("a call"), asked));
        }
        times
    }

    /// Returns the times from the second step of a typed approval in the chat to the next request.
    pub async fn decisions(&self, asked: &Asked) -> Vec<f64> {
        let (owner, mut times) = (&self.people[0], Vec::new());
        for n in 0..ROUNDS / 4 {
            let (name, thread) = (format!("Measured {n}"), format!("decisions-{n}"));
            let agent = json!({ "name": name, "role": "worker" });
            self.post(owner, "/v1/actions/platform_create_agent", &agent).await;
            let text =
                self.say(owner, &thread, &format!("delete {name}")).await.text().await.expect("a stream");
            let approval = find(&text, "tool-approval-request", "approvalId");
            let approval = approval.as_str().expect("an ID");
            let body = |id: &str, reason: Option<&str>| {
                let call = find(&text, "tool-approval-request", "toolCallId");
                let approval = json!({ "id": id, "approved": true, "reason": reason });
                let part = json!({
                    "type": "dynamic-tool", "toolCallId": call, "state": "approval-responded",
                    "approval": approval,
                });
                let run = find(&text, "start", "messageId");
                json!({ "id": thread, "message": { "id": run, "role": "assistant", "parts": [part] } })
            };
            let first = body(approval, None);
            self.post(owner, "/v1/assistant/chat", &first).await.text().await.expect("a stream");
            let begun = Instant::now();
            let second = body(&format!("{approval}.1"), Some(&name));
            self.post(owner, "/v1/assistant/chat", &second).await.text().await.expect("a stream");
            times.push(since(begun, asked));
        }
        times
    }

    /// Sends messages in one thread. Returns the share of their requests' bytes with which the request before
    /// began too.
    pub async fn same_prefix(&self, turns: usize, asked: &Asked) -> f64 {
        for n in 0..turns {
            let words = format!("Which of our agents did the most, please? This is the {n}th turn");
            self.say(&self.people[0], "turns", &words).await.text().await.expect("a stream");
        }
        let turns = std::mem::take(&mut asked.lock().turns);
        let pairs = turns.windows(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
        let (mut same, mut all) = (0, 0);
        for (before, now) in pairs {
            same += before.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
            all += now.len();
        }
        share(same, all)
    }
}

/// Returns the times at which the pieces in a line of the stream were sent.
fn sent(line: &str) -> Vec<u64> {
    let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
    let text = data.filter(|chunk| chunk["type"] == "text-delta").map(|chunk| chunk["delta"].clone());
    let text = text.unwrap_or_default();
    text.as_str().unwrap_or_default().split_whitespace().filter_map(|stamp| stamp.parse().ok()).collect()
}

/// Returns a field of the first chunk of a kind.
fn find(stream: &str, kind: &str, field: &str) -> Value {
    let chunks = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut chunks = chunks.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    chunks.find(|chunk| chunk["type"] == kind).expect("a chunk")[field].clone()
}

/// Returns the milliseconds from `begun` to the last request with the answer of a tool.
fn since(begun: Instant, asked: &Asked) -> f64 {
    let arrived = asked.lock().last_answer.expect("a request with an answer");
    arrived.saturating_duration_since(begun).as_secs_f64() * 1_000.0
}

fn milliseconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64() * 1_000.0
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).expect("small"));
    number(part) / number(whole)
}

//! The client of models against a provider on a real socket.

mod chat_calls;
mod chat_completions;
mod hostile;
mod messages;
mod responses;
mod retries;

use std::{sync::Mutex, time::Duration};

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_connectors::{
    llm::{
        LlmClient, LlmSettings, Model as _, ModelAnswer, ModelError, ModelEvent, ModelFormat, ModelRequest,
        Provider, StepTurn, ToolAnswer, Turn,
    },
    upstream::{UpstreamClient, UpstreamClientSettings, UpstreamCredential},
};
use toolcrib_testkit::FakeModel;

/// The key of the provider.
const KEY: &str = "sk-live-0123456789abcdef";

/// Settings with which broken answers end soon.
fn quick() -> LlmSettings {
    LlmSettings {
        idle: Duration::from_millis(300),
        whole: Duration::from_secs(5),
        settle: Duration::from_millis(200),
        retry: Duration::from_millis(2),
        ..LlmSettings::default()
    }
}

fn provider(fake: &FakeModel, format: ModelFormat, settings: LlmSettings) -> Provider {
    let allowed =
        UpstreamClientSettings { allowed_hosts: vec!["127.0.0.1".to_owned()], own_hosts: Vec::new() };
    Provider {
        client: UpstreamClient::new(allowed).unwrap(),
        upstream: "w/models".to_owned(),
        base_url: fake.url.parse().unwrap(),
        format,
        credential: Some(bearer(KEY)),
        roots: None,
        settings,
    }
}

fn bearer(key: &str) -> UpstreamCredential {
    UpstreamCredential::Bearer(SecretString::from(key))
}

fn client_with(fake: &FakeModel, format: ModelFormat, settings: LlmSettings) -> LlmClient {
    LlmClient::new(provider(fake, format, settings))
}

fn client(fake: &FakeModel, format: ModelFormat) -> LlmClient {
    client_with(fake, format, quick())
}

/// A request with one message of a person.
fn request(turns: impl IntoIterator<Item = Turn>) -> ModelRequest {
    ModelRequest {
        model: "small".to_owned(),
        system: "You help.".to_owned(),
        tools: [].into(),
        turns: [user("Hello")].into_iter().chain(turns).collect(),
        no_calls: false,
        temperature: None,
        thread: "th_1".to_owned(),
        keep_reasoning: true,
    }
}

fn user(text: &str) -> Turn {
    Turn::User(text.to_owned())
}

/// The turn that an answer becomes. Each of its calls is answered with `ok`.
fn step(answer: &ModelAnswer) -> Turn {
    let ok = |id: &String| ToolAnswer { id: id.clone(), text: "ok".to_owned(), is_error: false };
    Turn::Step(StepTurn {
        text: answer.text.clone(),
        calls: answer.calls.clone(),
        answers: answer.calls.iter().map(|call| ok(&call.id)).collect(),
        native: Some(answer.native.clone()),
    })
}

/// Asks, and returns also what was shown.
async fn ask(
    client: &LlmClient,
    request: &ModelRequest,
) -> (Result<ModelAnswer, ModelError>, Vec<ModelEvent>) {
    let shown = Mutex::new(Vec::new());
    let mut on_event = |event| shown.lock().unwrap().push(event);
    let answer = client.ask(request, &mut on_event).await;
    (answer, shown.into_inner().unwrap())
}

/// The names and arguments of an answer's calls.
fn calls(answer: &ModelAnswer) -> Vec<(&str, &str)> {
    answer.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect()
}

/// The texts that were shown since the beginning or the last [`ModelEvent::Restarted`].
fn shown_text(events: &[ModelEvent]) -> String {
    let last = events.split(|event| *event == ModelEvent::Restarted).next_back().unwrap_or_default();
    last.iter()
        .filter_map(|event| if let ModelEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

/// A stream of events without names.
fn stream<'v>(events: impl IntoIterator<Item = &'v Value>) -> String {
    let events: Vec<String> = events.into_iter().map(|event| format!("data: {event}\n\n")).collect();
    events.concat()
}

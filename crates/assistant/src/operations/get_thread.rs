//! Reads the messages of a thread, in the shape of the AI SDK's `UIMessage`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_engine::{ActionError, CallerTools, ReadAction, ReadCx, mask};
use toolcrib_model::{Id, count};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{assistant_runs::RunRow, assistant_steps::CallRow};

use super::{
    owner,
    thread::{ThreadArgs, missing},
    view::{ApproveUrls, RunView, short},
};
use crate::{
    Providers,
    calls::{action_of, parameters_of},
    stored::{Step, StoredRun, runs_of_thread},
};

/// The most runs that are shown.
const RUNS: i64 = 50;

pub struct GetThread(pub Arc<Providers>);

/// A thread with its newest messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Thread {
    /// Name.
    pub thread: String,
    /// Messages, oldest first. While a run is queued or running, the last one is the person's.
    pub messages: Vec<Message>,
    /// Last run; absent if there is none.
    pub last_run: Option<RunView>,
}

/// A message, as `useChat` takes it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Message {
    /// ID of the message, or of its run.
    pub id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// Parts.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// `text`, `reasoning`, `step-start` or `dynamic-tool`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text of the message or of the reasoning.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `done` for texts. For calls `output-available` or `output-error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Action of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// ID of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Arguments of a call, with sensitive values masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// What the model read about the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why the call was refused or failed.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
}

impl ReadAction for GetThread {
    type Input = ThreadArgs;
    type Output = Thread;

    fn spec() -> Spec {
        Spec::program("assistant.get_thread", Level::Read, Permission::ASSISTANT_USE)
            .describe("Read the newest messages of a thread of the caller, as front ends show them.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &ThreadArgs) -> Result<Thread, ActionError> {
        let runs = runs_of_thread(cx.tx, owner(cx.caller), &input.thread, RUNS).await?;
        let Some(last) = runs.last() else { return Err(missing(&input.thread)) };
        let (last_run, urls) = (Some(short(last.row.clone())), ApproveUrls::new(&self.0, cx.policy));
        let mut messages = Vec::new();
        for StoredRun { row: run, steps } in runs {
            messages.push(said(&run));
            if !run.state.goes_on() && !steps.is_empty() {
                let parts = steps.iter().flat_map(|step| parts(step, &cx.tools, urls)).collect();
                messages.push(Message { id: run.id.to_string(), role: "assistant".to_owned(), parts });
            }
        }
        Ok(Thread { thread: input.thread.clone(), messages, last_run })
    }

    fn describe(input: &ThreadArgs, thread: &Thread) -> String {
        format!("Read {} of thread `{}`", count(thread.messages.len(), "message"), input.thread)
    }
}

fn said(run: &RunRow) -> Message {
    let id = run.message_id.clone().unwrap_or_else(|| format!("{}-message", run.id));
    Message { id, role: "user".to_owned(), parts: vec![text("text", &run.message)] }
}

fn text(kind: &str, text: &str) -> Part {
    Part {
        kind: kind.to_owned(),
        text: Some(text.to_owned()),
        state: Some("done".to_owned()),
        ..Part::default()
    }
}

fn parts(step: &Step, tools: &CallerTools<'_>, urls: ApproveUrls<'_>) -> Vec<Part> {
    let mut parts = vec![Part { kind: "step-start".to_owned(), ..Part::default() }];
    let said = [("reasoning", &step.row.reasoning), ("text", &step.row.text)];
    parts.extend(said.into_iter().filter(|(_, said)| !said.is_empty()).map(|(kind, said)| text(kind, said)));
    parts.extend(step.calls.iter().map(|call| call_part(call, tools, urls)));
    parts
}

fn call_part(call: &CallRow, tools: &CallerTools<'_>, urls: ApproveUrls<'_>) -> Part {
    let action = action_of(&call.name, &call.arguments);
    let mut input = parameters_of(&call.name, &call.arguments);
    // The arguments of an unknown action can't be masked, and are not shown.
    let input = tools.catalog.registry().get(&action).map(|meta| {
        mask::mask(meta.input.value(), &mut input);
        input
    });
    let part = Part {
        kind: "dynamic-tool".to_owned(),
        tool_name: Some(action),
        tool_call_id: Some(call.id.to_string()),
        input: Some(input.unwrap_or_else(|| json!({}))),
        ..Part::default()
    };
    let answer: Option<Value> = call.answer.as_deref().and_then(|answer| serde_json::from_str(answer).ok());
    if call.is_error {
        let why = answer.as_ref().and_then(|answer| answer["message"].as_str()).unwrap_or("the call failed");
        let state = Some("output-error".to_owned());
        return Part { state, error_text: Some(why.to_owned()), ..part };
    }
    let output = answer.or_else(|| call.confirmation_id.map(|id| waiting(id, urls))).unwrap_or(Value::Null);
    Part { state: Some("output-available".to_owned()), output: Some(output), ..part }
}

/// What stands in the place of a call's output while a person has not decided.
fn waiting(confirmation: Id, urls: ApproveUrls<'_>) -> Value {
    json!({
        "status": "confirmation_required", "confirmation": confirmation, "approve_url": urls.of(confirmation),
    })
}

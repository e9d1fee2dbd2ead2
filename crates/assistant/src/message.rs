//! The assistant's message in a run, as one reader is shown it now, in the shape of the AI SDK's `UIMessage`. The list
//! of a thread's messages and the stream of a run are made of it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_auth::{Authenticated, StoredCaller};
use toolcrib_engine::{
    ActionError, AdmittedCaller, ConfirmationView, Outcome, PlannedCall, SummaryLine, mask,
};
use toolcrib_model::{ErrorCode, Id, RunState, Surface, Ts};
use toolcrib_registry::{ActionRegistry, Permission, Tool};
use toolcrib_store::{
    assistant_runs::{self, RunRow},
    assistant_steps::CallRow,
};

use crate::{
    Assistant, RunView,
    calls::{action_of, parameters_of},
    transcript::{Step, newest_run, steps_of_run},
    view::{ApproveUrls, MessageMetadata, finish, is_open, owner, short},
};

/// What the assistant says and does in a run.
#[derive(Clone, Debug)]
pub struct RunMessage {
    /// The run, without its text and confirmations.
    pub run: RunView,
    /// Steps that are stored, in order.
    pub steps: Vec<MessageStep>,
    /// Confirmations that its calls wait or waited for.
    pub confirmations: Vec<Id>,
    /// Whether more comes without a person.
    pub goes_on: bool,
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
    /// What is known of the run; for messages of the assistant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MessageMetadata>,
}

/// A step of a message.
#[derive(Clone, Debug)]
pub struct MessageStep {
    /// Number of the step, from 1.
    pub number: i64,
    /// Reasoning, text, calls and confirmations, in this order.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// `text`, `reasoning`, `step-start`, `dynamic-tool` or `data-confirmation`.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of a confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Text of the message or of the reasoning.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `done` for texts. For calls `input-available` while it is not answered, `approval-requested` if the reader may decide
    /// it, `output-available` or `output-error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Action of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Title of the action, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// ID of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Arguments of a call, with sensitive values masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// What the model read about the call, with its `call_id`, or what became of it after its run had ended. `status`,
    /// `confirmation` and `approve_url` while it waits, and the reader can't decide it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why the call was refused or failed.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// What the reader may decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<PartApproval>,
    /// Confirmation that a call waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ConfirmationData>,
}

/// An approval that a call waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartApproval {
    /// ID of the confirmation.
    pub id: String,
}

/// A confirmation that a call waits for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConfirmationData {
    /// Action that would run.
    pub action: String,
    /// The call in one sentence.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub description: String,
    /// `simple` or `typed`.
    pub level: String,
    /// What a person types for a `typed` one.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Warning that is shown first.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Up to five parameters in readable form.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub summary: Vec<SummaryLine>,
    /// When it expires.
    pub expires_at: Ts,
    /// Where a person decides.
    pub approve_url: String,
    /// Whether the reader may decide it here.
    pub can_decide: bool,
    /// Why the last approval did not count.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Assistant {
    /// Returns the assistant's message in a run of the caller, as it is now. 404 for another person's run. It has no
    /// audit row: for streams, and for what a response about a thread adds to its operation.
    pub async fn message(&self, authenticated: &Authenticated, run: Id) -> Result<RunMessage, ActionError> {
        let found = self.messages(authenticated, &[run]).await?.pop();
        found.ok_or_else(|| ActionError::not_found("run", &run.to_string()))
    }

    /// Like [`Assistant::message`], of several runs. Those of others are left out.
    pub async fn messages(
        &self,
        authenticated: &Authenticated,
        runs: &[Id],
    ) -> Result<Vec<RunMessage>, ActionError> {
        let admitted = self.admit_reader(authenticated).await?;
        let owner = owner(&admitted.caller)?;
        let mut found = Vec::new();
        let mut tx = self.db.read(admitted.caller.workspace).await?;
        for run in runs {
            let row = assistant_runs::get(&mut tx, *run).await?.filter(|row| row.owner_id == owner);
            if let Some(row) = row {
                found.push((row, steps_of_run(&mut tx, *run).await?));
            }
        }
        tx.end().await?;
        let mut messages = Vec::new();
        for (row, steps) in found {
            let reader = Reader { assistant: self, authenticated, admitted: &admitted, row: &row };
            messages.push(Box::pin(reader.message(&steps)).await?);
        }
        Ok(messages)
    }

    /// Returns the newest run of a thread of the caller; `None` if it has none.
    pub async fn newest_run(
        &self,
        authenticated: &Authenticated,
        thread: &str,
    ) -> Result<Option<Id>, ActionError> {
        let admitted = self.admit_reader(authenticated).await?;
        let owner = owner(&admitted.caller)?;
        let mut tx = self.db.read(admitted.caller.workspace).await?;
        let newest = newest_run(&mut tx, owner, thread).await;
        tx.end().await?;
        Ok(newest?.map(|row| row.id))
    }

    async fn admit_reader(&self, authenticated: &Authenticated) -> Result<AdmittedCaller, ActionError> {
        let admitted = self.engine.admit_with_catalog(authenticated, Surface::Assistant).await?;
        if admitted.caller.holds(&Permission::ASSISTANT_USE) {
            return Ok(admitted);
        }
        let detail = "this caller may not use the assistant";
        Err(ActionError::new(ErrorCode::PermissionDenied, detail).hint("it needs `assistant:use`"))
    }
}

struct Reader<'r> {
    assistant: &'r Assistant,
    authenticated: &'r Authenticated,
    admitted: &'r AdmittedCaller,
    row: &'r RunRow,
}

impl Reader<'_> {
    async fn message(&self, stored: &[Step]) -> Result<RunMessage, ActionError> {
        let waited = stored.iter().flat_map(|step| &step.calls).filter_map(|call| call.confirmation_id);
        let mut confirmations: Vec<Id> = waited.collect();
        let (steps, waits) = self.steps(stored).await?;
        let state = self.row.state;
        let goes_on = state.goes_on() || (state == RunState::Waiting && waits.is_empty());
        // One may have taken the place of that for which the call waited first.
        confirmations.extend(waits);
        let run = RunView { finish: finish(self.row, stored), ..short(self.row.clone()) };
        Ok(RunMessage { run, steps, confirmations, goes_on })
    }

    /// Returns the steps, and the confirmations that wait for a decision.
    async fn steps(&self, steps: &[Step]) -> Result<(Vec<MessageStep>, Vec<Id>), ActionError> {
        let registry = self.admitted.catalog.registry();
        let (mut shown, mut waits) = (Vec::new(), Vec::new());
        for step in steps {
            let (mut parts, mut confirmations) = (said(step), Vec::new());
            for call in &step.calls {
                let part = call_part(call, registry);
                if is_open(call) {
                    let Waiting { part, waits_for, confirmation } = self.waiting(call, part).await?;
                    parts.push(part);
                    waits.extend(waits_for);
                    confirmations.extend(confirmation);
                } else {
                    parts.push(part);
                }
            }
            parts.extend(confirmations);
            shown.push(MessageStep { number: step.row.step, parts });
        }
        Ok((shown, waits))
    }

    /// Returns what a call is now that waited, or had no known end, when the run was stored.
    async fn waiting(&self, call: &CallRow, part: Part) -> Result<Waiting, ActionError> {
        let engine = &self.assistant.engine;
        let caller = StoredCaller::from_text(self.row.caller.as_str());
        let in_progress = |part| output(part, json!({ "status": "in_progress" }));
        let part = match engine.planned_call(&caller, call.id).await? {
            PlannedCall::Waiting(id) => match engine.confirmation(self.authenticated, id).await {
                Ok(mut view) if view.status.is_open() => {
                    // The call of a run that has ended is decided at its URL.
                    view.can_decide.allowed &= self.row.state.is_open();
                    let (part, waits_for) = (undecided(part, &view), Some(id));
                    return Ok(Waiting { part, waits_for, confirmation: Some(confirmation_part(view)) });
                }
                // It was decided in this moment.
                Ok(_) => in_progress(part),
                // Such as a key that acts for the person and relays no decisions: it may read the run alone.
                Err(error) if error.code == ErrorCode::NotFound => {
                    let urls = ApproveUrls::new(&self.assistant.providers, &self.admitted.policy);
                    let part = output(part, confirmation_required(id, &urls.of(id)));
                    return Ok(Waiting { part, waits_for: Some(id), confirmation: None });
                }
                Err(error) => return Err(error),
            },
            PlannedCall::Running => in_progress(part),
            PlannedCall::NotBegun => self.without_key(call, part).await?,
            PlannedCall::Ended(outcome) => self.ended(part, &outcome),
        };
        Ok(Waiting { part, waits_for: None, confirmation: None })
    }

    /// Returns the part of a call without a key: it has not begun, or ended so long ago that the key has expired. What
    /// is known of its confirmation is kept longer.
    async fn without_key(&self, call: &CallRow, part: Part) -> Result<Part, ActionError> {
        let Some(id) = call.confirmation_id else { return Ok(part) };
        match self.assistant.engine.confirmation(self.authenticated, id).await {
            Ok(view) if view.status.has_ended() => Ok(self.ended(part, &view.outcome())),
            Err(error) if error.code != ErrorCode::NotFound => Err(error),
            _ => Ok(part),
        }
    }

    fn ended(&self, part: Part, outcome: &Outcome) -> Part {
        let registry = self.admitted.catalog.registry();
        let outcome = outcome.without_shown_secrets(registry);
        answered(part, outcome.for_model(registry), outcome.is_error(), outcome.call_id())
    }
}

/// A call that waited when its run was stored.
struct Waiting {
    part: Part,
    /// The confirmation that it waits for now.
    waits_for: Option<Id>,
    /// What the reader sees of it.
    confirmation: Option<Part>,
}

/// Returns the parts of a step that are texts.
fn said(step: &Step) -> Vec<Part> {
    let said = [("reasoning", &step.row.reasoning), ("text", &step.row.text)];
    said.into_iter().filter(|(_, said)| !said.is_empty()).map(|(kind, said)| text(kind, said)).collect()
}

fn text(kind: &str, text: &str) -> Part {
    Part {
        kind: kind.to_owned(),
        text: Some(text.to_owned()),
        state: Some("done".to_owned()),
        ..Part::default()
    }
}

/// Returns the parts of a step as it is stored, with its beginning.
pub fn stored_parts(step: &Step, registry: &ActionRegistry) -> Vec<Part> {
    let start = Part { kind: "step-start".to_owned(), ..Part::default() };
    let calls = step.calls.iter().map(|call| call_part(call, registry));
    std::iter::once(start).chain(said(step)).chain(calls).collect()
}

impl RunMessage {
    /// Returns the message with the parts of all steps, each with its beginning.
    pub fn into_message(self) -> Message {
        let start = || Part { kind: "step-start".to_owned(), ..Part::default() };
        let parts = self.steps.into_iter().flat_map(|step| std::iter::once(start()).chain(step.parts));
        Message::of_assistant(&self.run, parts.collect())
    }
}

impl Message {
    pub fn of_person(run: &RunRow) -> Self {
        let id = run.message_id.clone().unwrap_or_else(|| format!("{}-message", run.id));
        Self { id, role: "user".to_owned(), parts: vec![text("text", &run.message)], metadata: None }
    }

    pub fn of_assistant(run: &RunView, parts: Vec<Part>) -> Self {
        let metadata = Some(MessageMetadata {
            run: run.run,
            thread: run.thread.clone(),
            model: run.model.clone(),
            upstream: run.upstream.clone(),
            finish: run.finish,
            usage: run.usage,
            error: run.error.clone(),
        });
        Self { id: run.run.to_string(), role: "assistant".to_owned(), parts, metadata }
    }
}

/// Returns the part of a call as it is stored.
fn call_part(call: &CallRow, registry: &ActionRegistry) -> Part {
    let action = action_of(&call.name, &call.arguments);
    let mut input = parameters_of(&call.name, &call.arguments);
    // The arguments of an unknown action can't be masked, and are not shown.
    let meta = registry.get(&action);
    let input = meta.map(|meta| {
        mask::mask(meta.input.value(), &mut input);
        input
    });
    let part = Part {
        kind: "dynamic-tool".to_owned(),
        title: meta.map(|meta| Tool::of(meta).title.into_owned()),
        tool_name: Some(action),
        tool_call_id: Some(call.id.to_string()),
        input: Some(input.unwrap_or_else(|| json!({}))),
        state: Some("input-available".to_owned()),
        ..Part::default()
    };
    match &call.answer {
        Some(answer) => {
            let answer = serde_json::from_str(answer).unwrap_or(Value::Null);
            answered(part, answer, call.is_error, call.call_id)
        }
        None => part,
    }
}

/// Returns the part of a call with what the model reads of it. An output also has the `call_id` of its audit row.
fn answered(part: Part, mut answer: Value, is_error: bool, call_id: Option<Id>) -> Part {
    if !is_error {
        if let (Some(fields), Some(id)) = (answer.as_object_mut(), call_id) {
            fields.insert("call_id".to_owned(), id.to_string().into());
        }
        return output(part, answer);
    }
    let why = answer["message"].as_str().unwrap_or("the call failed").to_owned();
    Part { state: Some("output-error".to_owned()), error_text: Some(why), ..part }
}

fn output(part: Part, output: Value) -> Part {
    Part { state: Some("output-available".to_owned()), output: Some(output), ..part }
}

/// Returns the part of a call that nobody has decided.
fn undecided(part: Part, view: &ConfirmationView) -> Part {
    if view.can_decide.allowed {
        let approval = Some(PartApproval { id: view.id.to_string() });
        return Part { state: Some("approval-requested".to_owned()), approval, ..part };
    }
    output(part, confirmation_required(view.id, &view.approve_url))
}

/// Returns what stands in the place of a call's output while it is decided elsewhere.
fn confirmation_required(id: Id, approve_url: &str) -> Value {
    let message = format!("A person decides it at {approve_url}");
    json!({
        "status": "confirmation_required", "confirmation": id, "approve_url": approve_url, "message": message,
    })
}

fn confirmation_part(view: ConfirmationView) -> Part {
    let data = ConfirmationData {
        action: view.action,
        description: view.description,
        level: view.level,
        phrase: view.phrase,
        warning: view.warning,
        summary: view.summary,
        expires_at: view.expires_at,
        approve_url: view.approve_url,
        can_decide: view.can_decide.allowed,
        error: None,
    };
    let (kind, id) = ("data-confirmation".to_owned(), Some(view.id.to_string()));
    Part { kind, id, data: Some(data), ..Part::default() }
}

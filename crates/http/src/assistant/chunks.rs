//! The chunks of a UI message stream, as `ai` 6 and 7 read it: one event of JSON each.
//!
//! One chunk or member that a front end does not know ends its stream, so only those are sent that the oldest version
//! knows.

use std::collections::{HashMap, HashSet};

use axum::response::sse::Event;
use serde_json::{Value, json};
use toolcrib_assistant::{LiveStep, MessageStep, Part, RunMessage};
use toolcrib_model::{RunFinish, RunState};

use super::decisions::AskedAgain;

/// Writes what is new of a run's message for one reader. The default shows a run from its start.
#[derive(Default)]
pub(crate) struct Chunks {
    /// Events that were not sent yet.
    out: Vec<Event>,
    step: i64,
    /// Whether `start-step` was sent for it, and `finish-step` was not.
    is_open: bool,
    /// How often this step was shown anew.
    again: u32,
    /// The attempt of the live step that is shown.
    attempt: u64,
    /// Whether the reader has the step's texts already.
    has_said: bool,
    reasoning: Said,
    text: Said,
    /// The parts of the step's calls and confirmations that were sent, by their IDs. `None` if the reader has a part in
    /// an unknown state.
    sent: HashMap<String, Option<Part>>,
    /// Approvals that are asked for once more.
    asked_again: AskedAgain,
    has_warned: bool,
}

/// A text that is sent piece by piece.
#[derive(Default)]
struct Said {
    text: String,
    is_begun: bool,
    is_ended: bool,
}

impl Chunks {
    /// Shows a run to a reader that has these calls of its steps.
    pub fn after(steps: &[MessageStep], calls: &HashSet<String>, asked_again: AskedAgain) -> Self {
        let has = |part: &&Part| part.tool_call_id.as_ref().is_some_and(|id| calls.contains(id));
        let last = steps.iter().rev().find(|step| step.parts.iter().any(|part| has(&part)));
        // A client may say anything: only calls of the run are kept.
        let had = steps.iter().flat_map(|step| &step.parts).filter(has);
        let sent = had.filter_map(|part| part.tool_call_id.clone()).map(|id| (id, None)).collect();
        let (step, has_said) = (last.map_or(0, |step| step.number), last.is_some());
        Self { step, has_said, sent, asked_again, ..Self::default() }
    }

    /// Returns the events that were not sent yet.
    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.out)
    }

    /// The message begins, or goes on.
    pub fn start(&mut self, message: &RunMessage) {
        let run = &message.run;
        let mut metadata = json!({ "run": run.run, "thread": run.thread });
        for (name, value) in [("model", &run.model), ("upstream", &run.upstream)] {
            if let Some(value) = value {
                metadata[name] = value.as_str().into();
            }
        }
        self.push(&json!({ "type": "start", "messageId": run.run, "messageMetadata": metadata }));
        if let Some(replaced) = &run.model_replaced {
            let model = run.model.as_deref().unwrap_or_default();
            let text = format!("The model `{replaced}` is not available. `{model}` answers.");
            self.notice("model_replaced", &text);
        }
    }

    pub fn stored(&mut self, message: &RunMessage) {
        let first = self.step;
        for step in message.steps.iter().filter(|step| step.number >= first) {
            if step.number > self.step {
                self.begin(step.number);
            }
            self.said(step);
            // A front end that shows an approval finds its confirmation.
            let parts = |kind: &'static str| step.parts.iter().filter(move |part| part.kind == kind);
            parts("dynamic-tool").for_each(|part| self.call_input(part));
            parts("data-confirmation").for_each(|part| self.confirmation(part));
            parts("dynamic-tool").for_each(|part| self.call_state(part));
        }
    }

    /// Warns once of a provider that has not read all that it was sent.
    pub fn warn(&mut self, live: &LiveStep) {
        if live.is_prompt_cut && !std::mem::replace(&mut self.has_warned, true) {
            self.notice(
                "prompt_cut",
                "The model has read a part of the request only: its server gives it less context than it needs. \
                 With Ollama, set `OLLAMA_CONTEXT_LENGTH`.",
            );
        }
    }

    /// Shows what the model says now.
    pub fn live(&mut self, live: &LiveStep) {
        if live.step < self.step || (live.step == self.step && (self.has_said || !self.is_open)) {
            return;
        }
        if live.step > self.step {
            if live.text.is_empty() && live.reasoning.is_empty() {
                return;
            }
            self.begin(live.step);
            self.attempt = live.attempt;
        }
        if live.attempt != self.attempt {
            self.restart();
            self.attempt = live.attempt;
        }
        self.say("reasoning", &live.reasoning);
        self.say("text", &live.text);
    }

    /// The run has ended, or waits for people.
    pub fn finish(&mut self, message: &RunMessage) {
        self.finish_step();
        let run = &message.run;
        match (run.state, &run.error) {
            (RunState::Stopped, _) => self.push(&json!({ "type": "abort" })),
            (RunState::Failed, error) => {
                let text = error.as_ref().map(|error| format!("{}: {}", error.code, error.detail));
                self.error(&text.unwrap_or_else(|| "internal: the run failed".to_owned()));
            }
            (state, _) => {
                let waits = state == RunState::Waiting;
                let (reason, notice) = finish_reason(run.finish, waits);
                let mut metadata = json!({ "usage": run.usage });
                if let Some((finish, text)) = run.finish.zip(notice) {
                    metadata["finish"] = finish.as_str().into();
                    self.notice(finish.as_str(), text);
                }
                self.push(&json!({ "type": "finish", "finishReason": reason, "messageMetadata": metadata }));
            }
        }
        self.done();
    }

    /// The stream ends before the run.
    pub fn fail(&mut self, text: &str) {
        self.error(text);
        self.done();
    }

    fn error(&mut self, text: &str) {
        self.push(&json!({ "type": "error", "errorText": text }));
    }

    fn done(&mut self) {
        self.out.push(Event::default().data("[DONE]"));
    }

    fn begin(&mut self, step: i64) {
        self.finish_step();
        self.step = step;
        (self.is_open, self.has_said) = (true, false);
        (self.again, self.attempt) = (0, 0);
        (self.reasoning, self.text) = (Said::default(), Said::default());
        self.sent.clear();
        self.push(&json!({ "type": "start-step" }));
    }

    fn finish_step(&mut self) {
        self.end_said("reasoning");
        self.end_said("text");
        if std::mem::take(&mut self.is_open) {
            self.push(&json!({ "type": "finish-step" }));
        }
    }

    /// What was shown of the step is void.
    fn restart(&mut self) {
        if !self.reasoning.is_begun && !self.text.is_begun {
            return;
        }
        self.finish_step();
        let why = "The model was interrupted and is asked again. Its unfinished answer above does not count.";
        self.notice("asked_again", why);
        self.again += 1;
        (self.reasoning, self.text) = (Said::default(), Said::default());
        self.is_open = true;
        self.push(&json!({ "type": "start-step" }));
    }

    fn notice(&mut self, code: &str, text: &str) {
        self.push(&json!({ "type": "data-notice", "data": { "code": code, "text": text } }));
    }

    /// Shows the texts of a step that is stored.
    fn said(&mut self, step: &MessageStep) {
        if self.has_said {
            return;
        }
        let said = |kind: &str| {
            let part = step.parts.iter().find(|part| part.kind == kind);
            part.and_then(|part| part.text.as_deref()).unwrap_or_default()
        };
        let (reasoning, text) = (said("reasoning"), said("text"));
        // Another process may have asked the model again.
        if !reasoning.starts_with(&self.reasoning.text) || !text.starts_with(&self.text.text) {
            self.restart();
        }
        self.say("reasoning", reasoning);
        self.say("text", text);
        self.end_said("reasoning");
        self.end_said("text");
        self.has_said = true;
    }

    /// Sends what is new of a text, of which the reader has the beginning.
    fn say(&mut self, kind: &str, whole: &str) {
        let id = self.said_id(kind);
        let said = self.said_of(kind);
        let Some(new) = whole.get(said.text.len()..).filter(|new| !new.is_empty()) else { return };
        let is_first = !std::mem::replace(&mut said.is_begun, true);
        said.text.push_str(new);
        if is_first {
            self.push(&json!({ "type": format!("{kind}-start"), "id": id }));
        }
        self.push(&json!({ "type": format!("{kind}-delta"), "id": id, "delta": new }));
    }

    fn end_said(&mut self, kind: &str) {
        let id = self.said_id(kind);
        let said = self.said_of(kind);
        if said.is_begun && !std::mem::replace(&mut said.is_ended, true) {
            self.push(&json!({ "type": format!("{kind}-end"), "id": id }));
        }
    }

    fn said_id(&self, kind: &str) -> String {
        format!("{kind}-{}.{}", self.step, self.again)
    }

    fn said_of(&mut self, kind: &str) -> &mut Said {
        if kind == "text" { &mut self.text } else { &mut self.reasoning }
    }

    fn call_input(&mut self, part: &Part) {
        let Some(id) = part.tool_call_id.as_ref().filter(|id| !self.sent.contains_key(*id)) else { return };
        let name = part.tool_name.as_deref().unwrap_or_default();
        let start =
            json!({ "type": "tool-input-start", "toolCallId": id, "toolName": name, "dynamic": true });
        self.push(&start);
        let mut input = json!({
            "type": "tool-input-available", "toolCallId": id, "toolName": name, "input": part.input, "dynamic": true,
        });
        if let Some(title) = &part.title {
            input["title"] = title.as_str().into();
        }
        self.push(&input);
        self.sent.insert(id.clone(), None);
    }

    fn call_state(&mut self, part: &Part) {
        let Some(id) = &part.tool_call_id else { return };
        if self.sent.insert(id.clone(), Some(part.clone())).flatten().as_ref() == Some(part) {
            return;
        }
        let state = match part.state.as_deref() {
            Some("output-available") => {
                json!({ "type": "tool-output-available", "toolCallId": id, "output": part.output })
            }
            Some("output-error") => {
                json!({ "type": "tool-output-error", "toolCallId": id, "errorText": part.error_text })
            }
            Some("approval-requested") => {
                let asked = part.approval.as_ref().map(|approval| self.asked_again.approval_id(&approval.id));
                json!({ "type": "tool-approval-request", "approvalId": asked, "toolCallId": id })
            }
            _ => return,
        };
        self.push(&state);
    }

    fn confirmation(&mut self, part: &Part) {
        let (Some(id), Some(data)) = (&part.id, &part.data) else { return };
        if self.sent.insert(id.clone(), Some(part.clone())).flatten().as_ref() == Some(part) {
            return;
        }
        let data = self.asked_again.with_error(id, data.clone());
        self.push(&json!({ "type": "data-confirmation", "id": id, "data": data }));
    }

    fn push(&mut self, chunk: &Value) {
        self.out.push(Event::default().data(chunk.to_string()));
    }
}

/// Returns the AI SDK's word for the end of a run, and what a person is told of an answer that is not whole.
fn finish_reason(finish: Option<RunFinish>, waits: bool) -> (&'static str, Option<&'static str>) {
    match finish {
        Some(RunFinish::Length) => {
            ("length", Some("The answer was cut off: it is longer than the model may write."))
        }
        Some(RunFinish::ContentFilter) => {
            ("content-filter", Some("The model's provider withheld the answer."))
        }
        Some(RunFinish::Empty) => ("other", Some("The model said nothing.")),
        Some(RunFinish::Steps) => ("other", Some("The run reached its limit of steps before it was done.")),
        None if waits => ("tool-calls", None),
        None => ("stop", None),
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_assistant::{RunUsage, RunView};
    use toolcrib_model::{Id, Ts};

    use super::*;

    fn message(texts: &[&str]) -> RunMessage {
        let usage = RunUsage {
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
            cost_microusd: 0,
            cost_known: Some(true),
        };
        let run = RunView {
            run: Id::from_u128(1),
            kind: toolcrib_model::RunKind::Chat,
            about: None,
            position: None,
            thread: "t1".to_owned(),
            message_id: None,
            state: RunState::Running,
            model: Some("small".to_owned()),
            upstream: None,
            model_replaced: None,
            agent: None,
            steps: 1,
            text: None,
            finish: None,
            usage,
            confirmations: None,
            error: None,
            created_at: Ts::from_micros(0),
            ended_at: None,
        };
        let step = |(n, text): (usize, &&str)| {
            let (kind, text) = ("text".to_owned(), Some((*text).to_owned()));
            let number = i64::try_from(n).unwrap_or_default() + 1;
            MessageStep { number, parts: vec![Part { kind, text, ..Part::default() }] }
        };
        let steps = texts.iter().enumerate().map(step).collect();
        RunMessage { run, steps, confirmations: Vec::new(), goes_on: true }
    }

    fn live(step: i64, attempt: u64, text: &str) -> LiveStep {
        LiveStep { step, attempt, text: text.to_owned(), ..LiveStep::default() }
    }

    #[test]
    fn a_step_that_is_stored_is_not_shown_again() {
        let mut chunks = Chunks::default();
        chunks.stored(&message(&["I look."]));
        assert_eq!(chunks.take().len(), 4, "its start, and its text in three");
        // What the process still has of it is another attempt than the reader knows.
        chunks.live(&live(1, 7, "I look."));
        assert!(chunks.take().is_empty());
        chunks.live(&live(2, 8, "Next"));
        assert_eq!(chunks.take().len(), 4, "the end of the first, and the start of the second");
    }

    #[test]
    fn another_attempt_begins_the_text_anew() {
        let mut chunks = Chunks::default();
        chunks.live(&live(1, 3, "Hello wor"));
        chunks.take();
        chunks.live(&live(1, 5, "Good morning"));
        // The end of the text and of the step, a notice, a step, and the new text in two.
        assert_eq!(chunks.take().len(), 6);
        chunks.stored(&message(&["Good morning"]));
        assert_eq!(chunks.take().len(), 1, "the end of the text");
    }

    /// A client may name any number of calls.
    #[test]
    fn only_calls_of_the_run_are_kept() {
        let steps = message(&["One"]).steps;
        let calls = (0..100_000).map(|n| n.to_string()).collect();
        let chunks = Chunks::after(&steps, &calls, AskedAgain::default());
        assert_eq!(chunks.sent.capacity(), 0);
    }
}

//! Carries out the calls of a step, and stores their answers.
//!
//! Neighbouring reads run together, a write alone, in the order of the calls. Whoever answers a call without running it
//! closes its key first, so that the answer stays true.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep, timeout};
use toolcrib_auth::Authenticated;
use toolcrib_connectors::llm::Finish;
use toolcrib_engine::{
    ActionError, AdmittedCaller, Arguments, CallKey, CallRequest, Outcome, PlannedCall, Problem, ToolCall,
    model_arguments,
};
use toolcrib_model::{ErrorCode, PlannedCallState, RunState, Surface};
use toolcrib_registry::{ActionKind, Dispatcher, Format, Level};
use toolcrib_store::assistant_steps::{self, CallRow};

use crate::run::{Halt, OpenRun, finish_word, most_steps};

/// Calls of a step that run. Further ones are answered as refused.
const MAX_CALLS: usize = 32;
/// Reads that run at the same time.
const TOGETHER: usize = 8;
/// What a model reads about a call that nobody had decided when its run ended.
const UNDECIDED: &str = "{\"status\":\"confirmation_required\",\"message\":\"The run ended before the call was decided. It may \
    still be approved.\"}";
/// How long a call that runs elsewhere is waited for, and how often it is looked at: the longest time limit of a call,
/// the minute until a worker records that nobody knows its end, and one more.
const RUNNING: Duration = Duration::from_secs(u8::MAX as u64 + 120);
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Errors of calls whose end may be found out later.
const NOT_KNOWN: [ErrorCode; 2] = [ErrorCode::InProgress, ErrorCode::OutcomeUnknown];
/// How long a limit of the workspace is waited out, once a call.
const LIMIT_SECONDS: u64 = 60;

impl OpenRun {
    /// Answers the open calls of the last step and commits. Returns whether the run goes on.
    pub async fn answer_calls(&mut self) -> Result<bool, Halt> {
        let Some(step) = self.steps.last() else { return Ok(true) };
        let is_last = step.row.step >= most_steps(self.row.kind);
        let refusal = if step.row.finish == finish_word(Finish::Length) {
            Some("the message was cut off before the end of its calls: make fewer or smaller calls")
        } else if is_last {
            Some("the run has reached its limit of steps")
        } else {
            None
        };
        match refusal {
            Some(reason) => self.close_open_calls(reason).await?,
            None => self.run_calls().await?,
        }
        let calls = self.last_calls();
        let waits = calls.iter().any(|call| call.state == PlannedCallState::Waiting);
        let state = match (waits, is_last) {
            (true, _) => RunState::Waiting,
            (false, false) => RunState::Running,
            (false, true) if self.row.kind.is_background() => RunState::Failed,
            (false, true) => RunState::Completed,
        };
        let limit = (ErrorCode::BudgetExceeded.as_str(), "it has reached its limit of steps");
        let error = (state == RunState::Failed).then_some(limit);
        self.commit(state, error, None, &calls).await?;
        Ok(state == RunState::Running)
    }

    async fn run_calls(&mut self) -> Result<(), Halt> {
        let admitted = self.admit().await?;
        let mut at = 0;
        while let Some(open) = self.open_call(at) {
            self.check_end()?;
            let calls = self.steps.last().map(|step| step.calls.as_slice()).unwrap_or_default();
            // A call beyond the limit is closed by a write, of which a task has one at a time.
            let runs_beside = |call: &&CallRow| {
                call.state != PlannedCallState::Answered && !is_beyond(call) && is_read(&admitted, call)
            };
            let count = calls[open..].iter().take(TOGETHER).take_while(runs_beside).count().max(1);
            let group = calls[open..open + count].iter();
            let answered = join_all(group.map(|call| self.answer(&admitted, call.clone()))).await;
            let mut halted = Ok(());
            for call in answered {
                match call {
                    Ok(call) => self.replace_calls(vec![call]),
                    Err(halt) => halted = Err(halt),
                }
            }
            // What ran beside a call that halts keeps its answer.
            halted?;
            at = open + count;
        }
        Ok(())
    }

    /// Returns the position of the first call from `at` on that is not answered.
    fn open_call(&self, at: usize) -> Option<usize> {
        let calls = &self.steps.last()?.calls;
        (at..calls.len()).find(|index| calls[*index].state != PlannedCallState::Answered)
    }

    /// Returns the calls of the last step.
    pub fn last_calls(&self) -> Vec<CallRow> {
        self.steps.last().map(|step| step.calls.clone()).unwrap_or_default()
    }

    fn replace_calls(&mut self, changed: Vec<CallRow>) {
        let Some(step) = self.steps.last_mut() else { return };
        for call in changed {
            if let Some(own) = step.calls.iter_mut().find(|own| own.id == call.id) {
                *own = call;
            }
        }
    }

    /// Runs a call, or reads what became of it.
    async fn answer(&self, admitted: &AdmittedCaller, mut call: CallRow) -> Result<CallRow, Halt> {
        if is_beyond(&call) {
            let error = limit_error(&format!("a step runs {MAX_CALLS} calls: make this one again"));
            return self.close(admitted, call, &error).await;
        }
        let begun = if self.is_resumed { self.planned(&call).await? } else { PlannedCall::NotBegun };
        let ended = match begun {
            PlannedCall::NotBegun => self.call(&call).await?,
            begun => match self.settled(&call, begun).await? {
                // It could not be sent.
                PlannedCall::NotBegun => self.call(&call).await?,
                settled => settled,
            },
        };
        set_outcome(admitted, &mut call, ended);
        Ok(call)
    }

    async fn planned(&self, call: &CallRow) -> Result<PlannedCall, Halt> {
        Ok(self.assistant.engine.planned_call(&self.caller, call.id).await?)
    }

    /// Makes the call. A limit of the workspace is waited out once.
    async fn call(&self, call: &CallRow) -> Result<PlannedCall, Halt> {
        let mut waited = false;
        loop {
            let outcome = self.assistant.engine.call(self.request(call)).await.outcome;
            match outcome {
                Outcome::Waiting(waiting) => return Ok(PlannedCall::Waiting(waiting.confirmation.id)),
                Outcome::Refused(problem) if problem.code == ErrorCode::InProgress => {
                    return match self.planned(call).await? {
                        // Another call is in progress, for the same thing. Nothing of this one has run.
                        PlannedCall::NotBegun => Ok(PlannedCall::Ended(Box::new(Outcome::Refused(problem)))),
                        begun => self.settled(call, begun).await,
                    };
                }
                Outcome::Refused(problem) if !waited && is_short_limit(&problem) => {
                    waited = true;
                    let limit = Duration::from_secs(problem.retry_after.unwrap_or(1));
                    let _ = timeout(limit, self.lease.ended()).await;
                    self.check_end()?;
                }
                outcome => return Ok(PlannedCall::Ended(Box::new(outcome))),
            }
        }
    }

    /// Waits for a call that runs elsewhere.
    async fn settled(&self, call: &CallRow, mut now: PlannedCall) -> Result<PlannedCall, Halt> {
        let end = Instant::now() + RUNNING;
        while matches!(now, PlannedCall::Running) && Instant::now() < end {
            sleep(POLL_INTERVAL).await;
            now = self.planned(call).await?;
        }
        Ok(now)
    }

    fn request(&self, call: &CallRow) -> CallRequest {
        CallRequest {
            authenticated: Authenticated::stored(self.caller.clone()),
            offers: ActionKind::Tool,
            name: call.name.clone(),
            arguments: Arguments::Text(call.arguments.clone()),
            surface: Surface::Assistant,
            idempotency_key: Some(CallKey::Run(call.id)),
            tool_call: Some(ToolCall { id: call.id.to_string(), format: Format::Openai }),
            request_id: self.row.id.to_string(),
            trace_id: None,
        }
    }

    /// Answers a call without running it.
    async fn close(
        &self,
        admitted: &AdmittedCaller,
        mut call: CallRow,
        error: &ActionError,
    ) -> Result<CallRow, Halt> {
        let closed = self.assistant.engine.close_call(&self.caller, call.id, error).await?;
        let ended = self.settled(&call, closed).await?;
        set_outcome(admitted, &mut call, ended);
        Ok(call)
    }

    /// Answers the open calls of the last step without running them. Confirmations that no other run waits for end.
    pub async fn close_open_calls(&mut self, reason: &str) -> Result<(), Halt> {
        let open = self
            .steps
            .iter()
            .flat_map(|step| &step.calls)
            .filter(|call| call.state != PlannedCallState::Answered);
        let error = limit_error(reason);
        let mut closed = Vec::new();
        for call in open {
            let mut call = call.clone();
            let mut now = self.assistant.engine.close_call(&self.caller, call.id, &error).await?;
            if let PlannedCall::Waiting(confirmation) = now {
                let mut tx = self.assistant.db.read(self.workspace).await?;
                let wanted = assistant_steps::others_wait(&mut tx, self.row.id, confirmation).await?;
                tx.end().await?;
                if !wanted {
                    self.assistant.engine.withdraw(&self.caller, confirmation, reason).await?;
                    now = self.planned(&call).await?;
                }
            }
            let ended = self.settled(&call, now).await?;
            set_closed(&mut call, ended);
            closed.push(call);
        }
        self.replace_calls(closed);
        Ok(())
    }
}

/// Answers a call that waits, whose run ends. Its confirmation stays open.
pub fn leave_undecided(call: &mut CallRow) {
    call.state = PlannedCallState::Answered;
    call.answer = Some(UNDECIDED.to_owned());
}

/// Returns whether the call was answered before its end was known: it waited, or ran.
pub fn was_open(call: &CallRow) -> bool {
    let answer = call.answer.as_deref().and_then(|answer| serde_json::from_str(answer).ok());
    let answer: Value = answer.unwrap_or_default();
    let error = answer["error"].as_str();
    answer["status"] == "confirmation_required" || NOT_KNOWN.iter().any(|code| error == Some(code.as_str()))
}

/// Returns whether an outcome says that nobody knows the end.
pub fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Refused(problem) if NOT_KNOWN.contains(&problem.code))
}

fn limit_error(reason: &str) -> ActionError {
    ActionError::new(ErrorCode::Conflict, format!("the call was not run: {reason}"))
}

fn is_short_limit(problem: &Problem) -> bool {
    problem.code == ErrorCode::RateLimited && problem.retry_after.is_some_and(|after| after <= LIMIT_SECONDS)
}

/// Returns the name of the action that a call is for, through its dispatcher.
pub fn action_of(name: &str, arguments: &str) -> String {
    if Dispatcher::parse(name).is_none() {
        return name.to_owned();
    }
    let arguments = model_arguments(arguments.into()).unwrap_or_default();
    arguments["action"].as_str().unwrap_or(name).to_owned()
}

/// Returns whether a call is one more than a step runs.
fn is_beyond(call: &CallRow) -> bool {
    usize::try_from(call.position).unwrap_or(usize::MAX) >= MAX_CALLS
}

/// Returns the parameters of the action that a call is for, through its dispatcher. `{}` for what is no JSON object
/// after the repairs either: nothing of it could be masked.
pub fn parameters_of(name: &str, arguments: &str) -> Value {
    let mut parameters = model_arguments(arguments.into());
    if Dispatcher::parse(name).is_some() {
        parameters = parameters.and_then(|mut arguments| model_arguments(arguments["params"].take()));
    }
    parameters.unwrap_or_else(|| serde_json::json!({}))
}

/// Returns a call's arguments as a provider takes them back: as they came, or repaired if they are no JSON object.
pub fn arguments_to_send(arguments: &str) -> String {
    let is_object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
    let repaired = if is_object { None } else { model_arguments(arguments.into()) };
    repaired.map_or_else(|| arguments.to_owned(), |object| object.to_string())
}

fn is_read(admitted: &AdmittedCaller, call: &CallRow) -> bool {
    let meta = admitted.catalog.registry().get(&action_of(&call.name, &call.arguments));
    meta.is_some_and(|meta| meta.spec.level == Level::Read)
}

/// Stores in the row what became of the call.
fn set_outcome(admitted: &AdmittedCaller, call: &mut CallRow, now: PlannedCall) {
    let registry = admitted.catalog.registry();
    let outcome = match now {
        PlannedCall::Waiting(id) => {
            call.state = PlannedCallState::Waiting;
            call.confirmation_id = Some(id);
            call.action = Some(action_of(&call.name, &call.arguments));
            return;
        }
        PlannedCall::Ended(outcome) => outcome.without_shown_secrets(registry),
        PlannedCall::Running | PlannedCall::NotBegun => still_running(),
    };
    answer_with(call, &outcome, outcome.for_model(registry).to_string());
}

/// Like [`set_outcome`], for a run that ends: its caller may have lost the catalogue.
fn set_closed(call: &mut CallRow, now: PlannedCall) {
    let outcome = match now {
        PlannedCall::Ended(outcome) => *outcome,
        // Another run waits for its confirmation too, so that it may still run.
        PlannedCall::Waiting(id) => {
            call.confirmation_id = Some(id);
            return leave_undecided(call);
        }
        PlannedCall::Running | PlannedCall::NotBegun => still_running(),
    };
    let text = match &outcome {
        Outcome::Completed(done) => {
            serde_json::json!({ "status": "completed", "description": done.description })
        }
        Outcome::Refused(problem) => serde_json::json!({
            "status": problem.verdict(), "error": problem.code, "message": problem.detail,
        }),
        Outcome::Waiting(_) | Outcome::ToRun(_) => Value::Null,
    };
    answer_with(call, &outcome, text.to_string());
}

fn answer_with(call: &mut CallRow, outcome: &Outcome, text: String) {
    call.action = Some(action_of(&call.name, &call.arguments));
    call.state = PlannedCallState::Answered;
    call.call_id = outcome.call_id();
    call.is_error = outcome.is_error();
    call.answer = Some(text);
}

fn still_running() -> Outcome {
    let error =
        ActionError::new(ErrorCode::InProgress, "the call is still running, and nobody knows its end yet");
    Outcome::Refused(Box::new(Problem::new(&error, "")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parameters_of;

    /// What the gates read is shown, and what is no object is not, because nothing of it would be masked.
    #[test]
    fn parameters_are_objects() {
        let own = json!({ "secret": "s" });
        for (name, arguments, expected) in [
            ("platform_list_agents", own.to_string(), own.clone()),
            ("platform_execute", json!({ "action": "x", "params": own }).to_string(), own.clone()),
            ("platform_list_agents", json!(own.to_string()).to_string(), own.clone()),
            ("platform_list_agents", json!([own]).to_string(), own.clone()),
            ("platform_execute", json!({ "params": own.to_string() }).to_string(), own.clone()),
            ("platform_list_agents", "{'secret': 's',}".to_owned(), own.clone()),
            ("platform_list_agents", json!([own, own]).to_string(), json!({})),
            ("platform_list_agents", json!("s").to_string(), json!({})),
            ("platform_list_agents", "{".to_owned(), json!({})),
        ] {
            assert_eq!(parameters_of(name, &arguments), expected, "{arguments}");
        }
    }
}

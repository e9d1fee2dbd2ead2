//! The list of a thread's messages, with what became of calls that waited when they were stored.

use axum::response::Response;
use serde_json::{Value, json};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::{Id, RunState};

use crate::{problem::ProblemResponse, response, state::HttpState};

/// Returns the response of `assistant.get_thread`. Messages whose calls wait, or waited when their run ended, are as
/// this reader finds them now. While a run goes on, the list ends with the person's message, and the stream has the
/// rest.
pub(crate) async fn with_current_message(
    state: &HttpState,
    authenticated: &Authenticated,
    answer: &CallResponse,
) -> Result<Response, ProblemResponse> {
    let plain = response::data(answer, 200);
    let (Outcome::Completed(done), Some(assistant)) = (&answer.outcome, &state.app.assistant) else {
        return Ok(plain);
    };
    let mut thread = done.value();
    let runs = open_runs(&thread);
    if runs.is_empty() {
        return Ok(plain);
    }
    for message in assistant.messages(authenticated, &runs).await? {
        let run = json!(message.run.run);
        if thread["last_run"]["run"] == run {
            thread["last_run"] = json!(message.run);
        }
        let Some(messages) = thread["messages"].as_array_mut() else { continue };
        let Some(at) = messages.iter().position(|shown| shown["id"] == run) else { continue };
        if message.goes_on {
            messages.remove(at);
        } else {
            messages[at] = json!(message.into_message());
        }
    }
    Ok(response::with_json(plain, &thread))
}

/// Returns the runs whose calls may have ended since they were stored. One whose end was not known is shown as failed.
fn open_runs(thread: &Value) -> Vec<Id> {
    let is_open =
        |part: &Value| part["output"]["status"] == "confirmation_required" || part["state"] == "output-error";
    let waits = thread["last_run"]["state"] == RunState::Waiting.as_str();
    let last = thread["last_run"]["run"].as_str().filter(|_| waits);
    let messages = thread["messages"].as_array().into_iter().flatten();
    let open = messages.filter(|message| {
        message["role"] == "assistant"
            && (message["id"].as_str() == last
                || message["parts"].as_array().is_some_and(|parts| parts.iter().any(is_open)))
    });
    open.filter_map(|message| message["id"].as_str()?.parse().ok()).collect()
}

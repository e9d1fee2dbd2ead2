//! The list of a thread's messages, whose last one may wait for the reader.

use axum::{http::StatusCode, response::Response};
use serde_json::json;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::{Id, RunState};

use crate::{problem::ProblemResponse, response, state::HttpState};

/// Returns the response of `assistant.get_thread`. The message of a run that waits is as this reader may decide it now;
/// while its run goes on, the list ends with the person's message, and the stream has the rest.
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
    let last: Option<Id> = thread["last_run"]["run"].as_str().and_then(|id| id.parse().ok());
    let waits = thread["last_run"]["state"].as_str() == Some(RunState::Waiting.as_str());
    let Some(run) = last.filter(|_| waits) else { return Ok(plain) };
    let message = assistant.message(authenticated, run).await?;
    thread["last_run"] = json!(message.run);
    if let Some(messages) = thread["messages"].as_array_mut() {
        messages.retain(|message| message["id"] != json!(run));
        if !message.goes_on {
            messages.push(json!(message.into_message()));
        }
    }
    let mut response = plain;
    let shown = response::json(StatusCode::OK, &thread);
    *response.body_mut() = shown.into_body();
    response.headers_mut().remove(axum::http::header::CONTENT_LENGTH);
    Ok(response)
}

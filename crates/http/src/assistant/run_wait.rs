//! Responses about runs of the assistant. They may wait until the run has ended or waits for a person.

use axum::{http::StatusCode, response::Response};
use serde_json::Value;
use toolcrib_assistant::{Assistant, RunView};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::{Id, RunState};

use crate::{
    problem::ProblemResponse,
    response,
    routes::{Route, RouteKind},
    state::HttpState,
};

/// What a request about a run waits for.
pub(crate) struct RunWait {
    authenticated: Authenticated,
    seconds: u64,
}

impl RunWait {
    /// Reads `wait` of a request; `None` for other routes.
    pub fn of(
        route: &Route,
        authenticated: &Authenticated,
        fields: &serde_json::Map<String, Value>,
    ) -> Option<Self> {
        let seconds = fields.get("wait").and_then(Value::as_u64).unwrap_or(0);
        (route.kind == RouteKind::Run).then(|| Self { authenticated: authenticated.clone(), seconds })
    }

    /// Wakes the worker, waits, and returns the response. 202 while the run is open.
    pub async fn respond(
        self,
        state: &HttpState,
        route: &Route,
        answer: &CallResponse,
    ) -> Result<Response, ProblemResponse> {
        let mut response = response::data(answer, route.status);
        let (Outcome::Completed(done), Some(assistant)) = (&answer.outcome, &state.app.assistant) else {
            return Ok(response);
        };
        assistant.wake();
        let data = done.value();
        let Some(run) = data["run"].as_str().and_then(|id| id.parse().ok()) else { return Ok(response) };
        if !is_open(&data) {
            // It may be one that is to stop.
            assistant.check_for_stop(run);
            return Ok(response);
        }
        if self.seconds > 0 {
            let model_replaced = data["model_replaced"].as_str().map(str::to_owned);
            let run = RunView { model_replaced, ..self.ended(state, assistant, run).await? };
            let status = if run.state.is_open() { StatusCode::ACCEPTED } else { StatusCode::OK };
            return Ok(response::json(status, &run));
        }
        *response.status_mut() = StatusCode::ACCEPTED;
        Ok(response)
    }

    async fn ended(
        &self,
        state: &HttpState,
        assistant: &Assistant,
        run: Id,
    ) -> Result<RunView, ProblemResponse> {
        let read = || assistant.run(&self.authenticated, run);
        let waiter = state.waiter(&self.authenticated, self.seconds);
        // A run whose confirmations have ended goes on in a moment.
        let goes_on = |run: &RunView| {
            run.state.goes_on()
                || (run.state == RunState::Waiting && run.confirmations.as_ref().is_some_and(Vec::is_empty))
        };
        Ok(waiter.poll(read, |run| !goes_on(run)).await?)
    }
}

fn is_open(data: &Value) -> bool {
    data["state"].as_str().and_then(|state| state.parse().ok()).is_some_and(RunState::is_open)
}

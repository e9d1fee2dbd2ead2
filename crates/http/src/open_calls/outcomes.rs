//! `POST /v1/tools/outcomes`: records the outcomes of several calls that the application ran, and returns their
//! messages for the conversation.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, CallReport, Outcome};
use toolcrib_registry::{Answer, ArgError, Format, render_messages};

use super::{answer, read};
use crate::{
    auth::Auth,
    body,
    problem::{ProblemResponse, document},
    request_meta::RequestMeta,
    requests::ToolOutcome,
    response,
    state::HttpState,
    tool_result,
};

/// The answer to a list of outcomes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OutcomesAnswer {
    /// The final tool results, in the provider's shape: one for each call that a model made and that has ended. They replace
    /// the results that said that the application runs the calls.
    pub messages: Vec<Value>,
    /// For each outcome, in order: the call, or the response of a read, or an envelope with the problem.
    pub results: Vec<Value>,
}

enum Subject {
    /// A claimed call, by its ID.
    Call(String),
    /// A read that was handed out.
    Read { action: String, tool_call_id: String },
}

/// The caller and its request.
struct Reporter {
    authenticated: Authenticated,
    meta: RequestMeta,
}

/// `POST /v1/tools/outcomes`
pub(crate) async fn outcomes(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.outcomes.read(body::of_request(request, body::LARGE).await?)?;
    if asked.format == Format::Mcp {
        let message = "must be one of openai, openai_responses, anthropic, gemini";
        return Err(ActionError::invalid("/format", "enum", message).into());
    }
    let reports = subjects(asked.outcomes).map_err(ActionError::invalid_all)?;
    let reporter = Reporter { authenticated, meta };
    // A separate task, so that the remaining outcomes are recorded even if the client disconnects.
    let task = tokio::spawn(async move { report_all(&state, &reporter, asked.format, reports).await });
    let answer = task.await.map_err(|_| ActionError::internal("the task of the outcomes stopped"))?;
    Ok(response::json(StatusCode::OK, &answer))
}

/// Returns the subject of each outcome with its report, or an error for each outcome with none or two.
fn subjects(outcomes: Vec<ToolOutcome>) -> Result<Vec<(Subject, CallReport)>, Vec<ArgError>> {
    let (mut reports, mut errors) = (Vec::with_capacity(outcomes.len()), Vec::new());
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let subject = match (outcome.call_id, outcome.action, outcome.tool_call_id) {
            (Some(id), None, None) => Subject::Call(id),
            (None, Some(action), Some(tool_call_id)) => Subject::Read { action, tool_call_id },
            _ => {
                let message = "must have either `call_id`, or for a read `action` and `tool_call_id`";
                errors.push(ArgError::new(&format!("/outcomes/{index}"), "oneOf", message));
                continue;
            }
        };
        let report = CallReport { status: outcome.status, output: outcome.output, error: outcome.error };
        reports.push((subject, report));
    }
    if errors.is_empty() { Ok(reports) } else { Err(errors) }
}

async fn report_all(
    state: &HttpState,
    reporter: &Reporter,
    format: Format,
    reports: Vec<(Subject, CallReport)>,
) -> OutcomesAnswer {
    let (mut results, mut answers) = (Vec::with_capacity(reports.len()), Vec::new());
    for (subject, report) in reports {
        let (result, answer) = match subject {
            Subject::Call(id) => record(state, reporter, &id, report).await,
            Subject::Read { action, tool_call_id } => {
                format_read(state, reporter, &action, &tool_call_id, &report).await
            }
        };
        results.push(result);
        answers.extend(answer);
    }
    OutcomesAnswer { messages: render_messages(format, &answers), results }
}

/// Records the outcome of a call. If that is refused because the call has ended otherwise, the message tells that end.
async fn record(
    state: &HttpState,
    reporter: &Reporter,
    id: &str,
    report: CallReport,
) -> (Value, Option<Answer>) {
    let (engine, registry) = (state.engine(), state.catalog().registry());
    let Reporter { authenticated, meta } = reporter;
    let call = match read(id) {
        Ok(call) => call,
        Err(error) => return (tool_result::unrecorded(&document(&error, &meta.request_id), id), None),
    };
    let error = match engine.report_call(authenticated, call, report, meta.decision(authenticated)).await {
        Ok(view) => return (json!(view), answer(registry, &view)),
        Err(error) => error,
    };
    let mut result = tool_result::unrecorded(&document(&error, &meta.request_id), id);
    let Ok(view) = engine.open_call(authenticated, call).await else { return (result, None) };
    result["action"] = json!(view.action);
    result["tool_call_id"] = json!(view.tool_call_id);
    (result, answer(registry, &view))
}

/// Formats the outcome of a read, of which nothing is recorded.
async fn format_read(
    state: &HttpState,
    reporter: &Reporter,
    action: &str,
    tool_call_id: &str,
    report: &CallReport,
) -> (Value, Option<Answer>) {
    let Reporter { authenticated, meta } = reporter;
    match state.engine().handed_out_outcome(authenticated, action, tool_call_id, report).await {
        Ok(outcome) => {
            let answer = tool_result::answer(state.catalog().registry(), &outcome, tool_call_id, action);
            (tool_result::result(&outcome, action, tool_call_id), Some(answer))
        }
        Err(error) => {
            let outcome = Outcome::Refused(Box::new(document(&error, &meta.request_id)));
            (tool_result::result(&outcome, action, tool_call_id), None)
        }
    }
}

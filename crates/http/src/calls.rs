//! `POST /v1/tools/calls`: runs the tool calls of a model, passed through unchanged. Each is a separate call
//! with a result of its own.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, Catalog};
use toolcrib_registry::{Format, Item, has_prefix, parse_broken, parse_item};

use crate::{
    auth::Auth,
    headers,
    problem::ProblemResponse,
    request_meta::RequestMeta,
    requests::{CallsRequest, Foreign},
    response,
    state::HttpState,
};

mod batch;
mod turn;

/// The maximum number of calls in one request.
const MAX_CALLS: usize = 32;

/// The answers of one turn.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CallsAnswer {
    /// Ready to append to the conversation, in the provider's shape.
    pub messages: Vec<Value>,
    /// An envelope for each call, in order.
    pub results: Vec<Value>,
    /// Calls that the application runs, each as in `results`. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_run: Vec<Value>,
    /// Calls that were left to the application, and calls that can't be answered, such as those without an id.
    pub unhandled: Vec<Unhandled>,
}

/// A call that was left to the application, or that can't be answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Unhandled {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Why it was not made, if it is no call that could be left to the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `POST /v1/tools/calls`
pub(crate) async fn calls(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let key = headers::idempotency_key(request.headers())?;
    let turn = turn::of_request(request).await?;
    let asked = state.schemas.calls.read(turn.value)?;
    let catalog = match asked.foreign {
        Foreign::Skip => Some(catalog(&state, &authenticated).await),
        Foreign::Refuse => None,
    };
    let foreign = |name: &str| catalog.as_ref().is_some_and(|catalog| !has_prefix(catalog.registry(), name));
    let items = items(&asked, &turn.broken)?;
    let (calls, unhandled) = calls_in(asked.format, items, &foreign)?;
    let (format, wait) = (asked.format, asked.wait.unwrap_or(0));
    let batch = batch::ToolCallBatch { authenticated, key, meta, format, wait, calls, unhandled };
    // A separate task, so that the remaining calls run even if the client disconnects.
    let task = tokio::spawn(batch::run(state, batch));
    let answer = task.await.map_err(|_| ActionError::internal("the task of a turn stopped"))?;
    Ok(response::json(StatusCode::OK, &answer))
}

/// Returns the catalogue of the caller's workspace. A caller who is refused there gets the error for each call, so it
/// does not matter here.
async fn catalog(state: &HttpState, authenticated: &Authenticated) -> Arc<Catalog> {
    let admitted = state.engine().admit_with_catalog(authenticated, authenticated.surface()).await;
    admitted.map_or_else(|_| state.engine().catalog().clone(), |admitted| admitted.catalog)
}

/// Returns the items of the turn, in order.
fn items(asked: &CallsRequest, broken: &HashMap<usize, turn::BrokenCall>) -> Result<Vec<Item>, ActionError> {
    if asked.format == Format::Mcp {
        let message = "must be one of openai, openai_responses, anthropic, gemini; MCP calls go to `/mcp`";
        return Err(ActionError::invalid("/format", "enum", message));
    }
    let item = |(index, value)| match broken.get(&index) {
        Some(broken) => parse_broken(asked.format, index, broken.text.get(), &broken.reason),
        None => parse_item(asked.format, index, value),
    };
    Ok(asked.tool_calls.iter().enumerate().map(item).collect())
}

/// Returns the calls to make or refuse, and those that are left to the application or can't be answered.
fn calls_in(
    format: Format,
    items: Vec<Item>,
    foreign: &dyn Fn(&str) -> bool,
) -> Result<(Vec<batch::BatchCall>, Vec<Unhandled>), ActionError> {
    let (mut calls, mut unhandled, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        let (id, name, arguments) = match item {
            Item::Call { id, name, arguments } => (id, name, Ok(arguments)),
            Item::Invalid { id, name, error } => (id, name, Err(error)),
            Item::Foreign { id, name } => {
                unhandled.push(Unhandled { id, name, reason: None });
                continue;
            }
            Item::Other => continue,
        };
        // Only Gemini answers by name.
        let is_answerable = !id.is_empty() || (format == Format::Gemini && !name.is_empty());
        match arguments {
            Err(error) if !is_answerable => {
                unhandled.push(Unhandled { id, name, reason: Some(error.located()) });
                errors.push(error);
            }
            _ if !name.is_empty() && foreign(&name) => unhandled.push(Unhandled { id, name, reason: None }),
            arguments => calls.push(batch::BatchCall { id, name, arguments }),
        }
    }
    // A turn in which nothing can be made or answered is no turn.
    if calls.is_empty() && !errors.is_empty() && errors.len() == unhandled.len() {
        return Err(ActionError::invalid_all(errors));
    }
    if calls.len() > MAX_CALLS {
        let message = format!("must hold at most {MAX_CALLS} calls, not {}", calls.len());
        return Err(ActionError::invalid("/tool_calls", "maxItems", message));
    }
    Ok((calls, unhandled))
}

//! Searches actions by intent.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_discovery::no_tool_hint;
use toolcrib_engine::{ActionError, CallerTools};
use toolcrib_registry::{ActionMeta, Category, ConfirmationLevel, Level};

use crate::{auth::Auth, body, problem::ProblemResponse, response, state::HttpState};

/// The default number of results.
const USUAL: usize = 8;

/// What was found, best first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ToolSearchResult {
    /// The actions.
    items: Vec<ToolHit>,
    /// Advice if no action fits well; otherwise null.
    hint: Option<String>,
}

/// An action that was found.
#[derive(Serialize, JsonSchema)]
struct ToolHit {
    /// The full name.
    name: Arc<str>,
    /// How well it fits, 0 to 1.
    score: f64,
    /// What it does.
    description: Arc<str>,
    /// What it may do to data.
    permission_level: Level,
    /// Whether a human is asked first.
    confirmation: ConfirmationLevel,
    /// The tool call to make, with the required parameters to fill in.
    how_to_call: Value,
    /// The schema of its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

/// `POST /v1/tools/search`
pub(crate) async fn search(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.search.read(body::of_request(request, body::USUAL).await?)?;
    let (admitted, limit) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let query = state.engine().mask_query(admitted.caller.workspace, &asked.query).await?;
    let tools = admitted.tools();
    let category = asked.category.as_deref().map(|word| category(&tools, word)).transpose()?;
    let hits = tools.search(&query, category, asked.limit.unwrap_or(USUAL));
    let hint = no_tool_hint(hits.first().map_or(0.0, |(_, score)| *score));
    let with_schema = asked.include_schema.unwrap_or(true);
    let items = hits.into_iter().map(|(meta, score)| hit(&tools, meta, score, with_schema)).collect();
    let mut response = response::json(StatusCode::OK, &ToolSearchResult { items, hint });
    response::limits(response.headers_mut(), &limit);
    Ok(response)
}

fn hit(tools: &CallerTools<'_>, meta: &ActionMeta, score: f32, with_schema: bool) -> ToolHit {
    let spec = &meta.spec;
    ToolHit {
        name: spec.name.clone(),
        score: (f64::from(score) * 10_000.0).round() / 10_000.0,
        description: spec.description.clone(),
        permission_level: spec.level,
        confirmation: spec.confirmation,
        how_to_call: tools.how_to_call(meta),
        parameters: with_schema.then(|| meta.input.read().into_owned()),
    }
}

fn category(tools: &CallerTools<'_>, word: &str) -> Result<Category, ActionError> {
    let known = || tools.categories().filter(|category| *category != Category::Administration);
    known().find(|category| category.as_str() == word).ok_or_else(|| {
        let words: Vec<&str> = known().map(Category::as_str).collect();
        ActionError::invalid("/category", "enum", format!("must be one of {}", words.join(", ")))
    })
}

//! The requests of the routes `/v1/tools` beside the list.

use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /v1/tools/prompt`
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct PromptQuery {
    /// A section of direct tools before the others.
    #[serde(default)]
    pub include_promoted: bool,
}

/// `POST /v1/tools/search`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchRequest {
    /// What one wants to do, in one's own words.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// How many.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
    /// Only actions of this section of the catalogue, such as `agents`.
    #[schemars(length(min = 1, max = 40))]
    pub category: Option<String>,
    /// Whether each comes with the schema of its parameters; it does unless told otherwise.
    pub include_schema: Option<bool>,
}

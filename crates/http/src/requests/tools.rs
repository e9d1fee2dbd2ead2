//! The requests of the routes `/v1/tools`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_registry::{Detail, Format};

/// How a list is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Strategy {
    /// The promoted, and the dispatcher.
    #[default]
    Full,
    /// What `query` needs; without one the small closed set.
    Filtered,
    /// The dispatcher over every allowed action.
    DispatcherOnly,
    /// Every allowed action as its own schema.
    All,
    /// Nothing.
    None,
}

/// Whether tools are strict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Strict {
    /// None is.
    #[default]
    Off,
    /// Those that fit into the provider's limits.
    Auto,
}

/// A tool list for one turn of a conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ListRequest {
    /// The provider's shape.
    #[serde(default)]
    pub format: Format,
    /// How the list is put together.
    #[serde(default)]
    pub strategy: Strategy,
    /// The user's message, for `filtered`.
    #[schemars(length(max = 20_000))]
    pub query: Option<String>,
    /// The last texts of the conversation, oldest first.
    #[schemars(length(max = 6), inner(length(max = 20_000)))]
    pub context: Option<Vec<String>>,
    /// Whether tools are strict.
    #[serde(default)]
    pub strict: Strict,
    /// The non-promoted also as schemas for the provider's own tool search, where it has one.
    #[serde(default)]
    pub defer: bool,
    /// How much the dispatcher says about its actions.
    #[serde(default)]
    pub detail: Detail,
    /// The most tokens that the list may cost.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: Option<usize>,
}

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

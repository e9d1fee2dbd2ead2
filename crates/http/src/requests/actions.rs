//! The query of `GET /v1/actions`.

use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /v1/actions`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ActionsQuery {
    /// `denied`: also those that this caller may not call, with the reason. Needs `audit:read`.
    pub include: Option<Include>,
    /// `summary`: only name, first sentence, category, level and permission of each action, and what a call needs.
    pub fields: Option<ActionFields>,
    /// How many.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    /// Where the page before ended.
    #[schemars(length(min = 1, max = 64))]
    pub cursor: Option<String>,
}

/// What is shown of each action.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum ActionFields {
    /// What a list for people shows.
    Summary,
}

/// What else is listed.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Include {
    /// What this caller may not call.
    Denied,
}

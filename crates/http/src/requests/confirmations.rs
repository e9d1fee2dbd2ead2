//! Requests about confirmations.

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib_engine::TokenText;

/// `GET /v1/confirmations/{id}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct WaitQuery {
    /// Seconds to hold the answer while nobody decided.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

/// `POST /v1/confirmations/{id}/deny`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct DenyRequest {
    /// What goes back to whoever asked.
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// The person's own token, where a service key relays their decision of a typed confirmation.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
}

//! The request of `POST /v1/tools/calls`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolcrib_engine::lists::Strategy;
use toolcrib_registry::Format;

/// Calls of names without the platform's prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Foreign {
    /// They are answered as unknown.
    #[default]
    Refuse,
    /// They are left to the application and listed in `unhandled`.
    Skip,
}

/// One turn's tool calls.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CallsRequest {
    /// The provider's shape.
    #[serde(default)]
    pub format: Format,
    /// What the provider returned: its tool calls, at most 32; other items are ignored.
    #[schemars(length(max = 1_000))]
    pub tool_calls: Vec<Value>,
    /// What happens to names without the prefix `platform_`.
    #[serde(default)]
    pub foreign: Foreign,
    /// Seconds to hold the answer while a human decides.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
    /// Strategy of the list that the model was shown. Accepted for older clients; it changes nothing.
    #[expect(dead_code, reason = "clients that send it are not refused")]
    pub strategy: Option<Strategy>,
}

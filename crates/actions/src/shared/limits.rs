//! Limits as they are given: what is left out stays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_access::Limits;

/// Calls a minute, by class; 1 to 1,000,000.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct LimitsInput {
    /// Writes and destructive actions together.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_per_minute: Option<u32>,
    /// Reads.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_per_minute: Option<u32>,
    /// Actions that call a connector.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_per_minute: Option<u32>,
}

impl LimitsInput {
    /// What is given, over what there is.
    pub fn over(self, limits: Limits) -> Limits {
        Limits {
            write_per_minute: self.write_per_minute.unwrap_or(limits.write_per_minute),
            read_per_minute: self.read_per_minute.unwrap_or(limits.read_per_minute),
            external_per_minute: self.external_per_minute.unwrap_or(limits.external_per_minute),
        }
    }
}

//! Limits as input. An omitted limit keeps its value.

use toolcrib_access::{Limits, OpenConfirmations};
use toolcrib_engine::prelude::*;

/// Calls a minute, by class; 1 to 1,000,000.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct LimitsInput {
    /// Calls of write and destructive actions per minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_per_minute: Option<u32>,
    /// Reads.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_per_minute: Option<u32>,
    /// Calls of external actions per minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_per_minute: Option<u32>,
    /// Calls of tools that the caller runs, per minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_per_minute: Option<u32>,
    /// Percentage of the write limit that one person may use while another person is active; 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_share_percent: Option<u32>,
}

impl LimitsInput {
    /// Returns `limits` with the given fields replaced.
    pub fn over(self, limits: Limits) -> Limits {
        Limits {
            write_per_minute: self.write_per_minute.unwrap_or(limits.write_per_minute),
            read_per_minute: self.read_per_minute.unwrap_or(limits.read_per_minute),
            external_per_minute: self.external_per_minute.unwrap_or(limits.external_per_minute),
            client_per_minute: self.client_per_minute.unwrap_or(limits.client_per_minute),
            write_share_percent: self.write_share_percent.unwrap_or(limits.write_share_percent),
        }
    }
}

/// How many confirmations may be open; 1 to 100,000. What is left out stays.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct OpenConfirmationsInput {
    /// Maximum for the workspace.
    #[schemars(range(min = 1, max = 100_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_workspace: Option<u32>,
    /// Maximum for one caller. Those of their runs of the assistant count apart.
    #[schemars(range(min = 1, max = 100_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_caller: Option<u32>,
}

impl OpenConfirmationsInput {
    /// Returns `open` with the given fields replaced.
    pub fn over(self, open: OpenConfirmations) -> OpenConfirmations {
        OpenConfirmations {
            per_workspace: self.per_workspace.unwrap_or(open.per_workspace),
            per_caller: self.per_caller.unwrap_or(open.per_caller),
        }
    }
}

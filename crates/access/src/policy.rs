//! What a workspace decided about itself.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which calls a person must confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ApprovalMode {
    /// Destructive actions, and writes that say so, are confirmed.
    #[default]
    Standard,
    /// Every write is confirmed.
    ConfirmWrites,
    /// Writes are refused.
    ReadOnly,
}

impl ApprovalMode {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::ConfirmWrites => "confirm_writes",
            Self::ReadOnly => "read_only",
        }
    }

    /// From the wire word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Standard, Self::ConfirmWrites, Self::ReadOnly].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// Calls a minute, by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Limits {
    /// Writes and destructive actions together.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub write_per_minute: u32,
    /// Reads.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub read_per_minute: u32,
    /// Actions that call a connector.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub external_per_minute: u32,
    /// Percentage of the write limit that one person may use while another person is active.
    #[schemars(range(min = 1, max = 100))]
    pub write_share_percent: u32,
}

/// Maximum number of open confirmations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct OpenConfirmations {
    /// Maximum for the workspace.
    #[schemars(range(min = 1, max = 100_000))]
    pub per_workspace: u32,
    /// Maximum for one caller.
    #[schemars(range(min = 1, max = 100_000))]
    pub per_caller: u32,
}

impl Default for OpenConfirmations {
    fn default() -> Self {
        Self { per_workspace: 50, per_caller: 10 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { write_per_minute: 10, read_per_minute: 600, external_per_minute: 60, write_share_percent: 60 }
    }
}

/// What a workspace decided about itself, read with the caller's membership for every call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspacePolicy {
    /// Which calls a person must confirm.
    pub approval_mode: ApprovalMode,
    /// Whether the approver must be another person than the requester.
    pub four_eyes: bool,
    /// Whether agents of admins keep the role `admin`; otherwise they have at most `editor`.
    pub agents_inherit_admin: bool,
    /// Where a human decides, with `{id}` for the confirmation; the service's own page where absent.
    pub approve_url_template: Option<String>,
    /// Calls a minute.
    pub limits: Limits,
    /// The workspace was deleted. Only system admins get this far, and only to its log.
    pub deleted: bool,
    /// How many confirmations may be open.
    pub open_confirmations: OpenConfirmations,
    /// Moves whenever a membership, key or setting of the workspace changes.
    pub access_version: i64,
    /// The actions that have a tool of their own for this caller; what is usual for the caller type where nobody
    /// said.
    pub promoted: Option<Arc<[String]>>,
}

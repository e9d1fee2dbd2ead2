//! The policy of a workspace.
#![deny(missing_docs)]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::WorkRunner;
use toolcrib_registry::Spec;

toolcrib_model::closed_set! {
    "an approval mode",
    /// Which calls a person must confirm.
    #[derive(Default, Ord, PartialOrd)]
    ApprovalMode {
        /// Destructive actions, and writes that say so, are confirmed.
        #[default]
        Standard = "standard",
        /// Every write is confirmed.
        ConfirmWrites = "confirm_writes",
        /// Writes are refused.
        ReadOnly = "read_only",
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
    /// Tools that the caller runs.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub client_per_minute: u32,
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
        Self {
            write_per_minute: 10,
            read_per_minute: 600,
            external_per_minute: 60,
            client_per_minute: 120,
            write_share_percent: 60,
        }
    }
}

/// The packs that are on in a workspace, each with the version of its row in the moment when it was switched on. What
/// was bound to another version ended when the pack was switched off. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EnabledPacks(Arc<str>);

impl EnabledPacks {
    /// Reads the packs as they are stored: `<slug>:<version>`, sorted, with commas between them.
    pub fn of_stored(text: &str) -> Self {
        if text.is_empty() { Self::default() } else { Self(text.into()) }
    }

    /// Returns the set with a pack switched on at this version of its row, or off.
    #[must_use]
    pub fn with(&self, slug: &str, since: Option<i64>) -> Self {
        let mut packs: Vec<String> = self.iter().filter(|(other, _)| *other != slug).map(entry).collect();
        packs.extend(since.map(|version| entry((slug, &version.to_string()))));
        packs.sort_unstable();
        Self::of_stored(&packs.join(","))
    }

    /// Returns the version of a pack's row when it was switched on; `None` if it is off.
    pub fn since(&self, slug: &str) -> Option<&str> {
        self.iter().find(|(on, _)| *on == slug).map(|(_, version)| version)
    }

    /// Returns whether a pack is on.
    pub fn contains(&self, slug: &str) -> bool {
        self.since(slug).is_some()
    }

    /// Returns the packs as they are stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.split(',').filter_map(|pack| pack.split_once(':'))
    }
}

fn entry((slug, version): (&str, &str)) -> String {
    format!("{slug}:{version}")
}

/// The policy of a workspace. Read from the database with the caller's membership for every call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspacePolicy {
    /// Which calls need a confirmation, and whether writes are refused.
    pub approval_mode: ApprovalMode,
    /// The approver must be another person than the user who requested the call.
    pub four_eyes: bool,
    /// Agents of admins and owners keep that role. Otherwise an agent's role is at most editor.
    pub agents_inherit_admin: bool,
    /// Who carries out what is due.
    pub runner: WorkRunner,
    /// The URL of the page where a person decides, with `{id}` for the confirmation. `None` is the service's
    /// own page.
    pub approve_url_template: Option<String>,
    /// The rate limits.
    pub limits: Limits,
    /// The workspace was deleted. Then only system admins have access, and only to its audit log.
    pub deleted: bool,
    /// The limits of open confirmations.
    pub open_confirmations: OpenConfirmations,
    /// A counter that increases whenever a membership, key or setting of the workspace changes.
    pub access_version: i64,
    /// The version of the workspace's toolsets: the number of their changes.
    pub toolset_version: i64,
    /// The packs that are on.
    pub packs: EnabledPacks,
    /// The actions that have a tool of their own for this caller. `None` means the default of the caller
    /// type.
    pub promoted: Option<Arc<[String]>>,
}

impl WorkspacePolicy {
    /// Returns whether a call sets up work that this service carries out itself. A person confirms each such call.
    pub fn runs_standing_work(&self, spec: &Spec) -> bool {
        spec.standing_work && self.runner == WorkRunner::Internal
    }
}

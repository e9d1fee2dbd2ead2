//! The catalogue's actions (`platform/<category>/<verb>_<noun>.rs`, one per file) and the operations for
//! programs (`admin/<resource>/<verb>.rs`).
//!
//! Depends on `engine` (traits and contexts), `auth`, `store`, `registry`, `connectors`, `discovery` and `import`, and
//! not on `http`.
//!
//! To add one: its file, one line in its category's list, `scripts/gen` for the golden table. See
//! `docs/adding-an-action.md`.

mod admin;
mod platform;
mod restored;
mod retention;
mod scheduler;
mod shared;
mod webhooks;

use toolcrib_engine::{Action, Catalog, Pack};
use toolcrib_registry::Defect;

/// Access decisions in words, and hypothetical callers.
pub use admin::access::words::{imagined, sentence};
/// Inputs of operations, for the command line.
pub mod command_line {
    pub use crate::admin::command_line::{
        CheckedInput, KeyInput, MemberInput, WorkspaceInput, checked, plan_key,
    };
}
/// Toolsets of workspaces, for the command line.
pub mod toolsets {
    pub use crate::admin::toolsets::{AppliedToolset, ChangeKind, ToolChange, apply, checked};
}
/// The services that external actions use. The binary creates them from the settings.
pub use platform::{Inbox, Infrastructure};
/// Applies what was taken away after a backup.
pub use restored::LaterChanges;
/// Deletes old rows.
pub use retention::Retention;
/// Fires due schedules, heartbeats and playbooks.
pub use scheduler::Scheduler;
/// Sends events to webhooks.
pub use webhooks::Webhooks;

/// Returns every action and operation, in the order of the catalogue.
pub fn all(services: &Infrastructure) -> Vec<Action> {
    let mut actions = platform::actions(services);
    actions.extend(admin::operations(&services.models));
    actions.extend(toolcrib_assistant::operations(&services.models));
    actions
}

/// Returns the catalogue, or all its defects.
pub fn catalog(services: &Infrastructure) -> Result<Catalog, Vec<Defect>> {
    Catalog::new(all(services))
}

/// Like [`catalog`], with packs. See [`Catalog::with_packs`].
pub fn catalog_with_packs(
    services: &Infrastructure,
    packs: &[Pack],
    offered: Option<&[String]>,
) -> Result<Catalog, Vec<Defect>> {
    Catalog::with_packs(all(services), packs, offered)
}

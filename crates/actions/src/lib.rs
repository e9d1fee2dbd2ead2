//! What can be done: the catalogue's actions (`platform/<category>/<verb>_<noun>.rs`, one a file) and the operations
//! for programs (`admin/<resource>/<verb>.rs`).
//!
//! Depends on `engine` (traits and contexts), `store`, `registry`, `connectors` and `discovery`. Knows nothing of HTTP.
//!
//! To add one: its file, one line in its category's list, `scripts/gen` for the golden table. See
//! `docs/adding-an-action.md`.

mod admin;
mod platform;
mod retention;
mod scheduler;
mod shared;
mod webhooks;

use toolcrib_engine::{Action, Catalog};
use toolcrib_registry::Defect;

/// The access decision in words, and callers who are only thought of.
pub use admin::access::words::{imagined, sentence};
/// What external actions ask; made by whoever knows the settings.
pub use platform::{Inbox, Infrastructure};
/// What is kept for a while only.
pub use retention::Retention;
/// What falls due.
pub use scheduler::Scheduler;
/// What is sent to webhooks.
pub use webhooks::Webhooks;

/// Every action and operation, in the order of the catalogue.
pub fn all(services: &Infrastructure) -> Vec<Action> {
    let mut actions = platform::actions(services);
    actions.extend(admin::operations());
    actions
}

/// The catalogue, or every defect that keeps it from being one.
pub fn catalog(services: &Infrastructure) -> Result<Catalog, Vec<Defect>> {
    Catalog::new(all(services))
}

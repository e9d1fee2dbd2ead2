//! What this service knows about itself without any outside service: its log, its calls by the minute, its
//! components, its alerts, its process.
//!
//! Whoever starts the service makes a [`Journal`], adds its layer to the subscriber, hands it to a [`Platform`] with
//! the probes, and calls [`Platform::observe`] every few seconds. To watch one more component: implement [`Probe`].
//! To alert on one more thing: a rule in `embedded/rules.rs`.

mod alerts;
mod calls;
mod exposition;
mod journal;
mod layer;
mod platform;
mod probe;
mod process;
mod rules;
#[cfg(test)]
mod tests;

pub use alerts::{Alert, Severity};
pub use calls::Calls;
pub use exposition::{Sample, samples};
pub use journal::{Journal, LogLevel, LogLine, LogQuery};
pub use layer::JournalLayer;
pub use platform::{Platform, SERVICE};
pub use probe::{Component, ComponentKind, Probe};
pub use process::Process;

use toolcrib_model::Id;

/// Whose data is asked for. Every question names it, so that nothing can be read without saying for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataScope {
    /// What happened in one workspace.
    Workspace(Id),
    /// Everything.
    Platform,
}

impl DataScope {
    /// Whether what happened in `workspace` (nowhere in particular where absent) is within reach.
    pub fn holds(self, workspace: Option<Id>) -> bool {
        match self {
            Self::Workspace(own) => workspace == Some(own),
            Self::Platform => true,
        }
    }
}

//! The service's monitoring of itself, without an external service: its log, its calls per minute, its
//! components, its alerts, its process.
//!
//! At start-up the app creates a [`Journal`], adds its layer to the `tracing` subscriber, passes the journal
//! to a [`Platform`] with the probes, and calls [`Platform::observe`] every few seconds. To add a component:
//! implement [`Probe`]. To add an alert: a rule in `embedded/rules.rs`.

mod alerts;
mod calls;
mod exposition;
mod journal;
mod layer;
mod platform;
mod probe;
mod rules;
#[cfg(test)]
mod tests;

pub use alerts::{Alert, Severity};
pub use calls::Calls;
pub use exposition::{Sample, samples};
pub use journal::{Journal, LogLevel, LogLine, LogQuery};
pub use layer::JournalLayer;
pub use platform::{Platform, Process, SERVICE};
pub use probe::{Component, ComponentKind, Probe};

use toolcrib_model::Id;

/// The scope of a query for monitoring data. Every query requires one, so that no caller can omit it by
/// mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataScope {
    Workspace(Id),
    /// The data of the whole platform.
    Platform,
}

impl DataScope {
    /// Returns whether the scope includes data of `workspace`. `None` is data of no particular workspace.
    pub fn holds(self, workspace: Option<Id>) -> bool {
        match self {
            Self::Workspace(own) => workspace == Some(own),
            Self::Platform => true,
        }
    }
}

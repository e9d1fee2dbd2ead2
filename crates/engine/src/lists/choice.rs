//! What a tool list shows.

use std::sync::Arc;

use toolcrib_registry::{CallerDefaults, Detail, Dispatcher, DispatcherLines, Format};

use super::{Strategy, Strict};

/// The actions of a list and how they are shown.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub format: Format,
    pub strategy: Strategy,
    pub strict: Strict,
    pub detail: Detail,
    /// The dispatcher of declared tools does not name them.
    pub unlisted: bool,
    pub max_tokens: Option<usize>,
    /// The values that the caller has, on which schemas depend.
    pub defaults: CallerDefaults,
    /// How many actions the caller may call.
    pub allowed: usize,
    /// Actions that are tools of their own, by rank.
    pub direct: Vec<Arc<str>>,
    /// Actions behind a dispatcher, in the order of the catalogue.
    pub behind: Vec<Arc<str>>,
    /// Actions with deferred schemas, for the provider's own tool search.
    pub deferred: Vec<Arc<str>>,
}

impl Choice {
    /// Returns what a dispatcher shows of the actions behind it.
    pub fn lines(&self, which: Dispatcher) -> DispatcherLines {
        match which {
            Dispatcher::Declared if self.unlisted => DispatcherLines::Unlisted,
            _ => self.detail.into(),
        }
    }
}

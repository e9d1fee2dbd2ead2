//! A request for a tool list, with its query replaced by what the query selects.

use toolcrib_discovery::{Selection, select};
use toolcrib_registry::{Detail, Format};

use super::{ListOptions, ListRequest, Strategy, Strict};
use crate::catalog::CallerTools;

/// How many actions a query adds to the always-offered ones.
const PICKS: usize = 4;

/// What a request asks of a tool list, with what its query selects in the place of the query: few selections serve many
/// queries, and no cache keeps a user's words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListPlan {
    pub(super) format: Format,
    pub(super) strategy: Strategy,
    pub(super) strict: Strict,
    pub(super) defer: bool,
    pub(super) detail: Detail,
    pub(super) max_tokens: Option<usize>,
    /// What the query selects; `None` without one, and for strategies that have none.
    pub(super) selected: Option<Selection>,
}

impl ListPlan {
    /// Reads a request, and searches for its query.
    pub fn of(tools: &CallerTools<'_>, asked: &ListRequest) -> Self {
        let ListOptions { format, strategy, ref query, strict, defer, detail, max_tokens } = asked.options;
        let context = asked.context.as_deref();
        let searches = strategy == Strategy::Filtered && (query.is_some() || context.is_some());
        let selected = searches
            .then(|| select_for(tools, query.as_deref().unwrap_or_default(), context.unwrap_or_default()));
        Self { format, strategy, strict, defer, detail, max_tokens, selected }
    }
}

pub(super) fn select_for(tools: &CallerTools<'_>, query: &str, context: &[String]) -> Selection {
    let catalog = tools.catalog;
    let overlays = tools.overlays();
    select(
        catalog.search(),
        &overlays,
        catalog.registry(),
        query,
        context,
        &|name| tools.is_allowed(name),
        PICKS,
    )
}

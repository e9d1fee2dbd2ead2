//! What a request asks of a tool list.
#![deny(missing_docs)]

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_discovery::{Selection, route, select};
use toolcrib_registry::{Detail, Format};

use crate::catalog::CallerTools;

/// How many actions a query adds to the always-offered ones.
const PICKS: usize = 4;

/// How a list is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Strategy {
    /// The promoted actions and the dispatcher.
    #[default]
    Full,
    /// What `query` needs; without one the small closed set.
    Filtered,
    /// The dispatcher over every allowed action.
    DispatcherOnly,
    /// Every allowed action as its own schema.
    All,
    /// Nothing.
    None,
}

/// Whether tools are strict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Strict {
    /// None is.
    #[default]
    Off,
    /// Those that fit into the provider's limits.
    Auto,
}

/// A tool list for a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListOptions {
    /// The provider's shape.
    #[serde(default)]
    pub format: Format,
    /// How the list is put together.
    #[serde(default)]
    pub strategy: Strategy,
    /// The user's message, for `filtered`.
    #[schemars(length(max = 20_000))]
    pub query: Option<String>,
    /// Whether tools are strict.
    #[serde(default)]
    pub strict: Strict,
    /// The non-promoted also as schemas for the provider's own tool search, where it has one.
    #[serde(default)]
    pub defer: bool,
    /// How much the dispatcher says about its actions.
    #[serde(default)]
    pub detail: Detail,
    /// The most tokens that the list may cost.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: Option<usize>,
}

/// A tool list for one turn of a conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ListRequest {
    /// The list.
    #[serde(flatten)]
    pub options: ListOptions,
    /// The last texts of the conversation, oldest first.
    #[schemars(length(max = 6), inner(length(max = 20_000)))]
    pub context: Option<Vec<String>>,
}

impl From<ListOptions> for ListRequest {
    fn from(options: ListOptions) -> Self {
        Self { options, context: None }
    }
}

impl ListRequest {
    /// Returns the query if the list depends on the names of records in it. Only lists of the strategy `filtered`
    /// depend on the query. Small talk and bare answers stay as they are: an agent may be called "Hola", and an answer
    /// is combined with the previous texts.
    pub fn query_with_names(&self) -> Option<&str> {
        let query = self.options.query.as_deref().filter(|_| self.options.strategy == Strategy::Filtered);
        query.filter(|query| is_no_small_talk(query))
    }

    /// Returns the request with a query in which [`mask_query`](crate::mask_query) replaced names.
    pub fn with_masked(&self, masked: Cow<'_, str>) -> Cow<'_, Self> {
        match masked {
            Cow::Owned(query) if is_no_small_talk(&query) => {
                let options = ListOptions { query: Some(query), ..self.options.clone() };
                Cow::Owned(Self { options, context: self.context.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }
}

fn is_no_small_talk(query: &str) -> bool {
    !route(query, &[]).small
}

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

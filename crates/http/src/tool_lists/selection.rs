//! Selects the actions of a tool list, each as a tool of its own or behind the dispatcher. Access is decided
//! before actions are ranked, and every fallback is the set of always-offered actions.

use toolcrib_discovery::{route, select};
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, CallerDefaults, Category, Detail, Format};

use super::list::render_tools;
use crate::requests::{ListRequest, Strategy, Strict};

/// How many actions a query adds to the always-offered ones.
const PICKS: usize = 4;
/// The maximum size of a filtered list, in estimated tokens. The estimate is about 5 % too high.
const FILTERED_TOKENS: usize = 1_850;

/// Everything that a rendered list depends on: equal choices give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    pub format: Format,
    pub strategy: Strategy,
    pub strict: Strict,
    pub detail: Detail,
    pub max_tokens: Option<usize>,
    /// The values that the caller has, on which schemas depend.
    pub defaults: CallerDefaults,
    /// How many actions the caller may call.
    pub allowed: usize,
    /// Actions that are tools of their own, by rank.
    pub direct: Vec<&'static str>,
    /// Actions behind the dispatcher, in the order of the catalogue.
    pub behind: Vec<&'static str>,
    /// Actions with deferred schemas, for the provider's own tool search.
    pub deferred: Vec<&'static str>,
}

/// Chooses the actions of a list for one caller.
pub(crate) fn choose(tools: &CallerTools<'_>, asked: &ListRequest) -> Choice {
    let allowed = tools.allowed();
    let names = |wanted: &dyn Fn(&ActionMeta) -> bool| -> Vec<&'static str> {
        allowed.iter().filter(|meta| wanted(meta)).map(|meta| meta.spec.name).collect()
    };
    let promoted = |meta: &ActionMeta| tools.promoted(meta);
    let mut detail = asked.detail;
    let (direct, behind) = match asked.strategy {
        Strategy::Full => (names(&promoted), names(&|meta| !promoted(meta))),
        Strategy::Filtered => {
            let filtered = filtered(tools, asked);
            if filtered.small_talk {
                detail = Detail::Names;
            }
            let behind = names(&|meta| filtered.is_behind(tools, meta));
            (filtered.direct, behind)
        }
        Strategy::DispatcherOnly => (Vec::new(), names(&|_| true)),
        Strategy::All => (names(&|_| true), Vec::new()),
        Strategy::None => (Vec::new(), Vec::new()),
    };
    let searches = matches!(asked.format, Format::Anthropic | Format::OpenaiResponses);
    let deferred = match asked.strategy {
        Strategy::Full | Strategy::Filtered if asked.defer && searches => behind.clone(),
        Strategy::All if asked.defer && searches => names(&|meta| !promoted(meta)),
        _ => Vec::new(),
    };
    let choice = Choice {
        format: asked.format,
        strategy: asked.strategy,
        strict: asked.strict,
        detail,
        max_tokens: asked.max_tokens,
        defaults: tools.defaults(),
        allowed: allowed.len(),
        direct,
        behind,
        deferred,
    };
    if choice.strategy == Strategy::Filtered { slim(tools, choice) } else { choice }
}

/// Shrinks a filtered list without removing actions. First the dispatcher has names instead of
/// signatures. Then picks, except the best one, move behind the dispatcher, the worst first. The size is
/// measured in the OpenAI format for all formats.
fn slim(tools: &CallerTools<'_>, mut choice: Choice) -> Choice {
    let registry = tools.catalog.registry();
    let too_large = |choice: &Choice| {
        let plain =
            Choice { format: Format::Openai, strict: Strict::Off, deferred: Vec::new(), ..choice.clone() };
        render_tools(tools.catalog, &plain).tokens > FILTERED_TOKENS
    };
    if !too_large(&choice) {
        return choice;
    }
    choice.detail = Detail::Names;
    while too_large(&choice) {
        let is = |name: &str, what: &dyn Fn(&ActionMeta) -> bool| {
            registry.get(name).is_some_and(|meta| what(meta))
        };
        let picks =
            choice.direct.iter().enumerate().filter(|(_, name)| !is(name, &|meta| meta.spec.always_offered));
        let Some(at) = picks.skip(1).map(|(at, _)| at).last() else { break };
        let name = choice.direct.remove(at);
        choice.behind.push(name);
        choice.behind.sort_by_key(|name| registry.position(name));
    }
    choice
}

/// The actions that fit a query.
struct Filtered {
    /// Actions that are tools of their own.
    direct: Vec<&'static str>,
    /// The categories of the other actions behind the dispatcher. Empty for all of them.
    categories: Vec<Category>,
    /// Whether the query is a greeting or chitchat. A short command such as "forget that" may look like it, so every
    /// action stays behind the dispatcher.
    small_talk: bool,
}

impl Filtered {
    /// Returns whether the action is behind the dispatcher. A promoted action that has no tool of its own in this list
    /// always is, so that no action is out of reach.
    fn is_behind(&self, tools: &CallerTools<'_>, meta: &ActionMeta) -> bool {
        let spec = &meta.spec;
        let in_category = self.categories.is_empty() || self.categories.contains(&spec.category);
        !self.direct.contains(&spec.name) && (in_category || tools.promoted(meta))
    }
}

fn filtered(tools: &CallerTools<'_>, asked: &ListRequest) -> Filtered {
    let (catalog, context) = (tools.catalog, asked.context.as_deref().unwrap_or_default());
    let query = asked.query.as_deref().unwrap_or_default();
    let may = |name: &str| tools.is_allowed(name);
    let selected = select(catalog.search(), catalog.registry(), query, context, &may, PICKS);
    Filtered {
        direct: selected.names,
        categories: selected.categories,
        small_talk: !query.trim().is_empty() && route(query, context).small,
    }
}

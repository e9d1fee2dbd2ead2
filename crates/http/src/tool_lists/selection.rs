//! Selects the actions of a tool list, each as a tool of its own or behind the dispatcher. Access is decided
//! before actions are ranked, and every fallback is the set of always-offered actions.

use toolcrib_discovery::{route, select};
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, CallerDefaults, Detail, Format};

use super::list::draw;
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
    let (direct, behind) = match asked.strategy {
        Strategy::Full => (names(&promoted), names(&|meta| !promoted(meta))),
        Strategy::Filtered => filtered(tools, asked, &allowed),
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
        detail: asked.detail,
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
        draw(tools.catalog, &plain).tokens > FILTERED_TOKENS
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
        let movable = picks.skip(1).filter(|(_, name)| !is(name, &|meta| tools.promoted(meta)));
        let Some(at) = movable.map(|(at, _)| at).last() else { break };
        let name = choice.direct.remove(at);
        choice.behind.push(name);
        choice.behind.sort_by_key(|name| registry.position(name));
    }
    choice
}

type Names = Vec<&'static str>;

fn filtered(
    tools: &CallerTools<'_>,
    asked: &ListRequest,
    allowed: &[&std::sync::Arc<ActionMeta>],
) -> (Names, Names) {
    let behind = |wanted: &dyn Fn(&ActionMeta) -> bool, shown: &[&str]| -> Names {
        let rest = allowed.iter().filter(|meta| !tools.promoted(meta) && wanted(meta));
        rest.map(|meta| meta.spec.name).filter(|name| !shown.contains(name)).collect()
    };
    let (catalog, context) = (tools.catalog, asked.context.as_deref().unwrap_or_default());
    let Some(query) = asked.query.as_deref().filter(|query| !query.trim().is_empty()) else {
        let always = allowed.iter().filter(|meta| meta.spec.always_offered).map(|meta| meta.spec.name);
        let always: Names = always.collect();
        return (always.clone(), behind(&|_| true, &always));
    };
    let may = |name: &str| tools.is_allowed(name);
    let selected = select(catalog.search(), catalog.registry(), query, context, &may, PICKS);
    if route(query, context).small {
        return (selected.names, Vec::new());
    }
    // If no category matches, the dispatcher has all actions, because any of them may fit.
    let all = selected.categories.is_empty();
    let rest = behind(&|meta| all || selected.categories.contains(&meta.spec.category), &selected.names);
    (selected.names, rest)
}

//! Selects the actions of a tool list, each as a tool of its own or behind the dispatcher. Access is decided
//! before actions are ranked, and every fallback is the set of always-offered actions.

use std::sync::Arc;

use toolcrib_discovery::Selection;
use toolcrib_registry::{ActionMeta, Category, Detail, Dispatcher, Format};

use super::{
    ListPlan, Strategy, Strict,
    list::{Choice, render_tools},
    request::select_for,
};
use crate::catalog::CallerTools;

/// The maximum size of a filtered list, in estimated tokens. The estimate is about 5 % too high.
const FILTERED_TOKENS: usize = 1_850;

pub(crate) fn choose(tools: &CallerTools<'_>, asked: &ListPlan) -> Choice {
    let allowed = tools.allowed();
    let names = |wanted: &dyn Fn(&ActionMeta) -> bool| -> Vec<Arc<str>> {
        allowed.iter().filter(|meta| wanted(meta)).map(|meta| meta.spec.name.clone()).collect()
    };
    let promoted = |meta: &ActionMeta| tools.promoted(meta);
    let mut detail = asked.detail;
    let (direct, behind) = match asked.strategy {
        Strategy::Full => (names(&promoted), names(&|meta| !promoted(meta))),
        Strategy::Filtered => {
            let selected = asked.selected.clone().unwrap_or_else(|| select_for(tools, "", &[]));
            // A short command such as "forget that" may look like small talk, so every action stays, by its name.
            if selected.small {
                detail = Detail::Names;
            }
            let behind = names(&|meta| is_behind(tools, &selected, meta));
            (selected.names, behind)
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
        unlisted: false,
        max_tokens: asked.max_tokens,
        defaults: tools.defaults(),
        allowed: allowed.len(),
        direct,
        behind,
        deferred,
    };
    if choice.strategy == Strategy::Filtered { slim(tools, choice) } else { limit_count(tools, choice) }
}

/// Moves actions behind their dispatcher until the provider takes the number of tools: first those of packs that are
/// not promoted, then declared tools, the promoted ones last, each from the last name. Deferred tools don't count.
fn limit_count(tools: &CallerTools<'_>, mut choice: Choice) -> Choice {
    let Some(max) = choice.format.max_tools().filter(|_| choice.deferred.is_empty()) else { return choice };
    let fits = |choice: &Choice| {
        let has = |which: &Dispatcher| choice.behind.iter().any(|name| Dispatcher::of_action(name) == *which);
        choice.direct.len() + Dispatcher::ALL.iter().filter(|which| has(which)).count() <= max
    };
    if fits(&choice) {
        return choice;
    }
    let registry = tools.catalog.registry();
    let (mut packs, mut declared, mut promoted) = (Vec::new(), Vec::new(), Vec::new());
    for meta in tools.allowed() {
        match (&meta.spec.category, tools.promoted(meta)) {
            (Category::Pack(_), false) => packs.push(meta.spec.name.clone()),
            (Category::Toolset, false) => declared.push(meta.spec.name.clone()),
            (Category::Toolset, true) => promoted.push(meta.spec.name.clone()),
            _ => {}
        }
    }
    packs.sort_unstable();
    for name in [packs, declared, promoted].into_iter().flat_map(|names| names.into_iter().rev()) {
        if fits(&choice) {
            break;
        }
        if let Some(at) = choice.direct.iter().position(|one| *one == name) {
            choice.behind.push(choice.direct.remove(at));
        }
    }
    choice.behind.sort_by_key(|name| registry.position(name));
    choice
}

/// Shrinks a filtered list without removing actions. First the dispatchers have names instead of signatures, then that
/// of declared tools has none. Then picks, except the best one, move behind the dispatcher, the worst first. The size
/// is measured in the OpenAI format for all formats.
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
    choice.unlisted = too_large(&choice);
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

/// Returns whether an action is behind a dispatcher of a filtered list. A promoted action that has no tool of its own
/// in the list always is, so that no action is out of reach; and so is each declared tool and each action of a pack,
/// since the router knows none.
fn is_behind(tools: &CallerTools<'_>, selected: &Selection, meta: &ActionMeta) -> bool {
    let spec = &meta.spec;
    let is_routed = !matches!(spec.category, Category::Toolset | Category::Pack(_));
    let in_category =
        !is_routed || selected.categories.is_empty() || selected.categories.contains(&spec.category);
    !selected.names.contains(&spec.name) && (in_category || tools.promoted(meta))
}

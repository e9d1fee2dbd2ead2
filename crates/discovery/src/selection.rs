//! What the strategy `filtered` shows.

use toolcrib_registry::{ActionRegistry, Category};

use crate::{NO_TOOL_BELOW, Search, route, router};

/// How far below the best score a pick may be, as a share of it.
const NEAR_THE_BEST: f32 = 0.25;

/// What to show for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The actions: the always-offered in the registry's order, never cut, then what fits, best first.
    pub names: Vec<&'static str>,
    /// The categories to which the dispatcher may be narrowed: the router's and those of the picks; empty when
    /// nothing beyond the always-offered is worth showing.
    pub categories: Vec<Category>,
}

/// Picks for a query among what `allowed` admits: the always-offered and up to `limit` more. Greetings, chitchat
/// and what no action is for get the always-offered alone.
pub fn select(
    search: &Search,
    registry: &ActionRegistry,
    query: &str,
    context: &[String],
    allowed: &dyn Fn(&str) -> bool,
    limit: usize,
) -> Selection {
    let always =
        registry.tools().map(|meta| &meta.spec).filter(|spec| spec.always_offered && allowed(spec.name));
    let mut names: Vec<&'static str> = always.map(|spec| spec.name).collect();
    let route = route(query, context);
    if route.small {
        return Selection { names, categories: Vec::new() };
    }
    let hits = search.search(&router::meant(query, context), allowed, limit + names.len(), None);
    let best = hits.first().map_or(0.0, |hit| hit.score);
    if best < NO_TOOL_BELOW {
        return Selection { names, categories: route.categories };
    }
    let mut categories = route.categories;
    let near = hits.iter().filter(|hit| hit.score >= best * NEAR_THE_BEST);
    let more: Vec<&'static str> =
        near.map(|hit| hit.name).filter(|name| !names.contains(name)).take(limit).collect();
    categories.extend(more.iter().filter_map(|name| registry.get(name)).map(|meta| meta.spec.category));
    categories.sort_unstable();
    categories.dedup();
    names.extend(more);
    Selection { names, categories }
}

//! Selects the actions of a tool list with the strategy `filtered`.

use std::sync::Arc;

use toolcrib_registry::{ActionRegistry, Category};

use crate::{NO_TOOL_BELOW, OverlaySearch, Search, route, router};

/// The minimum score of a selected action, as a share of the best score.
const NEAR_THE_BEST: f32 = 0.25;

/// The actions and categories for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The actions: first those that are always offered, in the order of the registry, then those that fit,
    /// best first.
    pub names: Vec<Arc<str>>,
    /// The categories to which the dispatcher may be limited: those of the router and of the selected
    /// actions. Empty if it must have all actions: for small talk, for a query that may be small talk, and for one
    /// that no action serves.
    pub categories: Vec<Category>,
    /// Whether the query is small talk.
    pub small: bool,
}

/// Selects from the actions for which `allowed` is true: those that are always offered and up to `limit`
/// more. Greetings, chitchat and queries that no action serves get only those that are always offered. `overlays` have
/// the declared tools and the packs of the registry.
pub fn select(
    search: &Search,
    overlays: &[&OverlaySearch],
    registry: &ActionRegistry,
    query: &str,
    context: &[String],
    allowed: &dyn Fn(&str) -> bool,
    limit: usize,
) -> Selection {
    let always =
        registry.tools().map(|meta| &meta.spec).filter(|spec| spec.always_offered && allowed(&spec.name));
    let mut names: Vec<Arc<str>> = always.map(|spec| spec.name.clone()).collect();
    let route = route(query, context);
    if route.small {
        return Selection { names, categories: Vec::new(), small: !query.trim().is_empty() };
    }
    let meant = router::meant(query, context);
    let hits = search.search_with(overlays, &meant, allowed, limit + names.len(), None);
    let best = hits.first().map_or(0.0, |hit| hit.score);
    if best < NO_TOOL_BELOW {
        return Selection { names, categories: Vec::new(), small: false };
    }
    let mut categories = route.categories;
    let near = hits.iter().filter(|hit| hit.score >= best * NEAR_THE_BEST);
    let more: Vec<Arc<str>> =
        near.map(|hit| hit.name.clone()).filter(|name| !names.contains(name)).take(limit).collect();
    categories.extend(more.iter().filter_map(|name| registry.get(name)).map(|meta| meta.spec.category));
    categories.sort_unstable();
    categories.dedup();
    names.extend(more);
    if router::is_polite(query) {
        categories.clear();
    }
    Selection { names, categories, small: false }
}

//! Fits a tool list into a token budget by removing actions from its end. Always-offered actions are never
//! removed.

use std::{collections::HashSet, sync::Arc};

use super::list::{Choice, RenderedTools, render_tools, set_of};
use crate::{base::ActionError, catalog::Catalog};

/// Renders a choice within its budget and returns the actions that were left out. Fails if the always-offered
/// actions exceed the budget.
pub(crate) fn fit(catalog: &Catalog, choice: &Choice) -> Result<(RenderedTools, Vec<Arc<str>>), ActionError> {
    let whole = render_tools(catalog, choice);
    let Some(budget) = choice.max_tokens.filter(|&most| whole.tokens > most) else {
        return Ok((whole, Vec::new()));
    };
    let ranked = ranked(catalog, choice);
    let (smallest, _) = cut(choice, &ranked, 0);
    let smallest = render_tools(catalog, &smallest);
    if smallest.tokens > budget {
        let message =
            format!("must be at least {}: the tools that are always offered need that much", smallest.tokens);
        return Err(ActionError::invalid("/max_tokens", "minimum", message));
    }
    // Binary search: `good` actions fit, `bad` actions do not.
    let (mut good, mut bad) = (0, ranked.len());
    let mut best = (smallest, cut(choice, &ranked, 0).1);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        let (kept, left_out) = cut(choice, &ranked, middle);
        let rendered = render_tools(catalog, &kept);
        if rendered.tokens <= budget {
            best = (rendered, left_out);
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(best)
}

/// Returns what may be removed, the best first: tools of their own, then actions behind the dispatcher, then
/// deferred schemas.
fn ranked(catalog: &Catalog, choice: &Choice) -> Vec<(ListPart, Arc<str>)> {
    let always = |name: &str| catalog.registry().get(name).is_some_and(|meta| meta.spec.always_offered);
    let of = |part: ListPart, names: &[Arc<str>]| -> Vec<(ListPart, Arc<str>)> {
        names.iter().filter(|name| !always(name)).map(|name| (part, name.clone())).collect()
    };
    let direct = set_of(&choice.direct);
    let extra: Vec<Arc<str>> =
        choice.deferred.iter().filter(|name| !direct.contains(&***name)).cloned().collect();
    let mut all = of(ListPart::Direct, &choice.direct);
    all.extend(of(ListPart::Behind, &choice.behind));
    all.extend(of(ListPart::Deferred, &extra));
    all
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ListPart {
    Direct,
    Behind,
    Deferred,
}

/// Returns the choice with the first `keep` entries of `ranked`, and the actions that are no longer in the
/// list.
fn cut(choice: &Choice, ranked: &[(ListPart, Arc<str>)], keep: usize) -> (Choice, Vec<Arc<str>>) {
    let gone = ranked.get(keep..).unwrap_or_default().iter();
    let gone: HashSet<(ListPart, &str)> = gone.map(|(part, name)| (*part, &**name)).collect();
    let without = |names: &[Arc<str>], part: ListPart| -> Vec<Arc<str>> {
        names.iter().filter(|name| !gone.contains(&(part, &***name))).cloned().collect()
    };
    let direct = without(&choice.direct, ListPart::Direct);
    let behind = without(&choice.behind, ListPart::Behind);
    let deferred = without(&choice.deferred, ListPart::Deferred);
    let (kept_direct, kept_behind, all_direct) = (set_of(&direct), set_of(&behind), set_of(&choice.direct));
    let shown = |name: &str| kept_direct.contains(name) || !all_direct.contains(name);
    let deferred: Vec<Arc<str>> = deferred.iter().filter(|name| shown(name)).cloned().collect();
    let kept = |name: &str| kept_direct.contains(name) || kept_behind.contains(name);
    let left_out = choice.direct.iter().chain(&choice.behind).filter(|name| !kept(name)).cloned().collect();
    (Choice { direct, behind, deferred, ..choice.clone() }, left_out)
}

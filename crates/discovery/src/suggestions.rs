//! Suggests known names for an unknown one.

use toolcrib_registry::{PREFIX, edit_distance};

use crate::text;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Returns the names in `allowed` that are most similar to an unknown name, by edit distance and by shared
/// words. Best first, at most three.
pub fn nearest_names<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let asked = bare(text::cut(name));
    let asked_stems = text::stems(&asked.replace('_', " "));
    let mut near: Vec<(usize, usize, &str)> = allowed
        .into_iter()
        .filter_map(|candidate| {
            let other = bare(candidate);
            let most = 1 + asked.chars().count().min(24) / 6;
            let slipped = slips(&asked, &other, most);
            let apart = unlike(&asked_stems, &text::stems(&other.replace('_', " ")));
            match (slipped, apart) {
                (None, None) => None,
                (slipped, apart) => Some((
                    apart.unwrap_or(100).min(slipped.map_or(100, |n| n * 12)),
                    slipped.unwrap_or(99),
                    candidate,
                )),
            }
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, _, name)| name).collect()
}

/// Normalizes a name and removes the prefix or the slug of its toolset: `platform.Delete-Agents` becomes
/// `delete_agents`, and `desk__getTicket` becomes `get_ticket`.
fn bare(name: &str) -> String {
    let name = name.split_once("__").map_or(name, |(_, bare)| bare);
    let mut out = String::with_capacity(name.len());
    let mut before_lower = false;
    for c in name.trim().chars() {
        if c.is_uppercase() && before_lower {
            out.push('_');
        }
        before_lower = c.is_lowercase();
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else {
            out.push('_');
        }
    }
    out.strip_prefix(PREFIX).unwrap_or(&out).to_owned()
}

/// Returns the distance of two names' words, from 0 to 50, or `None` if they share less than half of all
/// words.
fn unlike(a: &[String], b: &[String]) -> Option<usize> {
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    (shared > 0 && shared * 2 >= all).then(|| (all - shared) * 100 / all)
}

/// Returns the edit distance of two words, where swapping two letters is one edit, or `None` if it is over
/// `most`.
pub(crate) fn slips(a: &str, b: &str, most: usize) -> Option<usize> {
    Some(edit_distance(a, b)).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "platform_create_agent",
        "platform_delete_agent",
        "platform_delete_document",
        "platform_get_agent",
        "platform_query_loki_logs",
    ];

    #[test]
    fn slips_and_words_find_the_meant_name() {
        let first = |name: &str| nearest_names(name, NAMES).first().copied();
        assert_eq!(first("platform_delete_agents"), Some("platform_delete_agent"));
        assert_eq!(first("deleteAgent"), Some("platform_delete_agent"));
        assert_eq!(first("platform_agent_delete"), Some("platform_delete_agent"));
        assert_eq!(first("platform_loki_logs"), Some("platform_query_loki_logs"));
        assert_eq!(first("platform_crate_agnet"), Some("platform_create_agent"));
    }

    #[test]
    fn declared_tools_are_compared_without_their_slug() {
        let names = ["platform_get_agent", "desk__getTicket"];
        for given in ["get_tickets", "desk__get_tickt", "help__getTicket"] {
            assert_eq!(nearest_names(given, names), ["desk__getTicket"], "{given}");
        }
    }

    #[test]
    fn what_is_far_or_not_allowed_is_not_named() {
        assert!(nearest_names("platform_make_coffee", NAMES).is_empty());
        assert!(nearest_names("platform_delete_agents", ["platform_query_loki_logs"]).is_empty());
        assert!(nearest_names("", NAMES).is_empty());
        assert!(nearest_names(&"x".repeat(1_000_000), NAMES).is_empty());
    }

    #[test]
    fn swapped_letters_are_one_slip() {
        assert_eq!(slips("agnet", "agent", 1), Some(1));
        assert_eq!(slips("agent", "agents", 1), Some(1));
        assert_eq!(slips("agent", "model", 2), None);
    }
}

//! Whether masking names of records helps: the names in the questions are replaced by others, as a workspace
//! may have them.

use std::collections::BTreeMap;

use toolcrib_discovery::{NameKind, Search, mask_names};

use crate::corpus;

/// Names in the questions, and what they name.
const IN_QUESTIONS: [(&str, NameKind); 15] = [
    ("Atlas", NameKind::Agent),
    ("Marta", NameKind::Agent),
    ("Felix", NameKind::Agent),
    ("Scout", NameKind::Agent),
    ("Rufus", NameKind::Agent),
    ("Proki", NameKind::Agent),
    ("Pixel", NameKind::Agent),
    ("Press Review", NameKind::Playbook),
    ("lead triage", NameKind::Playbook),
    ("AGM 2025", NameKind::Document),
    ("Hausordnung", NameKind::Document),
    ("price list", NameKind::Document),
    ("Polish market", NameKind::Mission),
    ("seo audit", NameKind::Mission),
    ("relaunch", NameKind::Mission),
];
/// Names that a workspace may have. The index knows all words of the last three, so they are never masked.
const OTHERS: [&str; 10] = [
    "Northwind churn digest",
    "Kvasir",
    "Quill",
    "Zephyrine",
    "Zendesk sync",
    "Kestrel budget",
    "Qoppa memory",
    "Invoice checker",
    "Weekly cost report",
    "Delete task",
];

/// As the engine does: looks the candidates up among the workspace's names.
fn masked(search: &Search, query: &str, name: &str, kind: NameKind) -> String {
    let candidates = search.name_candidates(query);
    assert!(candidates.len() <= 64);
    let found = candidates.into_iter().filter(|range| query[range.clone()].eq_ignore_ascii_case(name));
    mask_names(query, &found.map(|range| (range, kind)).collect::<Vec<_>>())
}

#[test]
fn masked_names_hide_less() {
    let search = corpus::search();
    let first = |query: &str| search.search(query, &|_| true, 1, None).first().map(|hit| hit.name.clone());
    let mut figures: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let mut asked = 0;
    for (_, action, question) in corpus::questions() {
        let Some((old, kind)) = IN_QUESTIONS.iter().find(|(old, _)| question.contains(old)) else { continue };
        for name in OTHERS {
            let query = question.replace(old, name);
            let other = masked(&search, &query, name, *kind);
            asked += 1;
            for (label, text) in [("named", &query), ("masked", &other)] {
                figures.entry(label).or_default()[usize::from(first(text) == Some(action.into()))] += 1;
            }
        }
    }
    let recall = |label: &str| f64::from(figures[label][1]) / f64::from(asked);
    println!("{asked} queries with a name: recall@1 {:.3}, masked {:.3}", recall("named"), recall("masked"));
    assert!(recall("masked") >= recall("named") + 0.03);
}

#[test]
fn a_name_of_known_words_is_not_masked() {
    let search = corpus::search();
    for query in ["please delete task", "how is the weekly cost report", "Kostenübersicht zeigen"] {
        assert!(search.name_candidates(query).is_empty(), "{query}");
    }
    let query = "run Kvasir now ".repeat(100);
    assert_eq!(search.name_candidates(&query).len(), 64);
}

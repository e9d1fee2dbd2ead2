//! The phrase corpus, the questions, and one document for each of the 91 actions, made from its name, one
//! line about it and its phrases.

use std::collections::{HashMap, HashSet};

use toolcrib_discovery::{Document, Search};
use toolcrib_registry::Category;

/// The phrases of the product, as pairs of action and phrase.
pub fn phrases() -> Vec<(&'static str, &'static str)> {
    include_str!("../../data/phrases.tsv").lines().map(|line| line.split_once('\t').unwrap()).collect()
}

/// Questions that are not in the index: style, action and question. Those that the corpus has too are left
/// out.
pub fn questions() -> Vec<(&'static str, &'static str, &'static str)> {
    let parts = |line: &'static str| {
        let (style, rest) = line.split_once('\t').unwrap();
        let (action, question) = rest.split_once('\t').unwrap();
        (style, action, question)
    };
    let indexed: HashSet<&str> = phrases().into_iter().map(|(_, phrase)| phrase).collect();
    let all = include_str!("../../../../tests/data/tool_queries.tsv").lines().map(parts);
    all.filter(|(_, _, question)| !indexed.contains(question)).collect()
}

/// The half of the questions on which nothing was chosen: neither weights nor the threshold.
pub fn reported(question: &str) -> bool {
    hash(question) >> 16 & 1 == 1
}

/// Long requests of one half, `tune` or `report`: action and request. Weights were chosen on the first half.
pub fn long_questions(half: &str) -> Vec<(&'static str, &'static str)> {
    let parts = |line: &'static str| -> [&'static str; 4] {
        line.split('\t').collect::<Vec<_>>().try_into().unwrap()
    };
    let all = include_str!("../../../../tests/data/long_tool_queries.tsv").lines().map(parts);
    all.filter(|[of, ..]| *of == half).map(|[_, _, action, question]| (action, question)).collect()
}

/// Long requests of one half that no action serves.
pub fn long_no_tool(half: &str) -> Vec<&'static str> {
    let all = include_str!("../../../../tests/data/long_no_tool_queries.tsv").lines();
    all.filter_map(|line| line.split_once('\t')).filter(|(of, _)| *of == half).map(|(_, text)| text).collect()
}

/// What no action is for, and the index was not told so. Weights and the threshold were chosen on these.
pub fn no_tool() -> Vec<&'static str> {
    let far = include_str!("../../../../tests/data/no_tool_queries.tsv").lines();
    let near = include_str!("../../../../tests/data/no_tool_queries_near.tsv").lines();
    not_told(far.chain(near))
}

/// Requests far from our domain. Choose nothing on these.
pub fn no_tool_later() -> Vec<&'static str> {
    not_told(include_str!("../../../../tests/data/no_tool_queries_later.tsv").lines())
}

/// Requests near our domain: what one might think that such a product does. Choose nothing on these.
pub fn no_tool_held_out() -> Vec<&'static str> {
    include_str!("../../../../tests/data/no_tool_queries_held_out.tsv").lines().collect()
}

/// Passes over the few that the index knows.
fn not_told(lines: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let told: HashSet<String> = none().map(str::to_lowercase).collect();
    lines.filter(|line| !line.is_empty() && !told.contains(&line.to_lowercase())).collect()
}

/// The phrases that no action serves, as the product knows them.
pub fn none() -> impl Iterator<Item = &'static str> {
    include_str!("../../data/none.tsv").lines()
}

/// One document for each action, with the phrases that `keep` accepts.
pub fn documents(keep: impl Fn(&str) -> bool) -> Vec<Document> {
    let mut by_action: HashMap<&str, Vec<String>> = HashMap::new();
    for (action, phrase) in phrases() {
        if keep(phrase) {
            by_action.entry(action).or_default().push(phrase.to_owned());
        }
    }
    let document = |line: &'static str| {
        let [short, category, description]: [&str; 3] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let name = *by_action.keys().find(|name| name.strip_prefix("platform_") == Some(short)).unwrap();
        Document {
            name: phrases().into_iter().find(|(action, _)| *action == name).unwrap().0.into(),
            category: Some(*Category::ALL.iter().find(|c| c.as_str() == category).unwrap()),
            description: description.to_owned(),
            phrases: by_action[name].clone(),
            ..Document::default()
        }
    };
    include_str!("../data/descriptions.tsv").lines().map(document).collect()
}

/// The search index with all phrases, as the product has it.
pub fn search() -> Search {
    Search::of_documents(&documents(|_| true))
}

/// Whether a phrase is left out of the index, to compare designs: 15 of 100 phrases, by a hash of the phrase.
pub fn left_out(phrase: &str) -> bool {
    hash(phrase) % 100 < 15
}

fn hash(text: &str) -> u32 {
    text.bytes().fold(2_166_136_261_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(16_777_619))
}

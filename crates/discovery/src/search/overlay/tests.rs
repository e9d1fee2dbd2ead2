use serde_json::{Map, json};
use toolcrib_registry::{Category, Permission, Spec};

use super::*;

/// A declared tool with 40 parameters.
fn tool(name: &str, description: &str, parameter: &str) -> ActionMeta {
    let spec = Spec::read(name, Category::Toolset, Permission::AGENTS_READ).describe(description);
    let property = |i| (format!("p{i}"), json!({ "type": "string", "description": parameter }));
    let properties: Map<_, _> = (0..40).map(property).collect();
    ActionMeta::new(spec, json!({ "type": "object", "properties": properties }), json!({})).unwrap()
}

#[test]
fn the_first_texts_are_kept() {
    let bounded = |most| {
        let mut texts = vec!["ab".to_owned(), "öö".to_owned(), "ccc".to_owned(), "d".to_owned()];
        bound(&mut texts, most);
        texts.len()
    };
    assert_eq!([0, 2, 3, 4, 6, 7, 8].map(bounded), [0, 1, 1, 2, 2, 3, 4]);
}

/// Every word is another one, so that each takes memory of its own.
#[test]
fn long_texts_take_bounded_memory() {
    let words = |count: usize, mark: char| -> String {
        (0..count).map(|i| format!("{mark}{}", (i * 7_919) % 100_003)).collect::<Vec<_>>().join(" ")
    };
    let bytes = |count| {
        let tool = tool("desk__get_ticket", &words(count, 'a'), &words(count, 'b'));
        OverlaySearch::new([tool].iter()).heap_bytes()
    };
    // What is more than 2,000 characters long is not read.
    assert!(bytes(50) < bytes(300));
    assert_eq!(bytes(2_000), bytes(4_000));
}

#[test]
fn words_of_a_parameter_find_a_tool() {
    let search = Search::of_documents(&[]);
    let tools = [
        tool("desk__a", "First tool.", "The zebra to feed."),
        tool("desk__b", "Second tool.", "The walrus to wash."),
    ];
    let overlay = OverlaySearch::new(tools.iter());
    let names = |query: &str| -> Vec<String> {
        let hits = search.search_with(&[&overlay], query, &|_| true, 9, None);
        hits.iter().map(|hit| hit.name.to_string()).collect()
    };
    assert_eq!(names("a zebra"), ["desk__a"]);
    assert_eq!(names("wash the walrus"), ["desk__b"]);
    assert_eq!(names("a giraffe"), [""; 0]);
}

#[test]
fn a_word_that_the_actions_share_counts_less() {
    let action = |name: &str, description: &str| Document {
        name: name.into(),
        description: description.to_owned(),
        ..Document::default()
    };
    let actions: Vec<Document> =
        (0..30).map(|i| action(&format!("list_{i}"), "Display the quartz.")).collect();
    let tools = [tool("desk__a", "Quartz.", ""), tool("desk__b", "Walrus.", "")];
    let overlay = OverlaySearch::new(tools.iter());
    let second_to_first = |actions: &[Document]| {
        let search = Search::of_documents(actions);
        let allowed = |name: &str| name.contains("__");
        let mut hits = search.search_with(&[&overlay], "quartz walrus", &allowed, 9, None);
        hits.sort_by(|a, b| a.name.cmp(&b.name));
        let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        let [first, second] = scores.try_into().unwrap();
        second / first
    };
    let (alone, beside) = (second_to_first(&[]), second_to_first(&actions));
    assert!(alone < 1.0 && beside > 1.5, "{alone}, {beside}");
}

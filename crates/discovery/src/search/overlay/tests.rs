use serde_json::{Map, json};
use toolcrib_registry::{Category, Permission, Spec, Verb};

use super::*;

/// A declared tool with 40 parameters.
fn tool(name: &str, description: &str, parameter: &str) -> ActionMeta {
    let spec = Spec::read(name, Category::Toolset, Permission::AGENTS_READ).describe(description);
    let property = |i| (format!("p{i}"), json!({ "type": "string", "description": parameter }));
    let properties: Map<_, _> = (0..40).map(property).collect();
    ActionMeta::new(spec, json!({ "type": "object", "properties": properties }), json!({})).unwrap()
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

static SHOP: PackInfo =
    PackInfo { slug: "shop", title: "Shop", description: "Sells things.", sources: &[], events: &[] };

/// A pack of two actions with the same words of their own.
fn shop(phrases: &str) -> OverlaySearch {
    let action = |name: &str| {
        let spec = Spec::read(name, Category::Pack(&SHOP), Permission::of_pack("shop", Verb::Read));
        ActionMeta::new(spec.describe("Does something."), json!({ "type": "object" }), json!({})).unwrap()
    };
    OverlaySearch::of_pack(&SHOP, [action("shop_get_a"), action("shop_get_b")].iter(), phrases)
}

fn found(search: &Search, overlays: &[&OverlaySearch], query: &str) -> Vec<SearchHit> {
    search.search_with(overlays, query, &|_| true, 9, None)
}

#[test]
fn every_phrase_of_a_pack_counts() {
    let filling = "shop_get_a\tweigh the parcel\n".repeat(200);
    let phrases = format!("{filling}shop_get_a\tfeed the walrus\nshop_get_b\tcomb the zebra\n");
    let (search, pack) = (Search::of_documents(&[]), shop(&phrases));
    let first = |query: &str| found(&search, &[&pack], query).first().map(|hit| hit.name.to_string());
    assert_eq!(first("is the walrus fed?").unwrap(), "shop_get_a");
    assert_eq!(first("the zebra").unwrap(), "shop_get_b");
}

#[test]
fn a_pack_lowers_what_it_has_learnt_to_be_its_own() {
    let action = |name: &str, phrase: &str| Document {
        name: name.into(),
        phrases: vec![phrase.to_owned(), format!("please {phrase}")],
        ..Document::default()
    };
    let actions = [action("c", "comb my horse"), action("b", "comb my hair"), action("a", "show the agents")];
    let search = Search::of_documents(&actions);
    let pack = shop("shop_get_a\tcomb the zebra\nshop_get_a\tzebra, comb it\nshop_get_b\tfeed the walrus\n");
    let (alone, beside) = (found(&search, &[], "comb the zebra"), found(&search, &[&pack], "comb the zebra"));
    assert_eq!(&*beside.first().unwrap().name, "shop_get_a");
    let rest: Vec<&SearchHit> = beside.iter().filter(|hit| !hit.name.starts_with("shop")).collect();
    let names = |hits: &[&SearchHit]| hits.iter().map(|hit| hit.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&rest), names(&alone.iter().collect::<Vec<_>>()), "in the order that they have alone");
    assert!(rest.iter().zip(&alone).all(|(beside, alone)| beside.score < alone.score && beside.score > 0.0));
    // What is not the pack's stays as it is, but for a trace.
    let (alone, beside) =
        (found(&search, &[], "show the agents"), found(&search, &[&pack], "show the agents"));
    let (alone, beside) = (alone.first().unwrap(), beside.first().unwrap());
    assert_eq!((&*alone.name, &*beside.name), ("a", "a"));
    assert!(alone.score - beside.score < 0.05, "{} {}", alone.score, beside.score);
}

#[test]
fn a_pack_of_which_nothing_is_allowed_changes_nothing() {
    let (search, pack) = (Search::of_documents(&[]), shop("shop_get_a\tcomb the zebra\n"));
    let hits = search.search_with(&[&pack], "comb the zebra", &|name| name != "shop_get_a", 9, None);
    assert!(hits.iter().all(|hit| &*hit.name == "shop_get_b"), "{hits:?}");
    assert_eq!(search.search_with(&[&pack], "comb the zebra", &|_| false, 9, None), []);
}

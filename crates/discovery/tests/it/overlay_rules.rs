//! What holds for a search with declared tools, however well it finds them.

use std::{cell::RefCell, sync::LazyLock};

use proptest::prelude::*;
use toolcrib_discovery::{NO_TOOL_BELOW, OverlaySearch, Search, SearchHit};
use toolcrib_registry::Category;

use crate::{corpus, declared};

static SEARCH: LazyLock<Search> = LazyLock::new(corpus::search);
static HUNDRED: LazyLock<OverlaySearch> = LazyLock::new(|| OverlaySearch::new(declared::hundred().iter()));

#[test]
fn without_an_overlay_nothing_changes() {
    let overlay = OverlaySearch::new(declared::examples().iter());
    let none = OverlaySearch::new(std::iter::empty());
    let compiled = |name: &str| !name.contains("__");
    for (_, _, question) in corpus::questions() {
        let expected = SEARCH.search(question, &|_| true, 9, None);
        assert_eq!(SEARCH.search_with(&[], question, &|_| true, 9, None), expected, "{question}");
        assert_eq!(SEARCH.search_with(&[&none], question, &|_| true, 9, None), expected, "{question}");
        assert_eq!(SEARCH.search_with(&[&overlay], question, &compiled, 9, None), expected, "{question}");
    }
}

#[test]
fn a_declared_tool_that_is_not_allowed_is_never_found() {
    let tools = declared::examples();
    let overlay = OverlaySearch::new(tools.iter());
    for (tool, phrase) in declared::phrases("tune") {
        let asked = RefCell::new(Vec::new());
        let allowed = |name: &str| {
            asked.borrow_mut().push(name.to_owned());
            name != tool
        };
        for query in [phrase, tool] {
            let hits = SEARCH.search_with(&[&overlay], query, &allowed, 200, None);
            assert!(hits.iter().all(|hit| &*hit.name != tool), "{query}");
        }
        assert_eq!(asked.borrow().len(), 2 * (91 + tools.len()), "each is asked about once");
    }
}

#[test]
fn the_order_of_the_tools_does_not_matter() {
    let mut tools = declared::hundred();
    let questions: Vec<&str> = declared::phrases("report").into_iter().map(|(_, phrase)| phrase).collect();
    let hits = |overlay: &OverlaySearch| -> Vec<Vec<SearchHit>> {
        let find = |question: &&str| SEARCH.search_with(&[overlay], question, &|_| true, 300, None);
        questions.iter().map(find).collect()
    };
    let expected = hits(&OverlaySearch::new(tools.iter()));
    for _ in 0..3 {
        tools.rotate_left(37);
        tools.swap(0, 63);
        assert_eq!(hits(&OverlaySearch::new(tools.iter())), expected);
    }
    tools.reverse();
    assert_eq!(hits(&OverlaySearch::new(tools.iter())), expected);
}

#[test]
fn a_tool_that_the_query_names_comes_first() {
    let first = |query: &str| SEARCH.search_with(&[&*HUNDRED], query, &|_| true, 3, None).remove(0);
    for query in ["desk__get_ticket", "get_ticket", "please call get_ticket with 4711, then list the agents"]
    {
        assert_eq!(&*first(query).name, "desk__get_ticket", "{query}");
        assert!(first(query).score > NO_TOOL_BELOW);
    }
    // The platform has an action with this name too.
    let hits = SEARCH.search_with(&[&*HUNDRED], "list_tasks", &|_| true, 2, None);
    let names: Vec<&str> = hits.iter().map(|hit| &*hit.name).collect();
    assert_eq!(names, ["orion__list_tasks", "platform_list_tasks"]);
}

#[test]
fn a_category_narrows_declared_tools_too() {
    let find = |category| SEARCH.search_with(&[&*HUNDRED], "list my open tasks", &|_| true, 9, category);
    let declared = |hits: &[SearchHit]| hits.iter().filter(|hit| hit.name.contains("__")).count();
    assert_eq!(declared(&find(Some(Category::Tasks))), 0);
    let own = find(Some(Category::Toolset));
    assert_eq!((declared(&own), own.len()), (9, 9));
    let both = find(None);
    assert!((1..9).contains(&declared(&both)) && both.len() == 9, "{both:?}");
}

#[test]
fn two_thousand_tools_stay_small() {
    let tools = declared::many(2_000);
    let overlay = OverlaySearch::new(tools.iter());
    let kib = overlay.heap_bytes() / 1024;
    println!("2,000 tools: {kib} KiB");
    assert!((1_000..5_000).contains(&kib), "{kib} KiB");
    let hits = SEARCH.search_with(&[&overlay], "refund the order", &|_| true, 25, None);
    assert!(hits.first().is_some_and(|hit| hit.name.contains("refund_order")), "{hits:?}");
    assert!(OverlaySearch::new(tools.iter().take(100)).heap_bytes() < overlay.heap_bytes() / 5);
}

#[test]
fn odd_queries_are_answered() {
    let long = "könnte jemand bitte das Ticket schließen, ".repeat(300);
    assert!(long.chars().count() > 10_000);
    for query in
        ["", " ", "\u{0}\u{202e}", "__", "a__b", "私のチケットを表示", "🙂🙂", "ticket\u{301}", &long]
    {
        let hits = SEARCH.search_with(&[&*HUNDRED], query, &|_| true, 200, None);
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{query}");
    }
    assert_eq!(SEARCH.search_with(&[&*HUNDRED], "", &|_| true, 9, None), []);
    // What stands at the end of 2,000 characters is read, and nothing behind them.
    let padded = |blanks: usize| format!("{}get_ticket", "- ".repeat(blanks));
    let first = |query: &str| SEARCH.search_with(&[&*HUNDRED], query, &|_| true, 1, None);
    assert_eq!(&*first(&padded(995)).remove(0).name, "desk__get_ticket");
    assert_eq!(first(&padded(1_000)), []);
}

#[test]
fn an_index_can_be_shared_between_threads() {
    const fn shared<T: Send + Sync>() {}
    const { shared::<OverlaySearch>() };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_is_ordered_by_score_and_by_name(
        query in "(get_ticket )?.{0,200}( ticket| email)?",
        limit in 0usize..30,
    ) {
        let find = |limit| SEARCH.search_with(&[&*HUNDRED], &query, &|_| true, limit, None);
        let hits = find(limit);
        prop_assert!(hits.len() <= limit);
        prop_assert_eq!(&hits[..], &find(500)[..hits.len()]);
        for pair in hits.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let order = b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name));
            prop_assert!(order.is_lt(), "{:?}", pair);
        }
    }
}

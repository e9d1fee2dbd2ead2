//! What search and router take, and how well search does on tools that are none of ours:
//! `scripts/bench-search` runs it.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a benchmark")]

#[path = "../tests/it/corpus.rs"]
#[expect(dead_code, reason = "its figures are for the tests")]
mod corpus;
#[path = "../tests/it/declared.rs"]
#[expect(dead_code, reason = "its phrases are for the tests")]
mod declared;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;
use toolcrib_discovery::{Document, OverlaySearch, Search, route};

fn main() {
    latency();
    overlay();
    if let Some(folder) = std::env::args().nth(1) {
        pool(Path::new(&folder));
    }
}

/// Building, asking and routing, for our actions and for 2,000 made from them.
fn latency() {
    println!("| what | built in | p50 | p99 |\n|---|---|---|---|");
    let documents = corpus::documents(|_| true);
    let many: Vec<Document> = (0..2_000).map(|i| synthetic(i, &documents)).collect();
    for (label, documents) in [("91 actions", &documents), ("2,000 actions", &many)] {
        let start = Instant::now();
        let search = Search::of_documents(documents);
        let built = start.elapsed();
        let ask = |query: &str| drop(search.search(query, &|_| true, 8, None));
        report(&format!("search among {label}"), &format!("{built:.1?}"), &corpus_queries(), ask);
        report(&format!("search among {label}, 2,000 characters"), "–", &longest_queries(), ask);
    }
    report("router", "–", &corpus_queries(), |query| drop(route(query, &[])));
    let megabyte = "löschen delete wörkflow ".repeat(44_000);
    let rubbish =
        ["", "\u{0}\u{1}\u{202e}", "私のエージェントを表示して", "🙂🙂🙂", "a_b.c/d-e", "qzxv wvut"];
    let odd: Vec<String> = rubbish.iter().map(|text| (*text).to_owned()).chain([megabyte.clone()]).collect();
    let context = [megabyte];
    report(
        "router: rubbish, other scripts, 1 MB of query and context",
        "–",
        &vec![odd; 20].concat(),
        |query| {
            drop(route(query, &context));
        },
    );
}

/// Building the index of declared tools, and asking it and the compiled index.
fn overlay() {
    println!("\n| what | built in, bytes | p50 | p99 |\n|---|---|---|---|");
    let search = corpus::search();
    for count in [100, 2_000] {
        let tools = if count == 100 { declared::hundred() } else { declared::many(count) };
        let build = || {
            let start = Instant::now();
            let overlay = OverlaySearch::new(tools.iter());
            (start.elapsed(), overlay)
        };
        // The first one parses the lexicon too.
        let (first, overlay) = build();
        let best = (0..5).map(|_| build().0).min().unwrap_or_default();
        let built = format!("first {first:.1?}, best {best:.1?}, {} KiB", overlay.heap_bytes() / 1024);
        let ask = |query: &str| drop(search.search_with(&[&overlay], query, &|_| true, 8, None));
        report(&format!("search among 91 actions and {count} tools"), &built, &corpus_queries(), ask);
        report("the same, 2,000 characters", "–", &longest_queries(), ask);
    }
}

fn corpus_queries() -> Vec<String> {
    corpus::questions().iter().map(|(_, _, question)| (*question).to_owned()).collect()
}

/// Queries of 2,000 characters, with and without marks between the clauses.
fn longest_queries() -> Vec<String> {
    let text = corpus_queries().join(", ");
    let all: Vec<char> = text.chars().collect();
    let marked: Vec<String> = all.chunks_exact(2_000).map(|part| part.iter().collect()).collect();
    let bare: Vec<String> = marked.iter().map(|text| text.replace([',', '.', '?'], "")).collect();
    [marked, bare].concat()
}

fn report(label: &str, built: &str, queries: &[String], ask: impl Fn(&str)) {
    // The first questions warm what is made once.
    queries.iter().take(20).for_each(|query| ask(query));
    let mut times: Vec<Duration> = queries
        .iter()
        .map(|query| {
            let once = || {
                let start = Instant::now();
                ask(query);
                start.elapsed()
            };
            // The best of five: what else the machine does is no part of it.
            (0..5).map(|_| once()).min().unwrap_or_default()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("| {label} | {built} | {:.2?} | {:.2?} |", at(50), at(99));
}

/// A document like the 91st part of the catalogue that it is made of, with some phrases of two actions.
fn synthetic(i: usize, from: &[Document]) -> Document {
    let (a, b) = (&from[i % from.len()], &from[(i * 7 + i / from.len()) % from.len()]);
    let name = format!("{}_{}_{i}", a.name, b.name.trim_start_matches("platform_"));
    let some = |doc: &Document| doc.phrases.iter().skip(i % 40).take(3).cloned().collect::<Vec<_>>();
    Document {
        name: name.into(),
        category: a.category,
        description: format!("{}. {}", a.description, b.description),
        phrases: [some(a), some(b)].concat(),
        ..Document::default()
    }
}

/// Somebody else's tools and questions, one JSON object a line; no phrases of users are known of them.
fn pool(folder: &Path) {
    let lines = |file: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let document = |tool: &Value| Document {
        name: text(&tool["name"]).into(),
        description: text(&tool["description"]),
        parameters: tool["parameters"].as_array().unwrap().iter().map(text).collect(),
        ..Document::default()
    };
    let documents: Vec<Document> = lines("tools.jsonl").iter().map(document).collect();
    let search = Search::of_documents(&documents);
    let queries = lines("queries.jsonl");
    let ranks: Vec<Option<usize>> = queries
        .iter()
        .map(|asked| {
            let hits = search.search(asked["query"].as_str().unwrap(), &|_| true, documents.len(), None);
            hits.iter().position(|hit| asked["tool"] == *hit.name)
        })
        .collect();
    let within = |most: usize| {
        let found = ranks.iter().flatten().filter(|rank| **rank < most).count();
        found as f64 / ranks.len() as f64
    };
    println!("\n{} tools, {} questions", documents.len(), queries.len());
    println!("recall@1 {:.3}  recall@5 {:.3}  recall@10 {:.3}", within(1), within(5), within(10));
}

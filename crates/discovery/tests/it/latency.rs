//! How long building and asking take. Printed, not asserted: other work on the machine would decide.

use std::time::{Duration, Instant};

use toolcrib_discovery::{Document, Search};

use crate::corpus;

fn ask(label: &str, search: &Search) {
    let mut times: Vec<Duration> = corpus::questions()
        .iter()
        .map(|(_, _, question)| {
            let start = Instant::now();
            assert!(search.search(question, &|_| true, 8, None).len() <= 8);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 100];
    println!("{label}: p50 {:?}  p99 {:?}", at(50), at(99));
}

#[test]
fn building_and_asking_is_quick() {
    let documents = corpus::documents(|_| true);
    let start = Instant::now();
    let search = Search::of_documents(&documents);
    println!("91 documents: built in {:?}", start.elapsed());
    ask("91 documents", &search);
    let many: Vec<Document> = (0..2_000).map(|i| synthetic(i, &documents)).collect();
    let start = Instant::now();
    let search = Search::of_documents(&many);
    println!("2,000 documents: built in {:?}", start.elapsed());
    ask("2,000 documents", &search);
}

/// A document like the 91st part of the catalogue that it is made of, with some phrases of two actions.
fn synthetic(i: usize, from: &[Document]) -> Document {
    let (a, b) = (&from[i % from.len()], &from[(i * 7 + i / from.len()) % from.len()]);
    let name: &'static str = format!("{}_{}_{i}", a.name, b.name.trim_start_matches("platform_")).leak();
    let some = |doc: &Document| doc.phrases.iter().skip(i % 40).take(3).cloned().collect::<Vec<_>>();
    Document {
        name,
        category: a.category,
        description: format!("{}. {}", a.description, b.description),
        phrases: [some(a), some(b)].concat(),
        ..Document::default()
    }
}

//! Recall and rank.

use std::collections::BTreeMap;

use toolcrib_discovery::{Search, SearchHit};

/// Recall at 1 and 5, and the mean reciprocal rank, over a set of questions.
#[derive(Clone, Copy, Default)]
pub struct Figures {
    asked: usize,
    first: usize,
    five: usize,
    reciprocal: f64,
}

impl Figures {
    fn count(&mut self, rank: Option<usize>) {
        self.asked += 1;
        if let Some(rank) = rank {
            self.first += usize::from(rank == 1);
            self.five += usize::from(rank <= 5);
            self.reciprocal += 1.0 / rank as f64;
        }
    }

    pub fn recall_at_1(&self) -> f64 {
        self.first as f64 / self.asked as f64
    }

    pub fn recall_at_5(&self) -> f64 {
        self.five as f64 / self.asked as f64
    }

    pub fn mrr(&self) -> f64 {
        self.reciprocal / self.asked as f64
    }
}

/// The figures of each style, and of all questions under the style `all`. Prints them.
pub fn measure<'a>(
    search: &Search,
    questions: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
) -> BTreeMap<&'a str, Figures> {
    measure_hits(|question| search.search(question, &|_| true, 25, None), questions)
}

/// The same figures of any search.
pub fn measure_hits<'a>(
    find: impl Fn(&str) -> Vec<SearchHit>,
    questions: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
) -> BTreeMap<&'a str, Figures> {
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    for (style, action, question) in questions {
        let hits = find(question);
        let rank = hits.iter().position(|hit| *hit.name == *action).map(|at| at + 1);
        figures.entry(style).or_default().count(rank);
        figures.entry("all").or_default().count(rank);
    }
    for (style, f) in &figures {
        println!(
            "{style:10} {:4} questions  recall@1 {:.3}  recall@5 {:.3}  mrr {:.3}",
            f.asked,
            f.recall_at_1(),
            f.recall_at_5(),
            f.mrr()
        );
    }
    figures
}

//! What is wrong with a document, and where.

use std::{cmp::Ordering, fmt};

use serde::Serialize;
use toolcrib_model::visible;

use crate::limits::MAX_DEFECTS;

/// The number of defects after which nothing more is collected. Bounds the work for a document that is one
/// defect after another.
const MAX_COLLECTED: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DocumentDefect {
    /// JSON pointer into the document, such as `/tools/3/http/pth`.
    pub pointer: String,
    /// What is wrong and how to correct it.
    pub message: String,
}

impl fmt::Display for DocumentDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{}: {}", visible(pointer), self.message)
    }
}

impl std::error::Error for DocumentDefect {}

/// The defects that were found so far.
#[derive(Debug, Default)]
pub struct DefectList(Vec<DocumentDefect>);

impl DefectList {
    pub fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < MAX_COLLECTED {
            self.0.push(DocumentDefect { pointer: pointer.into(), message: message.into() });
        }
    }

    /// Returns whether there is a defect at the pointer or below it.
    pub fn is_within(&self, pointer: &str) -> bool {
        self.0.iter().any(|defect| {
            let rest = defect.pointer.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Returns whether nothing more is collected.
    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_COLLECTED
    }

    /// Returns whether there is no defect.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first defects in the order of the document.
    pub fn into_vec(self) -> Vec<DocumentDefect> {
        let mut defects = self.0;
        defects.sort_by(|a, b| by_pointer(&a.pointer, &b.pointer));
        defects.dedup();
        defects.truncate(MAX_DEFECTS);
        defects
    }
}

/// Orders pointers by their parts. Positions in lists are compared as numbers.
pub fn by_pointer(a: &str, b: &str) -> Ordering {
    let mut left = a.split('/');
    let mut right = b.split('/');
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (Some(a), Some(b)) => match (a.parse::<usize>(), b.parse::<usize>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                _ => a.cmp(b),
            },
            (a, b) => a.cmp(&b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Returns the pointer to a key or position below another pointer.
pub fn below(pointer: &str, key: impl fmt::Display) -> String {
    let key = key.to_string();
    if key.contains(['~', '/']) {
        return format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    }
    format!("{pointer}/{key}")
}

/// Returns a word of the document in backticks, cut and without hidden characters, for a message.
pub fn quoted(word: &str) -> String {
    let cut: String = word.chars().take(60).collect();
    let more = if cut.len() < word.len() { "…" } else { "" };
    format!("`{}{more}`", visible(&cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defects_are_in_the_order_of_the_document() {
        let mut list = DefectList::default();
        for pointer in ["/tools/10/name", "/tools/2", "/slug", "", "/tools/2"] {
            list.add(pointer, "x");
        }
        assert!(list.is_within("/tools/10") && !list.is_within("/tools/1"));
        let found: Vec<String> = list.into_vec().into_iter().map(|defect| defect.pointer).collect();
        assert_eq!(found, ["", "/slug", "/tools/2", "/tools/10/name"]);
    }

    #[test]
    fn at_most_a_hundred_defects_are_returned() {
        let mut list = DefectList::default();
        (0..2_000).for_each(|at| list.add(format!("/tools/{at}"), "x"));
        assert!(list.is_full());
        assert_eq!(list.into_vec().len(), 100);
    }

    #[test]
    fn words_of_the_document_are_shown_cut_and_visible() {
        assert_eq!(quoted("a\u{200b}b"), "`a\\u{200b}b`");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 63);
        assert_eq!(below("/a", "b/c~d"), "/a/b~1c~0d");
    }
}

//! Other words that models use for a parameter.

use crate::spelling::snake_key;

/// The names of parameters with their other words.
const SYNONYMS: [(&str, &[&str]); 11] = [
    ("limit", &["count", "max", "max_results", "num", "number", "page_size", "size", "top_k"]),
    ("query", &["keyword", "keywords", "q", "search", "search_query", "term", "text"]),
    ("title", &["headline", "name", "subject", "summary"]),
    ("name", &["label", "title"]),
    ("content", &["body", "message", "text"]),
    ("description", &["body", "desc", "details", "notes", "text"]),
    ("due_at", &["deadline", "due", "due_by", "due_date", "due_on"]),
    ("when", &["cron", "run_at", "schedule", "time"]),
    ("reason", &["comment", "explanation", "why"]),
    ("timezone", &["tz"]),
    ("tags", &["labels"]),
];

/// Returns the one parameter among `known` for which `key` is another word.
pub fn parameter<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let key = snake_key(key);
    let meant =
        |name: &&str| SYNONYMS.iter().any(|(word, others)| word == name && others.contains(&key.as_str()));
    let mut named = known.iter().copied().filter(meant);
    named.next().filter(|_| named.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_stands_for_the_only_parameter_that_it_fits() {
        assert_eq!(parameter("maxResults", &["limit", "status"]), Some("limit"));
        assert_eq!(parameter("text", &["content", "tags"]), Some("content"));
        assert_eq!(parameter("text", &["content", "description"]), None);
        assert_eq!(parameter("colour", &["content"]), None);
    }
}

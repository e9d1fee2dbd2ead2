//! Names of tools and parameters, in their grammar.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_toolset::{MAX_FULL_NAME, quoted};

/// The maximum length of the name of a parameter.
pub const MAX_PARAMETER_NAME: usize = 64;
/// The length of a tool's full name above which some clients can't use it, because they put a name of the server before
/// it.
const LONG_FULL_NAME: usize = 50;

/// Returns the name of a tool: the operation's ID, or else its method and path.
pub fn tool_name(operation_id: Option<&str>, method: &str, path: &str) -> String {
    let from_id = operation_id.map(in_grammar).unwrap_or_default();
    if from_id.is_empty() { in_grammar(&format!("{method}_{path}")) } else { from_id }
}

/// The name of a tool, and the one that it would have alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolName {
    pub name: String,
    /// The name without a number.
    pub base: String,
}

impl ToolName {
    /// Returns the names of all tools. They differ in more than case.
    pub fn all(sources: Vec<NameSource>) -> Vec<Self> {
        let names = distinct_names(&sources, usize::MAX, str::to_lowercase);
        names.into_iter().zip(sources).map(|(name, source)| Self { name, base: source.base }).collect()
    }

    /// Returns notes about a name that is not the usual one, and one that some clients may refuse.
    pub fn notes(&self, slug: &str) -> Vec<String> {
        let numbered = format!("another tool has the name {}, so this one has a number", quoted(&self.base));
        let length = slug.len() + 2 + self.name.len();
        let long = format!(
            "its full name has {length} characters; clients that put a prefix before it may refuse more than \
             {LONG_FULL_NAME}"
        );
        let notes = [(self.name != self.base, numbered), (length > LONG_FULL_NAME, long)];
        notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note).collect()
    }
}

/// Returns why a name can't be that of a tool in the toolset with this slug.
pub fn wrong_tool_name(name: &str, slug: &str) -> Option<String> {
    let length = slug.len() + 2 + name.len();
    let message = format!("its full name has {length} characters; at most {MAX_FULL_NAME} are possible");
    (length > MAX_FULL_NAME).then_some(message)
}

/// Replaces what a tool's name can't have by `_`. Empty if nothing is left.
pub fn in_grammar(text: &str) -> String {
    let plain: String = text.chars().map(|c| if is_name(c) && c != '.' { c } else { '_' }).collect();
    let words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_").trim_start_matches(|c: char| !c.is_ascii_alphabetic()).to_owned()
}

/// Returns the name of a parameter: `filter[name]` becomes `filter_name`.
pub fn parameter_name(text: &str) -> String {
    if is_parameter_name(text) {
        return text.to_owned();
    }
    let plain: String = text.chars().map(|c| if is_name(c) { c } else { '_' }).collect();
    let words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("_").chars().take(MAX_PARAMETER_NAME).collect();
    if name.is_empty() { "parameter".to_owned() } else { name }
}

/// Returns a name with a number, cut to a length. The first has none.
fn numbered(base: &str, number: usize, most: usize) -> String {
    let suffix = if number == 1 { String::new() } else { format!("_{number}") };
    base.chars().take(most.saturating_sub(suffix.len())).chain(suffix.chars()).collect()
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameSource {
    /// The name, unless another has it.
    pub base: String,
    /// What is to be named. Of those with one base, the one that is its base keeps it.
    pub key: String,
    /// Where it is, if another has the same key.
    pub place: String,
}

/// Returns a name for each source: its base, with a number if another source has that name. The names depend on what
/// the sources are, and not on their order, so that an import of a later document gives the same ones. `fold` is the
/// form in which names are compared.
pub fn distinct_names(sources: &[NameSource], most: usize, fold: fn(&str) -> String) -> Vec<String> {
    let mut order: Vec<(&NameSource, usize)> = sources.iter().zip(0..).collect();
    order.sort_unstable();
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    order.retain(|(source, at)| {
        let keeps = source.base == source.key && taken.insert(fold(&source.base));
        if keeps {
            names.insert(*at, source.base.clone());
        }
        !keeps
    });
    for (source, at) in order {
        let mut numbers = (1..=sources.len()).map(|number| numbered(&source.base, number, most));
        let free = numbers.find(|name| taken.insert(fold(name)));
        names.insert(at, free.unwrap_or_default());
    }
    names.into_values().collect()
}

/// Returns whether a text is the name of a parameter as it is.
pub fn is_parameter_name(text: &str) -> bool {
    (1..=MAX_PARAMETER_NAME).contains(&text.len()) && text.chars().all(is_name)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use toolcrib_toolset::NAME_PATTERN;

    use super::*;

    #[test]
    fn names_are_made_from_the_id_or_from_method_and_path() {
        let grammar = Regex::new(NAME_PATTERN).unwrap();
        for (id, name) in [
            (Some("getTicket"), "getTicket"),
            (Some("repos/list-for-org"), "repos_list-for-org"),
            (Some("__Tickets.get item__"), "Tickets_get_item"),
            (Some("2-get"), "get"),
            (Some("äöü"), "get_pets_pet-id"),
            (Some(""), "get_pets_pet-id"),
            (None, "get_pets_pet-id"),
        ] {
            let found = tool_name(id, "get", "/pets/{pet-id}/");
            assert_eq!(found, name);
            assert!(grammar.is_match(&found), "{found}");
        }
    }

    #[test]
    fn names_of_parameters_keep_what_they_can() {
        for (text, name) in [
            ("X-Mode", "X-Mode"),
            ("a.b", "a.b"),
            ("filter[name]", "filter_name"),
            ("$top", "top"),
            ("ä", "parameter"),
        ] {
            assert_eq!(parameter_name(text), name);
        }
        assert_eq!(parameter_name(&"x".repeat(99)).len(), 64);
        assert!(wrong_tool_name(&"x".repeat(58), "desk").is_none());
        assert!(wrong_tool_name(&"x".repeat(59), "desk").unwrap().contains("65 characters"));
    }

    #[test]
    fn names_are_told_apart_by_numbers_whatever_their_order_is() {
        let source =
            |key: &str| NameSource { base: parameter_name(key), key: key.to_owned(), place: String::new() };
        let named = |keys: &[&str]| {
            let sources: Vec<NameSource> = keys.iter().map(|key| source(key)).collect();
            let names = distinct_names(&sources, MAX_PARAMETER_NAME, str::to_owned);
            let mut pairs: Vec<String> =
                keys.iter().zip(names).map(|(key, name)| format!("{key}: {name}")).collect();
            pairs.sort();
            pairs
        };
        let keys = ["page[size]", "page_size", "page.size", "page(size)", "page_size_2", "ä", "ö"];
        let expected = [
            "page(size): page_size_3",
            "page.size: page.size",
            "page[size]: page_size_4",
            "page_size: page_size",
            "page_size_2: page_size_2",
            "ä: parameter",
            "ö: parameter_2",
        ];
        assert_eq!(named(&keys), expected);
        let mut reversed = keys;
        reversed.reverse();
        assert_eq!(named(&reversed), expected);
        let long = ["x".repeat(70), "x".repeat(64), "x".repeat(80)];
        let sources: Vec<NameSource> = long.iter().map(|key| source(key)).collect();
        let names = distinct_names(&sources, MAX_PARAMETER_NAME, str::to_owned);
        assert_eq!(names, [format!("{}_2", "x".repeat(62)), "x".repeat(64), format!("{}_3", "x".repeat(62))]);
    }
}

//! Names of tools and parameters, in their grammar.

use toolcrib_toolset::MAX_FULL_NAME;

/// The maximum length of the name of a parameter.
const MAX_PARAMETER_NAME: usize = 64;

/// Returns the name of a tool: the operation's ID, or else its method and path.
pub fn tool_name(operation_id: Option<&str>, method: &str, path: &str) -> String {
    let from_id = operation_id.map(in_grammar).unwrap_or_default();
    if from_id.is_empty() { in_grammar(&format!("{method}_{path}")) } else { from_id }
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
    words.join("_").chars().take(MAX_PARAMETER_NAME).collect()
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
            ("ä", ""),
        ] {
            assert_eq!(parameter_name(text), name);
        }
        assert_eq!(parameter_name(&"x".repeat(99)).len(), 64);
        assert!(wrong_tool_name(&"x".repeat(58), "desk").is_none());
        assert!(wrong_tool_name(&"x".repeat(59), "desk").unwrap().contains("65 characters"));
    }
}

//! What a person should look at before they accept the text of a tool. A text can address the model that reads it:
//! name another tool, an address that it should send something to, or hide words. Finding nothing means nothing.

use std::collections::BTreeSet;

use serde_json::Value;
use toolcrib_model::code_point;

use super::UpstreamTool;
use crate::{defect::quoted, text::hidden_character};

/// The depth to which schemas are searched for texts.
const MAX_DEPTH: usize = 64;

/// Returns sentences about the texts of a tool: its description, and the texts and keys of its schemas. `names` are the
/// names of all tools of the server.
pub fn tool_warnings<'n>(tool: &UpstreamTool, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut texts = vec![tool.name.as_str()];
    let mut said = tool.description.as_deref().into_iter().collect::<Vec<_>>();
    for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()].into_iter().flatten() {
        collect(schema, MAX_DEPTH, &mut said);
    }
    texts.extend(&said);
    let mut warnings = BTreeSet::new();
    let others: Vec<&str> = names.into_iter().filter(|name| *name != tool.name).collect();
    for text in said {
        let named = others.iter().filter(|name| names_tool(text, name));
        warnings.extend(named.map(|name| format!("the text names the tool {}", quoted(name))));
        let addresses = text.split(is_end_of_word).filter(|word| is_address(word));
        warnings.extend(addresses.map(|word| format!("the text has the address {}", quoted(word))));
    }
    let hidden = texts.iter().filter_map(|text| hidden_character(text, true));
    warnings.extend(hidden.map(|c| format!("the text has the hidden character `{}`", code_point(c))));
    warnings.into_iter().collect()
}

/// Collects the texts and keys of a value.
fn collect<'v>(value: &'v Value, depth: usize, texts: &mut Vec<&'v str>) {
    if depth == 0 {
        return;
    }
    match value {
        // Which version of JSON Schema it is in is said with an address.
        Value::Object(fields) => {
            for (key, field) in fields.iter().filter(|(key, _)| *key != "$schema" && *key != "$id") {
                texts.push(key);
                collect(field, depth - 1, texts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth - 1, texts)),
        Value::String(text) => texts.push(text),
        _ => {}
    }
}

/// Returns whether a text names a tool. A name that is an ordinary word counts where it is quoted or called a tool.
fn names_tool(text: &str, name: &str) -> bool {
    let is_word = name.bytes().all(|b| b.is_ascii_lowercase());
    text.match_indices(name).any(|(at, _)| {
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let is_whole = !before.ends_with(is_part_of_name) && !after.starts_with(is_part_of_name);
        let is_quoted = before.ends_with(['`', '"', '\'']) && after.starts_with(['`', '"', '\'']);
        let is_called = before.ends_with("tool ") || after.starts_with(" tool") || after.starts_with('(');
        is_whole && (!is_word || is_quoted || is_called)
    })
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

fn is_end_of_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '[' | ']' | '|')
}

/// Returns whether a word is a URL, the name of a web server or an e-mail address.
fn is_address(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let has_scheme =
        word.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    let is_mail = word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && host.split_once('.').is_some_and(|(host, end)| !host.is_empty() && !end.is_empty())
    });
    has_scheme || is_mail || word.starts_with("www.") || word.starts_with("mailto:")
}

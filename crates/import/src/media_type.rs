//! The media types of request bodies.

use serde_json::{Map, Value};
use toolcrib_toolset::is_json_type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodySyntax {
    Json,
    Form,
}

/// Returns the media type of a body that can be sent, with its description.
pub fn choose(content: &Map<String, Value>) -> Option<(BodySyntax, &str, &Value)> {
    let find = |syntax: BodySyntax, matches: fn(&str) -> bool| {
        let mut entries = content.iter();
        let found = entries.find(|(name, _)| matches(&essence(name)));
        found.map(|(name, media)| (syntax, name.as_str(), media))
    };
    find(BodySyntax::Json, |name| name == "application/json")
        .or_else(|| find(BodySyntax::Json, |name| name.ends_with("+json") || name == "text/json"))
        .or_else(|| find(BodySyntax::Json, |name| matches!(name, "*/*" | "application/*")))
        .or_else(|| find(BodySyntax::Form, |name| name == "application/x-www-form-urlencoded"))
}

/// Returns the media type that a body of JSON is sent with. `None` for `application/json`, which needs no mention, and
/// for one that does not say which.
pub fn sent_type(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_default = essence(name) == name && name == "application/json";
    (!is_default && is_json_type(name) && !name.contains('*')).then_some(name)
}

/// Returns a media type without its parameters.
fn essence(name: &str) -> String {
    name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_comes_before_forms() {
        let form = "application/x-www-form-urlencoded";
        for (names, chosen) in [
            (vec![form, "application/json; charset=utf-8"], Some("application/json; charset=utf-8")),
            (vec!["text/plain", "application/merge-patch+json"], Some("application/merge-patch+json")),
            (vec!["multipart/form-data", form], Some(form)),
            (vec!["multipart/form-data", "application/xml"], None),
        ] {
            let content = names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
            assert_eq!(choose(&content).map(|(_, name, _)| name), chosen);
        }
        for (name, sent) in [
            ("application/json", None),
            ("*/*", None),
            ("application/*+json", None),
            ("application/merge-patch+json", Some("application/merge-patch+json")),
            (" text/json; charset=utf-8 ", Some("text/json; charset=utf-8")),
            ("application/json;v=2", Some("application/json;v=2")),
            ("a/b\u{e4}+json", None),
        ] {
            assert_eq!(sent_type(name), sent, "{name}");
        }
    }
}

//! The media types of request bodies.

use serde_json::{Map, Value};

/// How a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodySyntax {
    /// As JSON.
    Json,
    /// As a form.
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

/// Returns whether a media type is the one that bodies are sent with.
pub fn is_sent(name: &str, syntax: BodySyntax) -> bool {
    syntax == BodySyntax::Form || essence(name) == "application/json" || name.contains('*')
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
        assert!(is_sent("*/*", BodySyntax::Json) && !is_sent("a/b+json", BodySyntax::Json));
    }
}

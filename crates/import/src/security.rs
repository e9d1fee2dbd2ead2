//! Advice on the credential of the upstream, from the security schemes of the document.

use std::collections::BTreeSet;

use serde_json::Value;
use toolcrib_toolset::{quoted, wrong_header};

use crate::references::DocumentReferences;

/// The credentials that the document describes.
#[derive(Debug, Default)]
pub struct SecurityAdvice {
    /// Headers of credentials, in lower case. No tool sets them.
    pub headers: BTreeSet<String>,
    /// One sentence for each scheme.
    pub sentences: Vec<String>,
}

/// Reads the security schemes of a document.
pub fn security_advice(document: &Value, references: DocumentReferences<'_>) -> SecurityAdvice {
    let mut advice = SecurityAdvice::default();
    let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
    for (name, scheme) in schemes.into_iter().flatten().take(50) {
        let Ok(scheme) = references.resolve(scheme) else { continue };
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("type") == "apiKey" && text("in") == "header" {
            advice.headers.insert(text("name").to_ascii_lowercase());
        }
        advice.sentences.push(format!("the security scheme {}: {}", quoted(name), sentence(scheme)));
    }
    advice
}

fn sentence(scheme: &Value) -> String {
    let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    let bearer = "`auth = { kind = \"bearer\" }`";
    let impossible = |place: &str| format!("a credential in {place} is not possible for an upstream");
    match (text("type"), text("in"), text("scheme").to_ascii_lowercase().as_str()) {
        ("http", _, "bearer") => format!("give the upstream {bearer}"),
        ("http", _, "basic") => "give the upstream `auth = { kind = \"basic\" }`".into(),
        ("http", ..) => format!("{} is not possible for an upstream", quoted(text("scheme"))),
        ("oauth2" | "openIdConnect", ..) => {
            format!("give the upstream {bearer} with an access token, and renew the token before it ends")
        }
        ("apiKey", "header", _) if text("name").eq_ignore_ascii_case("authorization") => {
            "give the upstream `auth = { kind = \"header\", name = \"Authorization\" }`".into()
        }
        ("apiKey", "header", _) if wrong_header(text("name")).is_none() => {
            format!("give the upstream `auth = {{ kind = \"header\", name = \"{}\" }}`", text("name"))
        }
        ("apiKey", "query", _) => impossible("the query"),
        ("apiKey", "cookie", _) => impossible("a cookie"),
        ("mutualTLS", ..) => impossible("a client certificate"),
        _ => "not a scheme that an upstream can have".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_scheme_has_its_advice() {
        let rows = [
            (json!({ "type": "http", "scheme": "Bearer" }), "kind = \"bearer\""),
            (json!({ "type": "http", "scheme": "basic" }), "kind = \"basic\""),
            (json!({ "type": "http", "scheme": "digest" }), "`digest` is not possible"),
            (json!({ "type": "oauth2" }), "with an access token"),
            (json!({ "type": "apiKey", "in": "header", "name": "X-Key" }), "name = \"X-Key\""),
            (
                json!({ "type": "apiKey", "in": "header", "name": "Authorization" }),
                "name = \"Authorization\"",
            ),
            (json!({ "type": "apiKey", "in": "header", "name": "Host" }), "not a scheme"),
            (json!({ "type": "apiKey", "in": "query", "name": "key" }), "the query is not possible"),
            (json!({ "type": "apiKey", "in": "cookie", "name": "sid" }), "a cookie is not possible"),
            (json!({ "type": "mutualTLS" }), "a client certificate"),
            (json!(1), "not a scheme"),
        ];
        for (scheme, words) in rows {
            let document = json!({ "components": { "securitySchemes": { "one": scheme } } });
            let advice = security_advice(&document, DocumentReferences::new(&document));
            assert!(advice.sentences[0].contains(words), "{:?}", advice.sentences);
        }
    }
}

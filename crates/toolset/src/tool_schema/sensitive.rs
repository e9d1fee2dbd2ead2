//! Parameters whose names say that they are secrets.

use serde_json::Value;

use crate::grammar::words;

/// Words that make a name the name of a secret.
const SECRET_WORDS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
];

/// Words before `token` that make it a position in a list and not a secret.
const PAGE_WORDS: [&str; 7] = ["page", "next", "previous", "continuation", "cursor", "sync", "resume"];

/// Words before `key` that make it a secret.
const KEY_WORDS: [&str; 10] =
    ["api", "access", "private", "secret", "encryption", "signing", "auth", "service", "master", "ssh"];

/// Returns whether a parameter with this name and schema is a secret by its name. Numbers and switches are not.
pub fn is_named_secret(name: &str, schema: &Value) -> bool {
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && matches!(kind, "integer" | "number" | "boolean")
    {
        return false;
    }
    let words = words(name);
    if words.iter().any(|word| SECRET_WORDS.contains(&word.as_str())) {
        return true;
    }
    let Some((last, before)) = words.split_last() else { return false };
    let before = before.last().map(String::as_str);
    match last.as_str() {
        "token" => before.is_none_or(|word| !PAGE_WORDS.contains(&word)),
        "key" => before.is_none_or(|word| KEY_WORDS.contains(&word)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_secrets_are_recognised() {
        let text = json!({ "type": "string" });
        for name in
            ["password", "userPassword", "token", "access_token", "key", "api_key", "apiKey", "X-Secret"]
        {
            assert!(is_named_secret(name, &text), "{name}");
        }
        for name in ["issue_key", "page_token", "next_page_token", "keyboard", "tokens", "title", ""] {
            assert!(!is_named_secret(name, &text), "{name}");
        }
        assert!(!is_named_secret("token", &json!({ "type": "integer" })));
    }
}

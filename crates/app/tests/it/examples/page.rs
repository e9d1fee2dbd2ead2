//! The text of the page.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Deserialize;
use serde_json::Value;

/// One call of the walkthrough.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Name of the action without its prefix.
    pub action: String,
    /// Calls to make before this one.
    #[serde(default)]
    pub before: Vec<Entry>,
    /// Parameters of the call.
    pub params: Value,
    /// Values of the response to keep, by the name of their shell variable.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// The page, before its responses are known.
pub struct Page<'a> {
    entries: &'a [Entry],
    catalogue: &'a BTreeMap<&'a str, &'a Value>,
}

const HEAD: &str = include_str!("page/head.md");

const PRELUDE: &str = include_str!("page/prelude.txt");

impl<'a> Page<'a> {
    /// Creates a page from the walkthrough and the catalogue.
    pub fn new(entries: &'a [Entry], catalogue: &'a BTreeMap<&'a str, &'a Value>) -> Self {
        Self { entries, catalogue }
    }

    /// The shell commands that come first.
    pub fn prelude() -> String {
        PRELUDE.trim_end().to_owned()
    }

    /// The shell commands of each entry.
    pub fn blocks(&self) -> impl Iterator<Item = String> {
        self.entries.iter().map(|entry| self.block(entry))
    }

    fn block(&self, entry: &Entry) -> String {
        let mut lines: Vec<String> = entry.before.iter().map(|before| self.lines(before)).collect();
        lines.push(self.lines(entry));
        lines.join("\n")
    }

    /// The commands of a call: the call, the approvals that it needs, and what to keep of its response.
    fn lines(&self, entry: &Entry) -> String {
        let mut text = format!("call {} {}", entry.action, quoted(&entry.params));
        let name = format!("platform_{}", entry.action);
        match self.catalogue[name.as_str()]["confirmation"].as_str() {
            Some("simple") => text.push_str("\napprove \"$(id)\" '{}'"),
            Some("typed") => {
                text.push_str("\nWAITS=$(id)\napprove \"$WAITS\" '{}'\ntyped \"$WAITS\"");
            }
            _ => {}
        }
        for kept in entry.save.keys() {
            write!(text, "\n{kept}=$(id)").unwrap();
        }
        text
    }

    /// The page with its responses.
    pub fn text(&self, answers: &[Value]) -> String {
        let mut text = format!("{HEAD}\n```sh\n{PRELUDE}```\n");
        let mut category = "";
        for (entry, answer) in self.entries.iter().zip(answers) {
            let name = format!("platform_{}", entry.action);
            let meta = self.catalogue[name.as_str()];
            let own = meta["category"].as_str().unwrap();
            if own != category {
                write!(text, "\n## {own}\n").unwrap();
                category = own;
            }
            write!(
                text,
                "\n### `{name}`\n\n{}\n\n{}\n\n",
                meta["description"].as_str().unwrap(),
                facts(meta)
            )
            .unwrap();
            text.push_str(&parameters(meta));
            let shown = serde_json::to_string_pretty(answer).unwrap();
            write!(text, "```sh\n{}\n```\n```json\n{shown}\n```\n", self.block(entry)).unwrap();
        }
        text
    }
}

/// JSON in single quotes, in which `$NAME` is the value of a shell variable.
fn quoted(params: &Value) -> String {
    let mut text = format!("'{}'", params.to_string().replace('\'', "'\\''"));
    for value in params.as_object().unwrap().values().filter_map(Value::as_str) {
        if value.starts_with('$') {
            text = text.replace(&format!("\"{value}\""), &format!("\"'{value}'\""));
        }
    }
    text
}

fn facts(meta: &Value) -> String {
    let mut facts = vec![
        format!("{}", meta["permission_level"].as_str().unwrap()),
        format!("needs `{}`", meta["permission"].as_str().unwrap()),
    ];
    if meta["promoted"] == true {
        facts.push("promoted".into());
    }
    if meta["admin_only"] == true {
        facts.push("owners and admins only".into());
    }
    if let Some(level @ ("simple" | "typed")) = meta["confirmation"].as_str() {
        facts.push(format!("a person confirms ({level})"));
    }
    if meta["notifies_admins"] == true {
        facts.push("tells the admins".into());
    }
    facts.join(" · ")
}

/// The parameters as a table; empty for an action without parameters.
fn parameters(meta: &Value) -> String {
    let schema = &meta["input_schema"];
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let needed = if required.contains(&name.as_str()) { "" } else { "?" };
        let about = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        writeln!(text, "| `{name}{needed}` | {} | {about} |", kind(property)).unwrap();
    }
    if text.is_empty() { text } else { format!("| parameter | takes | |\n|---|---|---|\n{text}\n") }
}

/// A short text about the values that a schema accepts.
fn kind(schema: &Value) -> String {
    let words = |list: &Value| {
        let words =
            list.as_array().into_iter().flatten().filter_map(|word| word.as_str().or(word["const"].as_str()));
        words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    };
    if schema["enum"].is_array() {
        return words(&schema["enum"]);
    }
    if schema["oneOf"].is_array() && schema["oneOf"][0]["const"].is_string() {
        return words(&schema["oneOf"]);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        kind => kind.as_str().unwrap_or("object").to_owned(),
    };
    let mut text = schema["format"].as_str().map_or(kind, |format| format!("{format} string"));
    for (low, high, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ] {
        match (&schema[low], &schema[high]) {
            (Value::Null, Value::Null) => {}
            (low, Value::Null) => write!(text, ", from {low}{unit}").unwrap(),
            (Value::Null, high) => write!(text, ", up to {high}{unit}").unwrap(),
            (low, high) => write!(text, ", {low} to {high}{unit}").unwrap(),
        }
    }
    text
}

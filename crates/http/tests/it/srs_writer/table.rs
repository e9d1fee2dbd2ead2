//! The table of `tests/data/srs_writer_access.txt`, with arguments for each tool.

use serde_json::{Map, Value, json};

use crate::harness::example;

const TABLE: &str = include_str!("../../../../../tests/data/srs_writer_access.txt");

/// The callers and tools of the table.
pub struct AccessTable {
    pub callers: Vec<TableCaller>,
    pub tools: Vec<TableTool>,
}

/// A caller of the table.
pub struct TableCaller {
    pub label: &'static str,
    pub caller_type: &'static str,
    /// The agent's name as it was given.
    pub agent: Option<&'static str>,
}

/// A tool of the table.
pub struct TableTool {
    pub name: &'static str,
    pub full_name: String,
    pub description: String,
    /// Arguments that its schema accepts.
    pub arguments: Value,
    /// `r`, `w` or `D`, with `+` if a person is asked.
    word: &'static str,
    /// The labels of the callers that reach it.
    callers: Vec<&'static str>,
}

impl TableCaller {
    /// Whether a service key calls with its type, and neither an agent nor a person.
    pub fn is_service(&self) -> bool {
        self.agent.is_none() && self.caller_type != "chat"
    }

    /// The agent's slug.
    pub fn slug(&self) -> Option<String> {
        self.agent.map(|name| name.replace('_', "-"))
    }
}

impl TableTool {
    pub fn is_reached_by(&self, caller: &TableCaller) -> bool {
        self.callers.contains(&caller.label)
    }

    /// What a call or a check of this caller says.
    pub fn expected(&self, caller: &TableCaller) -> String {
        if !self.is_reached_by(caller) {
            let named = caller.slug().map(|slug| format!(" named `{slug}`")).unwrap_or_default();
            return format!(
                "permission_denied: `{}` is not available to callers of the type `{}`{named}",
                self.full_name, caller.caller_type
            );
        }
        match self.word {
            "r" => "to run",
            "w" => "to claim",
            "w+" => "asks simple",
            _ => "asks typed",
        }
        .to_owned()
    }

    /// Decision, outcome and reason of the audit row of a call by this caller.
    pub fn audited(&self, caller: &TableCaller) -> &'static str {
        match self.word {
            _ if !self.is_reached_by(caller) => r#""denied" "not_run" "accessible_by""#,
            "r" => r#""auto_allowed" "handed_out" null"#,
            "w" => r#""auto_allowed" "started" null"#,
            _ => r#""confirmation_required" "not_run" "confirmation""#,
        }
    }
}

impl AccessTable {
    pub fn read() -> Self {
        let toolset = example("srs-writer.toml");
        let (mut callers, mut tools) = (Vec::new(), Vec::new());
        for line in TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["caller", label, caller_type, agent] = words[..] {
                callers.push(TableCaller { label, caller_type, agent: (agent != "-").then_some(agent) });
                continue;
            }
            let (word, name) = (words[0], words[1]);
            let tool = toolset.tool(&format!("srs-writer__{name}")).unwrap_or_else(|| panic!("{name}"));
            tools.push(TableTool {
                name,
                full_name: tool.full_name.clone(),
                description: tool.description.clone(),
                arguments: arguments(&tool.parameters),
                word,
                callers: words[2..].to_vec(),
            });
        }
        Self { callers, tools }
    }
}

/// A value of each required property.
fn arguments(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| (name.to_owned(), sample(&schema["properties"][name]));
    Value::Object(required.map(value).collect::<Map<_, _>>())
}

fn sample(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("array") => json!([sample(&schema["items"])]),
        Some("object") => arguments(schema),
        _ => json!("notes"),
    }
}

//! The document's tags: a heading each, with a sentence for whoever reads the list for the first time.

use serde_json::{Map, Value, json};

/// Tag, what stands under it.
const ABOUT: [(&str, &str); 35] = [
    ("Tools", "What a model is given, and where its tool calls go."),
    ("Actions", "Every action by name: what it is, what a call would come to, and the call itself."),
    ("Confirmations", "Calls that wait for a human, and what was decided."),
    ("Sessions", "What runs without asking for the rest of a conversation."),
    ("Events", "What happens in a workspace, as a stream."),
    ("Operations", "What operators and browsers need: health, metrics, pages."),
    ("Agents", "Actions that make, change and delete agents."),
    ("Playbooks", "Actions that make, run and watch playbooks."),
    ("Analytics", "Actions that read what was used, what it cost and how well it went."),
    ("Data", "Actions that ask the workspace's databases."),
    ("Governance", "Actions on blueprints, budgets and policies."),
    ("Tasks", "Actions on the board of tasks."),
    ("Marketplace", "Actions that browse and install what others published."),
    ("Workspace", "Actions that read this workspace and its figures."),
    ("Memory", "Actions that store, search and forget memories."),
    ("Integrations", "Actions on connected apps and what agents may use of them."),
    ("Chat", "Actions that search conversations."),
    ("Documents", "Actions on documents and their passages."),
    ("Discovery", "Actions that find actions, models and datasources."),
    ("Scheduling", "Actions on what runs at set times."),
    ("Reports", "Actions that file and read reports."),
    ("Field", "Actions on the shared field of a mission's agents."),
    ("Missions", "Actions that start, read and stop missions."),
    ("Monitoring and infrastructure", "Actions that read logs, metrics, alerts and the health of services."),
    ("Me", "Who the caller is here."),
    ("Workspaces", "Workspaces as tenants: made, renamed, deleted."),
    ("Members", "Who belongs to a workspace, and as what."),
    ("Keys", "Credentials of agents and services."),
    ("Settings", "How a workspace decides and how much it may spend."),
    ("Notifications", "What a person should know of."),
    ("Webhooks", "Where events are delivered."),
    ("Audit", "Who did what, and the proof that nothing was changed since."),
    ("Access", "Who may do what, and why."),
    ("Records", "What agent runtimes and chat backends report."),
    (
        "Administration",
        "Connected apps, datasources, the marketplace's items, and which actions are promoted.",
    ),
];

/// The tags that the operations of these paths carry, in the order in which they are met.
pub(super) fn of(paths: &Map<String, Value>) -> Vec<Value> {
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let mut names: Vec<&str> = Vec::new();
    for name in operations.filter_map(|operation| operation.pointer("/tags/0")?.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(tag).collect()
}

fn tag(name: &str) -> Value {
    match ABOUT.iter().find(|(known, _)| *known == name) {
        Some((_, about)) => json!({ "name": name, "description": about }),
        None => json!({ "name": name }),
    }
}

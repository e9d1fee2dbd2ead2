//! The document's tags, each with a description.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use toolcrib_registry::PackInfo;

/// Tag and description.
const ABOUT: [(&str, &str); 40] = [
    ("Tools", "Tool lists for models, and the calls that models make."),
    ("Actions", "Actions by name: metadata, checks and calls."),
    ("Confirmations", "Calls that wait for a person, and the decisions."),
    ("Calls", "Calls that the caller runs: claim them and report their outcomes."),
    ("Sessions", "Session grants: calls that need no further confirmation in a session."),
    ("Events", "Events of a workspace, as a stream."),
    ("Operations", "Health, metrics and pages."),
    ("Agents", "Actions that create, change and delete agents."),
    ("Playbooks", "Actions that create, run and watch playbooks."),
    ("Analytics", "Actions that read usage, costs and quality."),
    ("Data", "Actions that query the workspace's databases."),
    ("Governance", "Actions on blueprints, budgets and policies."),
    ("Tasks", "Actions on the board of tasks."),
    ("Marketplace", "Actions that browse and install published items."),
    ("Workspace", "Actions that read this workspace and its figures."),
    ("Memory", "Actions that store, search and forget memories."),
    ("Integrations", "Actions on connected apps and what agents may use of them."),
    ("Chat", "Actions that search conversations."),
    ("Documents", "Actions on documents and their passages."),
    ("Discovery", "Actions that find actions, models and datasources."),
    ("Scheduling", "Actions on schedules."),
    ("Reports", "Actions that file and read reports."),
    ("Field", "Actions on the shared field of a mission's agents."),
    ("Missions", "Actions that start, read and stop missions."),
    ("Monitoring and infrastructure", "Actions that read logs, metrics, alerts and the health of services."),
    ("Me", "The caller."),
    ("Workspaces", "Workspaces: create, rename, delete."),
    ("Members", "Members of a workspace and their roles."),
    ("Keys", "Credentials of agents, services and the pages of chats."),
    ("Settings", "Settings of a workspace: approvals and limits."),
    ("Notifications", "Notifications for people."),
    ("Webhooks", "Webhooks, to which events are delivered."),
    ("Toolset", "Tools that the workspace declares."),
    ("Toolsets", "Documents of the tools that a team declares."),
    ("Upstreams", "Services that declared tools call, and their secrets."),
    ("Audit", "The audit log and the proof that it is unchanged."),
    ("Access", "Who may do what, and why."),
    ("Assistant", "Messages to the assistant, which calls tools on the server: runs, threads and streams."),
    ("Records", "What agent runtimes and chat backends report."),
    (
        "Administration",
        "Connected apps, datasources, the marketplace's items, and which actions are promoted.",
    ),
];

/// Returns the tags of the operations of these paths, in the order of their first use. The tag of a pack's actions has
/// the pack's description.
pub(super) fn of(paths: &Map<String, Value>, packs: impl Iterator<Item = &'static PackInfo>) -> Vec<Value> {
    let descriptions: HashMap<&str, &str> =
        ABOUT.into_iter().chain(packs.map(|pack| (pack.title, pack.description))).collect();
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let mut names: Vec<&str> = Vec::new();
    for name in operations.filter_map(|operation| operation.pointer("/tags/0")?.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let tag = |name| match descriptions.get(name) {
        Some(description) => json!({ "name": name, "description": description }),
        None => json!({ "name": name }),
    };
    names.into_iter().map(tag).collect()
}

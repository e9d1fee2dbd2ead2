//! The tools of `examples/toolsets/srs-writer.toml` for each of their callers: in lists, in calls and in
//! reports, every cell is that of the table.

mod clients;
mod table;

use clients::Clients;
use serde_json::{Value, json};
use table::{AccessTable, TableCaller};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client, openai};

/// The most calls of one batch.
const BATCH: usize = 32;

/// The lists that are compared. A filtered one has no room for the names of many tools.
const LISTS: [&str; 6] = [
    "strategy=full",
    "strategy=full&detail=names",
    "strategy=dispatcher_only",
    "strategy=all",
    "strategy=filtered",
    "strategy=filtered&query=delete+the+file",
];

/// What a response says about a call: `to run`, `to claim`, `asks simple`, `asks typed`, or why it was
/// refused.
fn said(answer: &Value) -> String {
    let error = answer.get("error").unwrap_or(answer);
    if error.get("code").is_some() {
        let (code, detail) = (error["code"].as_str().unwrap(), error["detail"].as_str().unwrap());
        return format!("{code}: {detail}");
    }
    if let Some(level) = answer["confirmation"]["level"].as_str() {
        return format!("asks {level}");
    }
    match (answer["status"].as_str(), answer["claim"].as_bool()) {
        (Some("client_execution_required"), Some(true)) => "to claim".into(),
        (Some("client_execution_required"), Some(false)) => "to run".into(),
        _ => answer.to_string(),
    }
}

/// The same of a check.
fn checked(answer: &Value) -> String {
    match (answer["allowed"].as_bool(), answer["confirmation_level"].as_str()) {
        (Some(true), Some("none")) if answer["permission_level"] == "read" => "to run".into(),
        (Some(true), Some("none")) => "to claim".into(),
        (Some(true), Some(level)) => format!("asks {level}"),
        _ => format!("permission_denied: {}", answer["reason"].as_str().unwrap_or_default()),
    }
}

/// The cells that differ from the table.
struct Differences<'t> {
    table: &'t AccessTable,
    caller: &'t TableCaller,
    found: Vec<String>,
    cells: usize,
}

impl Differences<'_> {
    fn compare(&mut self, tool: &str, way: &str, found: &str, expected: &str) {
        self.cells += 1;
        if found != expected {
            let caller = self.caller.label;
            self.found.push(format!("{tool} as {caller}, {way}: `{found}`, by the table `{expected}`"));
        }
    }

    /// Compares a call's response of every tool, in the order of the table.
    fn compare_calls(&mut self, way: &str, found: &[String]) {
        let table = self.table;
        assert_eq!(found.len(), table.tools.len(), "{way}");
        for (tool, found) in table.tools.iter().zip(found) {
            let expected = tool.expected(self.caller);
            self.compare(tool.name, way, found, &expected);
        }
    }

    /// Compares which tools are shown.
    fn compare_shown(&mut self, way: &str, is_shown: impl Fn(&str) -> bool) {
        let word = |is_shown| if is_shown { "shown" } else { "not shown" };
        for tool in &self.table.tools {
            let (found, expected) = (is_shown(&tool.full_name), tool.is_reached_by(self.caller));
            self.compare(tool.name, way, word(found), word(expected));
        }
    }

    /// Compares the rule that refuses, which is `accessible_by` or none.
    fn compare_reason(&mut self, tool: &str, way: &str, reason: &Value) {
        let reached = self.table.tools.iter().any(|row| row.name == tool && row.is_reached_by(self.caller));
        let expected = if reached { Value::Null } else { json!("accessible_by") };
        self.compare(tool, way, &reason.to_string(), &expected.to_string());
    }
}

/// Calls every tool: by its name, through the dispatcher, and in batches, and checks the call.
async fn compare_calls(client: &Client<'_>, differences: &mut Differences<'_>) {
    let mut ways: [(&str, Vec<String>); 3] =
        ["called", "by the dispatcher", "checked"].map(|way| (way, Vec::new()));
    for tool in &differences.table.tools {
        let path = format!("/v1/actions/{}", tool.full_name);
        let through = json!({"action": tool.full_name, "params": tool.arguments});
        ways[0].1.push(said(&client.post(&path, tool.arguments.clone()).await.body));
        let turn = client.calls(&[("c", "tools_execute", through)]).await.ok(200);
        ways[1].1.push(said(&turn["results"][0]));
        let check = client.post(&format!("{path}/check"), tool.arguments.clone()).await.ok(200);
        ways[2].1.push(checked(&check));
    }
    for (way, found) in &ways {
        differences.compare_calls(way, found);
    }
    let mut found = Vec::new();
    for tools in differences.table.tools.chunks(BATCH) {
        let calls: Vec<Value> =
            tools.iter().map(|tool| openai(tool.name, &tool.full_name, &tool.arguments)).collect();
        let answer = client.post("/v1/tools/calls", json!({ "tool_calls": calls })).await.ok(200);
        let results = answer["results"].as_array().unwrap();
        let to_run: Vec<&Value> =
            results.iter().filter(|result| result["status"] == "client_execution_required").collect();
        let told: Vec<&Value> = answer["to_run"].as_array().into_iter().flatten().collect();
        assert_eq!(told, to_run, "{}", differences.caller.label);
        found.extend(results.iter().map(said));
    }
    differences.compare_calls("in a batch", &found);
}

/// The tools that a list shows.
struct Listed {
    /// Those with a tool of their own, and those that `tools_execute` names.
    names: Vec<String>,
    /// Whether there is a `tools_execute` that names none, so that search finds them.
    has_unnamed: bool,
}

impl Listed {
    fn of(list: &Value) -> Self {
        let (mut names, mut has_unnamed) = (Vec::new(), false);
        for function in list["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]) {
            let name = function["name"].as_str().unwrap();
            if name != "tools_execute" {
                names.push(name.to_owned());
                continue;
            }
            let behind = function["parameters"]["properties"]["action"]["enum"].as_array();
            has_unnamed = behind.is_none();
            names.extend(behind.into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()));
        }
        Self { names, has_unnamed }
    }
}

/// Compares every list, which must not even mention a tool that the caller does not reach.
async fn compare_lists(client: &Client<'_>, differences: &mut Differences<'_>) {
    let (table, caller) = (differences.table, differences.caller);
    let is_reached =
        |name: &str| table.tools.iter().any(|row| row.full_name == name && row.is_reached_by(caller));
    let reaches_any = table.tools.iter().any(|tool| tool.is_reached_by(caller));
    for query in LISTS {
        let list = client.get(&format!("/v1/tools?{query}")).await.ok(200);
        assert_eq!(list["left_out"], json!([]), "{query}");
        let (listed, text) = (Listed::of(&list), list.to_string());
        let is_unnamed = |name: &str| listed.has_unnamed && is_reached(name);
        assert!(!listed.has_unnamed || reaches_any && query.contains("filtered"), "{query}");
        differences.compare_shown(&format!("listed ({query})"), |name| {
            listed.names.iter().any(|known| known == name) || is_unnamed(name)
        });
        differences
            .compare_shown(&format!("mentioned ({query})"), |name| text.contains(name) || is_unnamed(name));
    }
    let prompt = client.get("/v1/tools/prompt?include_promoted=true").await.text;
    differences.compare_shown("in the prompt", |name| prompt.contains(name));
    let openapi = client.get("/v1/tools/openapi").await.text;
    differences.compare_shown("in the OpenAPI document", |name| openapi.contains(name));
    let (mut actions, mut cursor) = (String::new(), String::new());
    loop {
        let page = client.get(&format!("/v1/actions?limit=100{cursor}")).await.ok(200);
        actions.push_str(&page["items"].to_string());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    differences.compare_shown("in the list of actions", |name| actions.contains(&format!("\"{name}\"")));
}

/// Searches for each tool with its own description, and once by its name as a model does.
async fn compare_searches(client: &Client<'_>, differences: &mut Differences<'_>) {
    let (table, caller) = (differences.table, differences.caller);
    let word = |is_found| if is_found { "found" } else { "not found" };
    for tool in &table.tools {
        let query = json!({"query": tool.description, "limit": 50, "include_schema": false});
        let found = client.post("/v1/tools/search", query).await.ok(200);
        let items = found["items"].as_array().unwrap();
        let is_found = |name: &str| items.iter().any(|item| item["name"] == name);
        let expected = word(tool.is_reached_by(caller));
        differences.compare(tool.name, "searched", word(is_found(&tool.full_name)), expected);
        for other in table.tools.iter().filter(|other| !other.is_reached_by(caller)) {
            let way = format!("searched by the text of {}", tool.name);
            differences.compare(other.name, &way, word(is_found(&other.full_name)), "not found");
        }
    }
    let text =
        client.run("find_tools", json!({"query": "srs-writer tools for files"})).await.ok(200).to_string();
    for tool in table.tools.iter().filter(|tool| !tool.is_reached_by(caller)) {
        differences.compare(
            tool.name,
            "platform_find_tools",
            word(text.contains(&tool.full_name)),
            "not found",
        );
    }
}

/// Asks why each tool is allowed or denied: as the caller, and as an admin about a caller like it.
async fn compare_reasons(app: &App, client: &Client<'_>, differences: &mut Differences<'_>) {
    let (table, caller) = (differences.table, differences.caller);
    let name = caller.slug().map(|slug| format!("&caller_name={slug}")).unwrap_or_default();
    let path = format!("/v1/access/report?role=owner&caller_type={}{name}", caller.caller_type);
    let report = app.owner().get(&path).await.ok(200);
    for tool in &table.tools {
        let explained = client.get(&format!("/v1/access/explain?action={}", tool.full_name)).await.ok(200);
        differences.compare_reason(tool.name, "explained", &explained["reason"]);
        assert_eq!(explained["allowed"], explained["reason"].is_null(), "{explained}");
        let item = report["items"].as_array().unwrap().iter().find(|item| item["action"] == tool.full_name);
        differences.compare_reason(tool.name, "reported", &item.unwrap()["reason"]);
        let shown = client.get(&format!("/v1/actions/{}", tool.full_name)).await.status == 200;
        let word = |is_shown| if is_shown { "shown" } else { "not shown" };
        differences.compare(tool.name, "shown alone", word(shown), word(tool.is_reached_by(caller)));
    }
}

/// Reads what the audit log says about the caller's calls of each tool.
async fn compare_audit(app: &App, differences: &mut Differences<'_>) {
    let (table, caller) = (differences.table, differences.caller);
    for tool in &table.tools {
        let path = format!("/v1/audit?action={}&session={}&kind=call", tool.full_name, caller.label);
        let rows = app.owner().get(&path).await.ok(200);
        let rows = rows["items"].as_array().unwrap();
        assert_eq!(rows.len(), 3, "{} as {}: {rows:?}", tool.name, caller.label);
        for row in rows {
            let mut found = format!("{} {} {}", row["decision"], row["outcome"], row["reason"]);
            // The second call of a tool that asks finds the first one waiting.
            found = found.replace("\"repeated\"", "\"confirmation\"");
            let expected = tool.audited(caller);
            differences.compare(tool.name, "in the audit log", &found, expected);
        }
    }
}

#[both_databases]
async fn every_cell_of_srs_writer_is_that_of_the_table(db: TestDb) {
    let app = App::with_example(db, "srs-writer.toml").await;
    let table = AccessTable::read();
    let clients = Clients::new(&app, &table).await;
    let (mut found, mut cells) = (Vec::new(), 0);
    for caller in &table.callers {
        let client = clients.client(caller);
        let mut differences = Differences { table: &table, caller, found: Vec::new(), cells: 0 };
        compare_calls(&client, &mut differences).await;
        compare_lists(&client, &mut differences).await;
        compare_searches(&client, &mut differences).await;
        compare_reasons(&app, &client, &mut differences).await;
        compare_audit(&app, &mut differences).await;
        found.append(&mut differences.found);
        cells += differences.cells;
        // The next caller has its own minute of every limit.
        app.clock.advance(60);
    }
    assert!(found.is_empty(), "{} cells differ from the table:\n{}", found.len(), found.join("\n"));
    assert_eq!((table.tools.len(), table.callers.len()), (33, 10));
    println!("{}: {cells} comparisons", app.db.kind());
}

#[both_databases]
async fn a_workspace_that_has_not_switched_it_on_has_no_tool(db: TestDb) {
    let app = App::with_example(db, "srs-writer.toml").await;
    let other = app.as_role_b(Role::Owner);
    assert!(!other.get("/v1/tools?strategy=all").await.text.contains("srs-writer__"));
    let refused = other.post("/v1/actions/srs-writer__readTextFile", json!({"path": "a.md"})).await;
    refused.problem(403, "permission_denied");
}

//! `serve --demo` on both databases.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::{Value, json};
use toolcrib_testkit::eventually_blocking;

use crate::{
    binary::{Server, demo, folder, refused},
    private::{open_to_others, what_the_service_makes_or_finds_is_closed_to_others},
};

/// The most memory of an idle demo beside its files, in MiB. Its start needs more than 60.
const MAX_IDLE_MIB: u64 = 56;

/// Checks the parts of `demo.json` that scripts read.
fn check_shape(demo: &Value, base: &str) {
    assert_eq!(demo["base_url"], base);
    let workspaces = demo["workspaces"].as_array().unwrap();
    assert_eq!(workspaces.len(), 2);
    for workspace in workspaces {
        for text in ["id", "name", "datasource", "connected_app"] {
            assert!(workspace[text].is_string(), "{text}");
        }
        for role in ["owner", "admin", "editor", "member", "viewer"] {
            assert!(workspace[role]["user_id"].is_string(), "{role}");
            assert_eq!(workspace[role]["token"].as_str().unwrap().split('.').count(), 3, "{role}");
        }
        let (agent, service) = (&workspace["agent"], &workspace["service"]);
        assert_eq!(agent["runs_as"], workspace["editor"]["user_id"]);
        assert!(agent["agent_id"].is_string() && agent["scopes"].is_array() && service["scopes"].is_array());
        assert!([agent, service].iter().all(|holder| holder["key"].as_str().unwrap().starts_with("tc_")));
    }
    assert!(demo["system_admin"]["token"].is_string());
}

fn without_address(mut demo: Value) -> Value {
    demo["base_url"].take();
    demo
}

#[test]
fn a_second_start_keeps_data_and_credentials() {
    let folder = folder();
    let data = folder.path().join("data");
    let server = Server::start(folder.path(), &["--demo"]);
    let first = demo(folder.path());
    check_shape(&first, &server.base());
    let text = server.text();
    assert!(!text.contains("WARN") && !text.contains("ERROR"), "{text}");
    assert!(!text.contains("toolcrib::calls"), "the story is not logged as if it happened now: {text}");
    assert!(data.join("toolcrib.db-wal").exists());
    what_the_service_makes_or_finds_is_closed_to_others(&data);
    the_second_workspace_has_the_design_of_a_game(&server, &first);
    every_figure_of_the_demo_has_samples(&server, &first);
    the_demo_has_datasources_and_models(&server, &first);
    the_printed_lines_work_as_they_stand(&text);
    assert_eq!(server.stop(), Some(0));

    let before = export(&first, &data);
    open_to_others(&data);
    let server = Server::start(folder.path(), &["--demo"]);
    let second = demo(folder.path());
    check_shape(&second, &server.base());
    assert_eq!(without_address(first.clone()), without_address(second));
    let after = export(&first, &data);
    assert!(before.lines().count() >= 40, "{before}");
    assert_eq!(before, after);
    what_the_service_makes_or_finds_is_closed_to_others(&data);
    an_idle_demo_gives_back_what_its_start_needed(&server);
    the_demo_has_datasources_and_models(&server, &first);
    assert_eq!(server.stop(), Some(0));
    what_connects_is_sealed(&data);
    credentials_of_another_database_are_not_mixed_up(folder.path());
}

fn export(demo: &Value, data: &Path) -> String {
    let workspace = demo["workspaces"][0]["id"].as_str().unwrap();
    crate::binary::done(&["audit", "export", "--workspace", workspace, "--data-dir", data.to_str().unwrap()])
}

fn an_idle_demo_gives_back_what_its_start_needed(server: &Server) {
    eventually_blocking("the search is indexed", || {
        server.threads().iter().all(|name| name != "search-index")
    });
    eventually_blocking("the memory is given back", || {
        let held = server.anonymous_mib();
        if held <= MAX_IDLE_MIB { Ok(()) } else { Err(format!("{held} MiB")) }
    });
}

fn credentials_of_another_database_are_not_mixed_up(folder: &Path) {
    let (data, other) = (folder.join("data"), format!("sqlite:{}", folder.join("other.db").display()));
    let serve = ["serve", "--demo", "--bind", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()];
    let text = refused(&[&serve[..], &["--database", &other]].concat(), 3);
    assert!(text.contains("of another database"), "{text}");
}

/// Checks a demo that was just started, for the test of `logins.rs`, which starts it once more.
pub fn the_demo_runs_on_postgresql(folder: &Path, server: &Server) {
    check_shape(&demo(folder), &server.base());
    assert!(folder.join("data/issuer.pem").exists());
    assert!(!folder.join("data/toolcrib.db").exists());
}

/// The `curl` commands that the demo printed.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("curl ")).collect()
}

/// The line that reads the token which the commands use.
fn token_line(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("TOKEN=")).unwrap()
}

fn shell(line: &str) -> Value {
    let output = std::process::Command::new("sh").args(["-c", line]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{line}: {text} {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).unwrap()
}

fn the_printed_lines_work_as_they_stand(text: &str) {
    let lines = lines(text);
    assert_eq!(lines.len(), 6, "{text}");
    // Only the first line after the link names the token, so that the commands are short.
    assert!(lines.iter().all(|line| line.len() < 450 && !line.contains("eyJ")), "{text}");
    let token = token_line(text);
    // The commands delete what they create, so they can run twice.
    for _ in 0..2 {
        let [tools, read, write, asked, phrase, ran] =
            [0, 1, 2, 3, 4, 5].map(|at| shell(&format!("{token}\n{}", lines[at])));
        assert!(!tools["tools"].as_array().unwrap().is_empty());
        assert_eq!((&read["status"], &write["status"]), (&"completed".into(), &"completed".into()));
        assert_eq!(asked["status"], "confirmation_required");
        assert_eq!(phrase["status"], "phrase_required");
        assert_eq!((&ran["status"], &ran["action"]), (&"completed".into(), &"platform_delete_agent".into()));
    }
}

/// The data of one action, called by the viewer of the first workspace.
fn ask(server: &Server, demo: &Value, action: &str, arguments: &Value) -> Value {
    ask_in(server, &demo["workspaces"][0], &format!("platform_{action}"), arguments)
}

/// The data of one action, called by the viewer of a workspace.
fn ask_in(server: &Server, workspace: &Value, action: &str, arguments: &Value) -> Value {
    let line = format!(
        "curl -fsS -H 'Authorization: Bearer {}' -H 'X-Workspace-Id: {}' -H 'Content-Type: application/json' \
         {}/v1/actions/{action} -d '{arguments}'",
        workspace["viewer"]["token"].as_str().unwrap(),
        workspace["id"].as_str().unwrap(),
        server.base(),
    );
    shell(&line)["data"].clone()
}

fn the_demo_has_datasources_and_models(server: &Server, demo: &Value) {
    let listed = ask(server, demo, "list_datasources", &json!({}));
    let names: Vec<&Value> = listed["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["documents", "shop"]);
    assert!(listed["items"][0]["documents"].as_i64().unwrap() > 0);
    let query = |sql: &str| ask(server, demo, "query_data", &json!({ "datasource": "shop", "sql": sql }));
    let answer = query(
        "SELECT p.category, SUM(i.quantity * i.unit_price_cents) AS cents FROM orders o \
         JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id \
         WHERE o.id < 200 GROUP BY p.category ORDER BY cents DESC",
    );
    assert_eq!(answer["row_count"], 4, "{answer}");
    assert_eq!(query("SELECT COUNT(*) FROM orders")["rows"], json!([[240]]));
    let models = ask(server, demo, "list_workspace_models", &json!({}));
    assert!(models["items"].as_array().unwrap().len() >= 2 && !models["default_model"].is_null(), "{models}");
}

fn what_connects_is_sealed(data: &Path) {
    let key = data.join("secret.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let database = fs::read(data.join("toolcrib.db")).unwrap();
    let needle = b"/shop.db";
    assert!(!database.windows(needle.len()).any(|window| window == needle));
}

/// Collects every number under a key `samples`.
fn samples(data: &Value, found: &mut Vec<i64>) {
    match data {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_i64().filter(|_| key == "samples") {
                    Some(count) => found.push(count),
                    None => samples(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| samples(item, found)),
        _ => {}
    }
}

fn every_figure_of_the_demo_has_samples(server: &Server, demo: &Value) {
    let actions = [
        "get_llm_usage",
        "get_cost_breakdown",
        "workspace_stats",
        "get_activity_feed",
        "get_success_rate",
        "get_completion_time",
        "get_error_rates",
        "get_queue_depth",
        "get_efficiency_score",
        "get_cost_per_execution",
        "get_peak_hours",
        "get_bottlenecks",
        "get_predictive_alerts",
        "get_agent_ranking",
        "get_sla_compliance",
    ];
    for action in actions {
        let data = ask(server, demo, action, &json!({}));
        let mut found = Vec::new();
        samples(&data, &mut found);
        let empty = data["items"].as_array().is_some_and(Vec::is_empty);
        assert!(!empty && data["samples"] != json!(0), "{action}: {data}");
        // These count present rows, not samples of the past.
        let counts = [
            "get_activity_feed",
            "workspace_stats",
            "get_queue_depth",
            "get_predictive_alerts",
            "get_peak_hours",
        ];
        assert!(found.iter().any(|count| *count > 0) || counts.contains(&action), "{action}: {data}");
    }
    let usage = ask(server, demo, "get_llm_usage", &json!({}));
    assert!(
        usage["samples"].as_i64().unwrap() > 40 && usage["items"].as_array().unwrap().len() == 2,
        "{usage}"
    );
    let days = ask(server, demo, "get_cost_breakdown", &json!({"group_by": "day"}));
    assert!(days["items"].as_array().unwrap().len() >= 15, "weeks of it: {days}");
}

fn the_second_workspace_has_the_design_of_a_game(server: &Server, demo: &Value) {
    let printed = server.text();
    let second = printed.split("workspace `Lantern Labs`").nth(1).unwrap();
    assert_eq!(printed.matches("The pack ").count(), 1);
    assert!(second.contains("The pack Game design is on here, with data to look at."), "{second}");
    let call = |action: &str, arguments: Value| ask_in(server, &demo["workspaces"][1], action, &arguments);
    let projects = call("game_list_projects", json!({}));
    let [project] = projects["items"].as_array().unwrap().as_slice() else { panic!("{projects}") };
    let project = &project["id"];
    let graph = call("game_get_dependency_graph", json!({ "project": project }));
    assert_eq!(graph["system_count"], 10);
    let types: BTreeSet<&str> =
        graph["edges"].as_array().unwrap().iter().map(|edge| edge["type"].as_str().unwrap()).collect();
    assert_eq!(types, BTreeSet::from(["requires", "enhances", "optional"]));
    let plans = call("game_list_version_plans", json!({ "project": project }));
    let of = |status: &str| {
        plans["items"].as_array().unwrap().iter().filter(|plan| plan["status"] == status).count()
    };
    assert_eq!((of("finalized"), of("draft")), (1, 1), "{plans}");
    let exports = call("game_list_exports", json!({ "project": project }));
    assert_eq!(exports["items"].as_array().unwrap().len(), 2, "{exports}");
}

//! The tools of `examples/toolsets/orion.toml` as an application runs them: reads without asking, writes
//! after one approval, destructive tools after a typed phrase, and the audit log of all of them.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, Client};

/// The reads, each with arguments.
fn reads() -> [(&'static str, Value); 6] {
    let period = json!({"from": "2026-01-15T00:00:00Z", "to": "2026-01-16T00:00:00Z"});
    [
        ("get_emails", json!({"query": "budget"})),
        ("get_calendar_events", period),
        ("search_contacts", json!({"query": "Brown"})),
        ("get_preferences", json!({})),
        ("list_tasks", json!({"status": "open"})),
        ("fetch_project", json!({"project_id": "p-1"})),
    ]
}

/// The writes that ask once, each with arguments, other arguments, the warning and the sentence about the
/// first call.
fn writes() -> [(&'static str, Value, Value, &'static str, &'static str); 5] {
    let mail = |subject: &str| json!({"to": ["ann@example.org"], "subject": subject, "body": "Hello"});
    let event =
        |title: &str| json!({"title": title, "start": "2026-01-16T10:00:00Z", "end": "2026-01-16T11:00:00Z"});
    [
        (
            "send_email",
            mail("Budget"),
            mail("Plan"),
            "The e-mail is sent in the user's name.",
            "Send the e-mail \"Budget\"",
        ),
        (
            "create_event",
            event("Review"),
            event("Party"),
            "The attendees are invited.",
            "Create the event \"Review\"",
        ),
        (
            "update_contact",
            json!({"contact_id": "c-1", "phone": "1"}),
            json!({"contact_id": "c-2", "phone": "2"}),
            "The present values are replaced.",
            "Change the contact c-1",
        ),
        (
            "create_task",
            json!({"title": "Call"}),
            json!({"title": "Write"}),
            "The task appears in the user's list.",
            "Create the task \"Call\"",
        ),
        (
            "update_project",
            json!({"project_id": "p-1", "status": "paused"}),
            json!({"project_id": "p-2", "status": "active"}),
            "All members of the project see the change.",
            "Change the project p-1",
        ),
    ]
}

/// The destructive tools, each with its parameter and its warning.
const DESTRUCTIVE: [(&str, &str, &str); 4] = [
    ("delete_email", "email_id", "This will permanently delete the email. This action cannot be undone."),
    ("cancel_event", "event_id", "This will cancel the event and notify all attendees."),
    ("delete_contact", "contact_id", "This will remove the contact and all associated interaction history."),
    ("archive_project", "project_id", "This will archive the project. It can be restored from the Archive."),
];

async fn call(client: &Client<'_>, tool: &str, arguments: &Value) -> Value {
    client.post(&format!("/v1/actions/orion__{tool}"), arguments.clone()).await.ok(202)
}

/// The confirmation of a call that asks.
fn asked(answer: &Value) -> &Value {
    assert_eq!(answer["status"], "confirmation_required", "{answer}");
    &answer["confirmation"]
}

fn confirmation_path(confirmation: &Value) -> String {
    format!("/v1/confirmations/{}", confirmation["id"].as_str().unwrap())
}

fn approve_path(confirmation: &Value) -> String {
    confirmation_path(confirmation) + "/approve"
}

/// Does what a runner does with its only ready call: claims it, gets exactly these arguments, and reports.
/// Returns its id.
async fn run(client: &Client<'_>, tool: &str, arguments: &Value, report: Value) -> String {
    let open = client.get("/v1/calls?open=true&mine=true").await.ok(200);
    let open = open["items"].as_array().unwrap();
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!((&open[0]["action"], &open[0]["state"]), (&json!(format!("orion__{tool}")), &json!("ready")));
    let id = open[0]["call_id"].as_str().unwrap();
    let claimed = client.post(&format!("/v1/calls/{id}/claim"), json!({})).await.ok(200);
    assert_eq!(&claimed["arguments"], arguments, "{tool}");
    let ended = client.post(&format!("/v1/calls/{id}/outcome"), report.clone()).await.ok(200);
    assert_eq!(ended["state"], report["status"], "{tool}");
    id.to_owned()
}

/// The rows of the audit log that have these fields, newest first.
async fn rows(app: &App, query: &str) -> Vec<Value> {
    let found = app.owner().get(&format!("/v1/audit?{query}")).await.ok(200);
    found["items"].as_array().unwrap().clone()
}

/// Checks that start row and outcome row of a call are found by their fields, and each with the other.
async fn check_rows(app: &App, tool: &str, id: &str, outcome: &str, confirmation: Option<&Value>) {
    let starts = rows(app, &format!("action=orion__{tool}&kind=call&outcome=started")).await;
    let start = starts.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{tool}: {starts:?}"));
    assert_eq!(start["executor"], "client", "{start}");
    let ends = rows(app, &format!("action=orion__{tool}&kind=outcome&outcome={outcome}")).await;
    let ends: Vec<&Value> = ends.iter().filter(|row| row["call_ref"] == id).collect();
    assert_eq!(ends.len(), 1, "{tool}: {ends:?}");
    let shown = app.owner().get(&format!("/v1/audit/{id}")).await.ok(200);
    assert_eq!((&shown["outcome"], &shown["outcomes"]), (&json!("started"), &json!([ends[0]])), "{shown}");
    if let Some(confirmation) = confirmation {
        assert_eq!(start["confirmation_id"], confirmation["id"], "{start}");
        let of_it = rows(app, &format!("confirmation_id={}", confirmation["id"].as_str().unwrap())).await;
        assert!(of_it.iter().any(|row| row["id"] == id), "{tool}: {of_it:?}");
        let end = if outcome == "succeeded" { "executed" } else { "failed" };
        assert_eq!(app.owner().get(&confirmation_path(confirmation)).await.ok(200)["status"], end, "{tool}");
    }
}

#[both_databases]
async fn reads_are_handed_out_in_silence_and_recorded(db: TestDb) {
    let app = App::with_example(db, "orion.toml").await;
    let viewer = app.as_role(Role::Viewer).with("X-Session-Id", "talk");
    for (tool, arguments) in reads() {
        let run = call(&viewer, tool, &arguments).await;
        assert_eq!(
            (&run["status"], &run["claim"]),
            (&json!("client_execution_required"), &json!(false)),
            "{tool}"
        );
        for (name, value) in arguments.as_object().unwrap() {
            assert_eq!(&run["arguments"][name], value, "{tool}");
        }
        assert!(tool != "get_emails" || run["arguments"]["limit"] == 10, "with the default: {run}");
        let found = rows(&app, &format!("action=orion__{tool}&outcome=handed_out&session=talk")).await;
        assert_eq!(found.len(), 1, "{tool}: {found:?}");
        let row = &found[0];
        assert_has(row, json!({"id": run["call_id"], "kind": "call", "permission_level": "read"}));
        assert_eq!((&row["decision"], &row["executor"]), (&json!("auto_allowed"), &json!("client")), "{row}");
    }
    assert_eq!(viewer.get("/v1/calls").await.ok(200)["items"], json!([]), "nothing is left to report");
    assert_eq!(viewer.get("/v1/confirmations").await.ok(200)["items"], json!([]), "nobody was asked");
    assert_eq!(rows(&app, "level=read&outcome=handed_out").await.len(), 6);
    assert_eq!(rows(&app, "kind=outcome").await.len(), 0);
}

#[both_databases]
async fn a_write_asks_once_in_a_session(db: TestDb) {
    let app = App::with_example(db, "orion.toml").await;
    let member = app.as_role(Role::Member).with("X-Session-Id", "talk");
    let report = json!({"status": "succeeded", "output": {"id": "x-1"}});
    for (tool, first, second, warning, sentence) in writes() {
        let answer = call(&member, tool, &first).await;
        let confirmation = asked(&answer);
        assert_eq!(
            (&confirmation["level"], &confirmation["warning"]),
            (&json!("simple"), &json!(warning)),
            "{tool}"
        );
        let shown = member.get(&confirmation_path(confirmation)).await.ok(200);
        assert_eq!(shown["description"], format!("{sentence} (the application runs it)"), "{tool}");
        assert_eq!(confirmation["allow_session_grant"], true, "{tool}");
        let approved = member.post(&approve_path(confirmation), json!({"remember": "session"})).await.ok(202);
        assert_eq!(approved["status"], "client_execution_required", "{tool}");
        let id = run(&member, tool, &first, report.clone()).await;
        assert_eq!(approved["call_id"], id);
        check_rows(&app, tool, &id, "succeeded", Some(confirmation)).await;

        let again = call(&member, tool, &second).await;
        assert_eq!(again["status"], "client_execution_required", "{tool}: the session remembers: {again}");
        let id = run(&member, tool, &second, report.clone()).await;
        assert_eq!(again["call_id"], id);
        check_rows(&app, tool, &id, "succeeded", None).await;
        let elsewhere = member.without("X-Session-Id").with("X-Session-Id", "another talk");
        let check = format!("/v1/actions/orion__{tool}/check");
        let granted = |check: Value| (check["requires_confirmation"].clone(), check["granted_by"].clone());
        let here = granted(member.post(&check, second.clone()).await.ok(200));
        assert_eq!(here, (json!(false), json!("session")), "{tool}");
        let there = granted(elsewhere.post(&check, second.clone()).await.ok(200));
        assert_eq!(there, (json!(true), Value::Null), "{tool}");
    }
    let grants = member.get("/v1/sessions/talk/grants").await.ok(200);
    assert_eq!(grants["items"].as_array().unwrap().len(), 5, "each tool has its own grant: {grants}");
    assert_eq!(rows(&app, "kind=outcome&outcome=succeeded&level=write").await.len(), 10);
    assert_eq!(rows(&app, "kind=call&outcome=started&session=talk").await.len(), 10);
    assert_eq!(rows(&app, "decision=confirmation_required&level=write").await.len(), 5);
}

#[both_databases]
async fn a_destructive_tool_asks_for_its_phrase_each_time(db: TestDb) {
    let app = App::with_example(db, "orion.toml").await;
    let admin = app.as_role(Role::Admin).with("X-Session-Id", "talk");
    let reports = [
        json!({"status": "succeeded", "output": {"done": true}}),
        json!({"status": "failed", "error": "There is no such thing."}),
    ];
    for (tool, parameter, warning) in DESTRUCTIVE {
        for (at, report) in reports.iter().enumerate() {
            let arguments = json!({ parameter: format!("x-{at}") });
            let answer = call(&admin, tool, &arguments).await;
            let confirmation = asked(&answer);
            assert_has(confirmation, json!({"level": "typed", "warning": warning}));
            assert_eq!(confirmation["allow_session_grant"], false, "{tool}");
            let approve = approve_path(confirmation);
            admin.post(&approve, json!({"remember": "session"})).await.problem(422, "invalid_arguments");
            let phrase = format!("orion__{tool}");
            let first = admin.post(&approve, json!({})).await.ok(202);
            assert_eq!(first, json!({"status": "phrase_required", "phrase": phrase}));
            for wrong in [tool.to_owned(), phrase.to_uppercase(), warning.to_owned()] {
                admin.post(&approve, json!({ "phrase": wrong })).await.problem(422, "phrase_mismatch");
            }
            assert_eq!(
                admin.get("/v1/calls?open=true").await.ok(200)["items"],
                json!([]),
                "not yet approved"
            );
            let approved = admin.post(&approve, json!({ "phrase": phrase })).await.ok(202);
            let id = run(&admin, tool, &arguments, report.clone()).await;
            assert_eq!(approved["call_id"], id);
            check_rows(&app, tool, &id, report["status"].as_str().unwrap(), Some(confirmation)).await;
        }
    }
    assert_eq!(rows(&app, "kind=call&outcome=started&level=destructive").await.len(), 8);
    assert_eq!(rows(&app, "kind=outcome&outcome=failed&level=destructive").await.len(), 4);
    let editor = app.as_role(Role::Editor);
    for (tool, parameter, _) in DESTRUCTIVE {
        let refused = editor.post(&format!("/v1/actions/orion__{tool}"), json!({ parameter: "x-1" })).await;
        refused.problem(403, "permission_denied");
        assert_eq!(rows(&app, &format!("action=orion__{tool}&reason=role")).await.len(), 1, "{tool}");
    }
}

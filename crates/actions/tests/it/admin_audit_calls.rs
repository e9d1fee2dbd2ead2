//! The audit log by calls: each once, as it ended, with what happened in between. Pages of the log with a
//! filter that few rows pass.

use serde_json::{Value, json};
use toolcrib_engine::{ApproveRequest, CallReport, CallResponse, Outcome, ReportedStatus};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, both_databases, decision_meta};
use toolcrib_toolset::{DocumentFormat, parse};

use crate::harness::{App, pointers};

/// The calls of the log, newest first: decision, outcome, and the steps of each.
async fn calls(owner: &Person<'_>, filter: Value) -> Vec<(String, String, Vec<String>)> {
    let mut asked = filter;
    asked["group"] = json!("call");
    let page = owner.done("audit.list", asked).await;
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let steps = |call: &Value| match call["steps"].as_array() {
        Some(steps) => steps.iter().map(|step| word(&step["step"])).collect(),
        None => Vec::new(),
    };
    let items = page["items"].as_array().unwrap();
    items.iter().map(|call| (word(&call["decision"]), word(&call["outcome"]), steps(call))).collect()
}

fn call(decision: &str, outcome: &str, steps: &[&str]) -> (String, String, Vec<String>) {
    (decision.into(), outcome.into(), steps.iter().map(|&step| step.into()).collect())
}

async fn new_agent(owner: &Person<'_>, name: &str) -> Value {
    owner.done("create_agent", json!({"name": name})).await;
    json!({"agent": name})
}

const DELETIONS: &str = "platform_delete_agent";

#[both_databases]
async fn a_deletion_is_one_call_with_its_life(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = new_agent(&owner, "Scout").await;
    let id = owner.pending("delete_agent", agent.clone()).await;
    // The same call again joins the one that waits, and is not another call.
    assert_eq!(owner.pending("delete_agent", agent).await, id);
    let only = || json!({"action": [DELETIONS]});
    assert_eq!(calls(&owner, only()).await, [call("confirmation_required", "not_run", &["asked"])]);
    app.clock.advance(60);
    app.as_role(Role::Viewer).approve_once(id, ApproveRequest::default()).await.unwrap_err();
    let waits = json!({"action": [DELETIONS], "decision": ["confirmation_required"]});
    assert_eq!(calls(&owner, waits.clone()).await.len(), 1, "a refused attempt decides nothing");
    owner.approve(id).await.unwrap();
    let life = ["asked", "refused", "first_step", "approved", "ran"];
    assert_eq!(calls(&owner, only()).await, [call("approved", "succeeded", &life)]);
    assert_eq!(calls(&owner, waits).await, [], "what waited no longer waits");

    let asked = json!({"action": [DELETIONS], "group": "call"});
    let page = owner.done("audit.list", asked).await;
    let (one, name) =
        (&page["items"][0], owner.done("me.get", json!({})).await["user"]["display_name"].clone());
    let rows = owner.done("audit.list", only()).await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 6);
    assert_eq!(one["occurred_at"], rows["items"][5]["occurred_at"], "at the time when it was made");
    assert_eq!((&one["reason"], &one["granted_by"]), (&Value::Null, &json!("user")));
    let approved = &one["steps"][3];
    assert_eq!((&approved["by"], &approved["by_name"]), (&json!(app.a.user(Role::Owner)), &name));
    let alone = owner.done("audit.get", json!({"call_id": one["id"]})).await;
    assert_eq!((&alone["decision"], &alone["steps"]), (&json!("confirmation_required"), &one["steps"]));
    let ascending = owner.call("audit.list", json!({"group": "call", "order": "asc"})).await;
    assert_eq!(pointers(&ascending), ["/group"]);
}

#[both_databases]
async fn a_call_ends_as_it_was_decided(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let ask = async |name: &str| owner.pending("delete_agent", new_agent(&owner, name).await).await;
    let denied = ask("Denied").await;
    owner.deny(denied, "no").await.unwrap();
    app.clock.advance(1);
    let void = ask("Void").await;
    for phrase in [None, Some("1"), Some("2"), Some("3"), Some("4"), Some("5")] {
        let phrase = phrase.map(str::to_owned);
        drop(owner.approve_once(void, ApproveRequest { phrase, ..ApproveRequest::default() }).await);
    }
    app.clock.advance(1);
    let later = ask("Late").await;
    app.clock.advance(100_000);
    app.engine.expire_overdue().await.unwrap();
    owner.approve(later).await.unwrap_err();
    let wrong = "wrong_phrase";
    let expected = [
        call("expired", "not_run", &["asked", "expired", "refused"]),
        call("denied", "not_run", &["asked", "first_step", wrong, wrong, wrong, wrong, "void"]),
        call("denied", "succeeded", &["asked", "denied"]),
    ];
    assert_eq!(calls(&owner, json!({"action": [DELETIONS]})).await, expected);
}

/// The values and counts of a statistic over deletions, in order.
async fn counted(owner: &Person<'_>, by: &str, group: Option<&str>) -> Vec<(String, i64)> {
    let mut asked = json!({"by": by, "action": [DELETIONS]});
    if let Some(group) = group {
        asked["group"] = json!(group);
    }
    let found = owner.done("audit.stats", asked).await;
    let items = found["items"].as_array().unwrap().iter();
    items.map(|one| (one["value"].as_str().unwrap().to_owned(), one["count"].as_i64().unwrap())).collect()
}

#[both_databases]
async fn statistics_count_a_call_once(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["One", "Two"] {
        let agent = new_agent(&owner, name).await;
        owner.confirmed("delete_agent", agent).await;
    }
    owner.pending("delete_agent", new_agent(&owner, "Three").await).await;
    let pairs =
        |pairs: &[(&str, i64)]| pairs.iter().map(|&(value, n)| (value.to_owned(), n)).collect::<Vec<_>>();
    let found = counted(&owner, "decision", None).await;
    assert_eq!(found, pairs(&[("approved", 2), ("confirmation_required", 1)]));
    assert_eq!(counted(&owner, "outcome", None).await, pairs(&[("succeeded", 2), ("not_run", 1)]));
    assert_eq!(counted(&owner, "reason", None).await, pairs(&[("confirmation", 1)]));
    assert_eq!(counted(&owner, "action", None).await, pairs(&[(DELETIONS, 3)]));
    // Two asked, stepped, approved and ran; the third asked.
    assert_eq!(counted(&owner, "action", Some("row")).await, pairs(&[(DELETIONS, 9)]));
}

/// Runs a call of a tool that its caller runs, up to the report of a failure. Returns what is logged before
/// the report and after it.
async fn run_by_caller(app: &App, confirmation: &str) -> [Vec<(String, String, Vec<String>)>; 2] {
    let owner = app.owner();
    let text = include_str!("../../../../examples/toolsets/orion.toml");
    let mut document = parse(text, DocumentFormat::Toml).unwrap();
    let tools = document["tools"].as_array_mut().unwrap();
    let task = tools.iter_mut().find(|tool| tool["name"] == "create_task").unwrap();
    task["confirmation"] = json!(confirmation);
    owner.done("toolsets.put", json!({"slug": "orion", "document": document})).await;
    let answer = match owner.call("orion__create_task", json!({"title": "Call back"})).await {
        CallResponse { outcome: Outcome::Waiting(waiting), .. } => {
            owner.approve(waiting.confirmation.id).await.unwrap()
        }
        answer => answer,
    };
    let Outcome::ToRun(run) = answer.outcome else { panic!("the caller does not run it") };
    let only = json!({"action": ["orion__create_task"]});
    let started = calls(&owner, only.clone()).await;
    app.clock.advance(5);
    app.engine.claim_call(&owner.authenticated, run.call_id, decision_meta()).await.unwrap();
    let report = CallReport { status: ReportedStatus::Failed, output: None, error: Some("no paper".into()) };
    app.engine.report_call(&owner.authenticated, run.call_id, report, decision_meta()).await.unwrap();
    let failed = json!({"action": ["orion__create_task"], "outcome": ["failed"]});
    assert_eq!(calls(&owner, failed).await.len(), 1, "it is found by its outcome");
    [started, calls(&owner, only).await]
}

#[both_databases]
async fn a_call_that_its_caller_runs_ends_with_the_report(db: TestDb) {
    let app = App::new(db).await;
    let [started, ended] = run_by_caller(&app, "none").await;
    assert_eq!(started, [call("auto_allowed", "started", &["started"])]);
    assert_eq!(ended, [call("auto_allowed", "failed", &["started", "ended"])]);
}

#[both_databases]
async fn an_approved_call_that_its_caller_runs_is_one_call(db: TestDb) {
    let app = App::new(db).await;
    let [started, ended] = run_by_caller(&app, "simple").await;
    assert_eq!(started, [call("approved", "started", &["asked", "approved", "started"])]);
    assert_eq!(ended, [call("approved", "failed", &["asked", "approved", "started", "ended"])]);
}

/// Inserts `count` copies of the only row of a read, a second apart, the first a second after it.
async fn later_reads(app: &App, count: usize) {
    const SAME: &str = "workspace_id, action, permission_level, via, surface, principal_kind, principal_id, \
        system_admin, caller_type, decision, always_allow, arguments, duration_ms, request_id, kind, outcome";
    let (numbers, id) = app.db.numbered_rows(count);
    let sql = format!(
        "{numbers} INSERT INTO action_log ({SAME}, id, occurred_at) \
         SELECT {SAME}, {id}, occurred_at + CAST(n AS BIGINT) * 1000000 FROM action_log, numbers \
         WHERE action = 'platform_list_agents'"
    );
    app.db.raw_sql(&sql).await;
}

#[both_databases]
async fn a_page_of_a_filter_reads_10_000_rows_and_continues(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    app.clock.advance(1);
    owner.done("list_agents", json!({})).await;
    later_reads(&app, 10_000).await;
    app.clock.advance(20_000);
    let list = async |mut filter: Value, cursor: &Value| {
        if !cursor.is_null() {
            filter["cursor"] = cursor.clone();
        }
        let page = owner.done("audit.list", filter).await;
        (page["items"].as_array().unwrap().len(), page["next_cursor"].clone())
    };
    let created = json!({"action": ["platform_create_agent"]});
    let (found, next) = list(created.clone(), &Value::Null).await;
    assert!(found == 0 && next.is_string(), "{found} {next}");
    assert_eq!(list(created, &next).await, (1, Value::Null));

    // Rows that match fill each page, and the last one ends with the log.
    let listed = json!({"action": ["platform_list_agents"], "limit": 100});
    let (mut rows, mut pages, mut next) = (0, 0, Value::Null);
    loop {
        let page = list(listed.clone(), &next).await;
        (rows, pages, next) = (rows + page.0, pages + 1, page.1);
        if next.is_null() {
            break;
        }
    }
    assert_eq!((rows, pages), (10_001, 101));
}

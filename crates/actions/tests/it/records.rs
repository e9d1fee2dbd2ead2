//! Records that runtimes report.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, record_id, service_key};

fn usage(n: u128, mission: &Value) -> Value {
    json!({
        "id": record_id(n), "at": "2026-01-15T09:00:00Z", "mission_id": mission, "model": "gpt-4o-mini",
        "provider": "openai", "input_tokens": 100, "output_tokens": 10, "cost_microusd": 7
    })
}

/// Reports records. Returns the numbers of accepted and duplicate ones, and each rejected one as index,
/// pointer and code.
pub async fn reported(person: &Person<'_>, kind: &str, records: Value) -> Value {
    let done = person.done(&format!("records.add_{kind}"), json!({"records": records})).await;
    let one =
        |wrong: &Value| json!([wrong["index"], wrong["errors"][0]["pointer"], wrong["errors"][0]["code"]]);
    let rejected: Vec<Value> = done["rejected"].as_array().unwrap().iter().map(one).collect();
    json!([done["accepted"], done["duplicates"], rejected])
}

async fn add(person: &Person<'_>, kind: &str, records: Value) -> (i64, i64, Value) {
    let done = person.done(&format!("records.add_{kind}"), json!({"records": records})).await;
    (done["accepted"].as_i64().unwrap(), done["duplicates"].as_i64().unwrap(), done["rejected"].clone())
}

#[both_databases]
async fn valid_records_are_stored_beside_rejected_ones(db: TestDb) {
    let app = App::new(db).await;
    let mission = app.owner().done("create_mission", json!({"goal": "x"})).await["id"].clone();
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let mut negative = usage(2, &mission);
    negative["input_tokens"] = json!(-1);
    let mut future = usage(3, &mission);
    future["at"] = json!("2026-01-15T10:06:00Z");
    let records = json!([
        usage(1, &mission), negative, 7, future, usage(1, &mission), usage(4, &mission),
        {"is_admin": true}
    ]);
    let (accepted, duplicates, rejected) = add(&runtime, "llm_usage", records).await;
    assert_eq!((accepted, duplicates), (2, 1));
    let indexes: Vec<_> =
        rejected.as_array().unwrap().iter().map(|one| one["index"].as_i64().unwrap()).collect();
    assert_eq!(indexes, [1, 2, 3, 6]);
    let found = (&rejected[0]["errors"][0]["pointer"], &rejected[2]["errors"][0]["pointer"]);
    assert_eq!(found, (&json!("/input_tokens"), &json!("/at")));
    // Two model calls, each of 100 input tokens, 10 output tokens and 7 micro-dollars.
    let spend = app.owner().done("get_mission", json!({"mission_id": mission})).await["spend"].clone();
    assert_eq!(spend, json!({"samples": 2, "cost_microusd": 14, "input_tokens": 200, "output_tokens": 20}));
    assert_eq!(add(&runtime, "llm_usage", json!([usage(1, &mission)])).await, (0, 1, json!([])));
}

#[both_databases]
async fn heartbeats_move_an_agents_last_activity(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Watcher"})).await["id"].clone();
    let beat = |n: u128, at: &str, agent: &Value| {
        json!({
            "id": record_id(n), "at": at, "agent_id": agent, "status": "acted", "note": "tidied"
        })
    };
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let records = json!([
        beat(1, "2026-01-15T09:00:00Z", &agent),
        beat(2, "2026-01-15T08:00:00Z", &agent),
        beat(3, "2026-01-15T09:30:00Z", &json!(record_id(9)))
    ]);
    let (accepted, _, rejected) = add(&runtime, "heartbeats", records).await;
    assert_eq!((accepted, &rejected[0]["errors"][0]["pointer"]), (2, &json!("/agent_id")));
    let seen = app.owner().done("get_agent", json!({"agent": agent})).await;
    assert_eq!(seen["last_active_at"], json!("2026-01-15T09:00:00.000000Z"));
    let feed = app.owner().done("get_activity_feed", json!({"types": ["heartbeat"]})).await;
    assert_has(&feed, json!({"/counts/heartbeat": 2, "/items/0/at": "2026-01-15T09:00:00.000000Z"}));
}

#[both_databases]
async fn a_documents_status_is_what_was_reported(db: TestDb) {
    let app = App::new(db).await;
    let document =
        app.owner().done("add_document", json!({"title": "T", "content": "x"})).await["id"].clone();
    let theirs = app.as_role_b(Role::Owner).done("add_document", json!({"title": "T", "content": "x"})).await
        ["id"]
        .clone();
    let report = |n: u128, document: &Value, status: &str| {
        json!({
            "id": record_id(n), "at": "2026-01-15T09:00:00Z", "document_id": document, "status": status,
            "error": "no text"
        })
    };
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let (accepted, _, rejected) =
        add(&runtime, "documents", json!([report(1, &document, "failed"), report(2, &theirs, "failed")]))
            .await;
    assert_eq!((accepted, &rejected[0]["index"]), (1, &json!(1)));
    let listed = app.owner().done("list_documents", json!({"status": "failed"})).await;
    assert_eq!(listed["items"][0]["error"], json!("no text"));
    assert_eq!(
        add(&runtime, "documents", json!([report(3, &document, "indexed"), report(1, &document, "failed")]))
            .await,
        (1, 1, json!([]))
    );
    let found = app.owner().done("list_documents", json!({"status": "indexed"})).await;
    assert_eq!(found["items"][0]["error"], json!(null));
    let found = app.as_role_b(Role::Owner).done("list_documents", json!({"status": "failed"})).await;
    assert_eq!(found["items"], json!([]));
}

#[both_databases]
async fn reported_chunks_are_what_a_document_is_found_by(db: TestDb) {
    let app = App::new(db).await;
    let document =
        app.owner().done("add_document", json!({"title": "T", "content": "a scan without text"})).await["id"]
            .clone();
    let theirs = app.as_role_b(Role::Owner).done("add_document", json!({"title": "T", "content": "x"})).await
        ["id"]
        .clone();
    let chunk = |n: u128, position: i64, text: &str| {
        json!({
            "id": record_id(n), "at": "2026-01-15T09:00:00Z", "position": position, "content": text
        })
    };
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let records = json!([
        chunk(1, 0, "the kiln is fired at dawn"),
        chunk(2, 1, "glaze recipes"),
        chunk(3, -1, "nowhere"),
        chunk(1, 2, "again")
    ]);
    let kept = runtime.done("records.add_chunks", json!({"document_id": document, "records": records})).await;
    assert_has(&kept, json!({"accepted": 2, "duplicates": 1, "/rejected/0/index": 2}));
    assert_eq!(kept["rejected"][0]["errors"][0]["pointer"], json!("/position"));
    let found = app.owner().done("search_documents", json!({"query": "kiln dawn"})).await;
    assert_eq!((&found["items"][0]["document_id"], &found["items"][0]["position"]), (&document, &json!(0)));
    // The text that the passages replaced is not found any more.
    assert_eq!(app.owner().done("search_documents", json!({"query": "scan"})).await["items"], json!([]));
    assert_eq!(app.owner().done("list_documents", json!({})).await["items"][0]["passages"], json!(2));
    for unknown in [&theirs, &json!(record_id(99))] {
        let call = json!({"document_id": unknown, "records": [chunk(7, 0, "planted")]});
        assert_eq!(runtime.refused("records.add_chunks", call).await, "not_found");
    }
    let shown = app.as_role_b(Role::Owner).done("search_documents", json!({"query": "planted"})).await;
    assert_eq!(shown["items"], json!([]));
}

#[both_databases]
async fn only_a_key_with_the_scope_reports(db: TestDb) {
    let app = App::new(db).await;
    let records = json!({"records": [usage(1, &json!(record_id(5)))]});
    for action in [
        "records.add_llm_usage",
        "records.add_executions",
        "records.add_heartbeats",
        "records.add_documents",
        "records.add_messages",
    ] {
        let code = app.as_identity(service_key(&app, "*:*")).refused(action, records.clone()).await;
        assert_eq!(code, "insufficient_scope");
    }
    let runtime = app.as_identity(service_key(&app, "records:write"));
    for wrong in [json!({}), json!({"records": []}), json!({"records": vec![0; 101]}), json!({"records": {}})]
    {
        assert_eq!(runtime.refused("records.add_llm_usage", wrong).await, "invalid_arguments");
    }
}

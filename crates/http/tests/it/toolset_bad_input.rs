//! Bad input about declared tools over the API: each kind is answered as the design says, and nothing is
//! stored. `crates/app/tests/it/toolset.rs` has the same documents on the command line.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, bad_toolsets, both_databases, valid_toolset};
use toolcrib_toolset::MAX_DOCUMENT_BYTES;

use crate::harness::App;

const PATH: &str = "/v1/toolsets/desk";

/// An app whose first workspace has the upstream and the valid document. Returns the document's `ETag` too.
async fn with_desk(db: TestDb) -> (App, String) {
    let app = App::new(db).await;
    let upstream = json!({"name": "helpdesk", "kind": "http", "base_url": "https://desk.example/v2/"});
    app.owner().send("POST", "/v1/upstreams", upstream).await.ok(201);
    let stored = app.owner().send("PUT", PATH, valid_toolset()).await;
    let tag = stored.header("etag").to_owned();
    stored.ok(200);
    (app, tag)
}

#[both_databases]
async fn each_defect_is_named_and_the_stored_document_stays(db: TestDb) {
    let (app, tag) = with_desk(db).await;
    let owner = app.owner();
    for bad in bad_toolsets() {
        for (method, path, body) in [
            ("POST", "/v1/toolsets/check", json!({"document": bad.document()})),
            ("PUT", if bad.pointer == "/slug" { "/v1/toolsets/platform" } else { PATH }, bad.document()),
        ] {
            let refused = owner.send(method, path, body).await.problem(422, "invalid_arguments");
            let found = refused["errors"].as_array().unwrap();
            let is_named = found.iter().any(|error| {
                let (pointer, message) = (&error["pointer"], error["message"].as_str().unwrap_or_default());
                pointer.as_str().is_some_and(|at| at.ends_with(bad.pointer)) && message.contains(bad.words)
            });
            assert!(is_named, "{method} {bad:?}: {refused}");
        }
    }
    assert_eq!(owner.get(PATH).await.header("etag"), tag);
}

#[both_databases]
async fn every_defect_of_a_document_is_named_at_once(db: TestDb) {
    let (app, _) = with_desk(db).await;
    let mut document = valid_toolset();
    document["tools"][0]["http"]["pth"] = json!("x");
    document["tools"][0]["permission_level"] = json!("admin");
    document["tools"][1]["warning"] = Value::Null;
    let refused = app.owner().send("PUT", PATH, document).await.problem(422, "invalid_arguments");
    let pointers: Vec<&str> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/tools/0/http/pth", "/tools/0/permission_level", "/tools/1/warning"]);
}

#[both_databases]
async fn a_body_that_is_no_json_has_its_line_and_column(db: TestDb) {
    let (app, tag) = with_desk(db).await;
    let owner = app.owner();
    for (body, words) in [("{\n \"slug\" 1}", "line 2 column 9"), ("{\"slug\": 1, \"slug\": 2}", "twice")] {
        let refused =
            owner.raw("PUT", PATH, Some("application/json"), body).await.problem(400, "malformed_request");
        assert!(refused["detail"].as_str().unwrap().contains(words), "{refused}");
    }
    assert_eq!(owner.get(PATH).await.header("etag"), tag);
}

#[both_databases]
async fn an_old_version_and_a_document_that_is_too_large_are_refused(db: TestDb) {
    let (app, tag) = with_desk(db).await;
    let owner = app.owner();
    let old = owner.with("If-Match", "\"7\"").send("PUT", PATH, valid_toolset()).await;
    old.problem(412, "precondition_failed");
    let mut large = valid_toolset();
    large["title"] = json!("x".repeat(MAX_DOCUMENT_BYTES));
    owner.send("PUT", PATH, large).await.problem(413, "payload_too_large");
    assert_eq!(owner.get(PATH).await.header("etag"), tag);
}

#[both_databases]
async fn the_slug_of_the_operator_is_a_conflict(db: TestDb) {
    let app = App::with_example(db, "orion.toml").await;
    let mut document = valid_toolset();
    document["slug"] = json!("orion");
    document["tools"].as_array_mut().unwrap().remove(0);
    app.owner().send("PUT", "/v1/toolsets/orion", document).await.problem(409, "conflict");
}

#[both_databases]
async fn calls_of_tools_that_are_off_or_of_others_are_refused(db: TestDb) {
    let (app, _) = with_desk(db).await;
    let other = app.as_role_b(Role::Owner);
    let unknown = other.post("/v1/actions/desk__drop_queue", json!({})).await.problem(404, "unknown_action");
    let never = other.post("/v1/actions/desk__drop_quota", json!({})).await.problem(404, "unknown_action");
    assert_eq!(unknown["hint"], never["hint"]);
    app.owner().send("PATCH", PATH, json!({"disabled_tools": ["drop_queue"]})).await.ok(200);
    let off =
        app.owner().post("/v1/actions/desk__drop_queue", json!({})).await.problem(403, "permission_denied");
    assert!(off["detail"].as_str().unwrap().contains("this workspace disabled it"), "{off}");
    assert!(off["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{off}");
}

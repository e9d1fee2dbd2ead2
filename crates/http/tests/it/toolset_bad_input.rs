//! Bad input about declared tools over the API: each kind is answered as the design says, and nothing is
//! stored. `crates/app/tests/it/toolset.rs` has the same documents on the command line.

use serde_json::json;
use toolcrib_testkit::{TestDb, bad_toolsets, both_databases, valid_toolset};

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

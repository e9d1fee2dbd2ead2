//! The routes for administration.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, bad_toolsets, both_databases, valid_toolset};

use crate::{docs::checker, harness::App};

const DESK: &str = "/v1/toolsets/desk";

#[both_databases]
async fn administration_has_its_routes(db: TestDb) {
    let app = App::new(db).await;
    a_member_is_added_changed_and_removed(&app).await;
    what_is_asked_by_query_has_no_body(&app).await;
    settings_change_only_from_what_was_read(&app).await;
    a_runtime_reports_with_its_key(&app).await;
    a_post_of_records_has_at_most_100_and_one_mebibyte(&app).await;
    connections_and_datasources_have_their_routes(&app).await;
    a_key_is_shown_once(&app).await;
    a_report_is_json_or_markdown(&app).await;
    me_needs_no_workspace(&app).await;
    the_body_of_a_toolset_is_its_document(&app).await;
}

async fn a_member_is_added_changed_and_removed(app: &App) {
    let owner = app.owner();
    let added = owner.post("/v1/members", json!({"subject": "newcomer", "role": "viewer"})).await;
    assert!(added.header("ratelimit-policy").starts_with("\"admin\""));
    let added = added.ok(201);
    assert!(added.get("ok").is_none(), "the data alone");
    let path = format!("/v1/members/{}", added["user_id"].as_str().unwrap());
    assert_eq!(owner.send("PATCH", &path, json!({"role": "editor"})).await.ok(200)["role"], "editor");
    let twice = owner.send("PATCH", &path, json!({"role": "viewer", "user_id": added["user_id"]})).await;
    assert_eq!(twice.problem(422, "invalid_arguments")["errors"][0]["pointer"], "/user_id");
    owner.send("PATCH", &format!("{path}?role=viewer"), json!({})).await.problem(422, "invalid_arguments");
    owner.send("PATCH", &path, json!({"rank": "viewer"})).await.problem(422, "invalid_arguments");
    assert_eq!(owner.get("/v1/members?limit=2").await.ok(200)["items"].as_array().unwrap().len(), 2);
    owner.get("/v1/members?limit=two").await.problem(422, "invalid_arguments");
    owner.get("/v1/members?rank=1").await.problem(422, "invalid_arguments");
    owner.raw("DELETE", &path, None, axum::body::Body::empty()).await.ok(200);
    owner.send("PATCH", &path, json!({"role": "viewer"})).await.problem(404, "not_found");
    app.as_role(Role::Member).post("/v1/members", json!({})).await.problem(403, "permission_denied");
}

async fn what_is_asked_by_query_has_no_body(app: &App) {
    let owner = app.owner();
    let added = owner.post("/v1/members", json!({"subject": "new", "role": "viewer"})).await.ok(201);
    let path = format!("/v1/members/{}", added["user_id"].as_str().unwrap());
    let refused = owner.send("DELETE", &path, json!({"adopt": true})).await;
    let refused = refused.problem(400, "malformed_request");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("in the query: `adopt`") && !hint.contains("user_id"), "{hint}");
    owner.send("GET", "/v1/members", json!({"limit": 1})).await.problem(400, "malformed_request");
    owner.send("DELETE", &format!("{path}?adopt=true"), json!({})).await.ok(200);
}

async fn settings_change_only_from_what_was_read(app: &App) {
    let owner = app.owner();
    let tag = owner.get("/v1/settings").await.header("etag").to_owned();
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'));
    let changed = owner
        .with("If-Match", &tag)
        .send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"}))
        .await;
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(changed.ok(200)["approval_mode"], "confirm_writes");
    let stale = owner
        .with("If-Match", &tag)
        .send("PATCH", "/v1/settings", json!({"approval_mode": "standard"}))
        .await;
    stale.problem(412, "precondition_failed");
    let twice = owner.with("If-Match", &tag).send("PATCH", "/v1/settings", json!({"if_match": "x"})).await;
    twice.problem(422, "invalid_arguments");
    owner
        .with("If-Match", "x")
        .send("PATCH", "/v1/settings", json!({}))
        .await
        .problem(400, "malformed_request");
    owner
        .with("If-Match", "*")
        .send("PATCH", "/v1/settings", json!({"approval_mode": "standard"}))
        .await
        .ok(200);
}

async fn a_runtime_reports_with_its_key(app: &App) {
    let runtime = app.with_key(json!({"scopes": ["records:write"], "role": "viewer"})).await;
    let (id, at) = ("01900000-0000-7000-8000-000000000001", "2026-01-15T09:00:00Z");
    let began = json!({"id": id, "at": at, "execution_id": id, "event": "started"});
    let call = json!({
        "id": id, "at": at, "model": "m", "provider": "p", "input_tokens": 1, "output_tokens": 1,
        "cost_microusd": 1
    });
    for (path, record) in [("/v1/records/executions", began), ("/v1/records/llm-usage", call)] {
        let body = json!({"records": [record, 7]});
        let kept = runtime.post(path, body.clone()).await;
        assert!(kept.header("ratelimit-policy").starts_with("\"records\""), "{path}");
        let kept = kept.ok(200);
        assert_has(&kept, json!({"accepted": 1, "duplicates": 0, "/rejected/0/index": 1}));
        assert_eq!(runtime.post(path, body.clone()).await.ok(200)["duplicates"], 1, "{path}");
        app.owner().post(path, body).await.problem(403, "permission_denied");
    }
    let run = app.owner().run("get_playbook_execution", json!({"execution_id": id})).await.ok(200);
    assert_eq!(run["data"]["status"], "running");
}

async fn a_post_of_records_has_at_most_100_and_one_mebibyte(app: &App) {
    const MAX: usize = 1024 * 1024;
    let runtime = app.with_key(json!({"scopes": ["records:write"], "role": "viewer"})).await;
    let path = "/v1/records/messages";
    let problem =
        runtime.post(path, json!({"records": vec![7; 101]})).await.problem(422, "invalid_arguments");
    assert_eq!(
        (&problem["errors"][0]["pointer"], &problem["errors"][0]["message"]),
        (&json!("/records"), &json!("must have at most 100 items"))
    );
    let padded = |size: usize| {
        let body = json!({"records": vec![7; 100]}).to_string();
        format!("{body}{}", " ".repeat(size - body.len()))
    };
    let kind = Some("application/json");
    let kept = runtime.raw("POST", path, kind, padded(MAX)).await.ok(200);
    assert_eq!(kept["rejected"].as_array().map(Vec::len), Some(100));
    let problem = runtime.raw("POST", path, kind, padded(MAX + 1)).await.problem(413, "payload_too_large");
    assert_eq!(problem["hint"], "send fewer records in one request");
}

async fn connections_and_datasources_have_their_routes(app: &App) {
    let (owner, member) = (app.owner(), app.as_role(Role::Member));
    let made = owner.post("/v1/connections", json!({"app": "slack", "name": "Chat"})).await.ok(201);
    assert_eq!(owner.get("/v1/connections?limit=5").await.ok(200)["items"][0]["id"], made["id"]);
    let path = format!("/v1/connections/{}", made["id"].as_str().unwrap());
    member.raw("DELETE", &path, None, axum::body::Body::empty()).await.problem(403, "permission_denied");
    app.as_role_b(Role::Owner)
        .raw("DELETE", &path, None, axum::body::Body::empty())
        .await
        .problem(404, "not_found");
    owner.raw("DELETE", &path, None, axum::body::Body::empty()).await.ok(200);
    assert_eq!(owner.get("/v1/datasources").await.ok(200)["items"], json!([]));
    // No datasource is configured. The error names the setting but not the login.
    let body = json!({"name": "x", "connection": "postgres://u:geheim@db.example/x"});
    let refused = owner.post("/v1/datasources", body.clone()).await;
    assert!(
        refused.text.contains("datasource_hosts") && !refused.text.contains("geheim"),
        "{}",
        refused.text
    );
    refused.problem(501, "connector_not_configured");
    member.post("/v1/datasources", body).await.problem(403, "permission_denied");
    let missing = format!("/v1/datasources/{}", app.a);
    owner.raw("DELETE", &missing, None, axum::body::Body::empty()).await.problem(404, "not_found");
    owner.post("/v1/marketplace/items", json!({})).await.problem(403, "permission_denied");
    owner
        .send("PATCH", &format!("/v1/marketplace/items/{}", app.a), json!({}))
        .await
        .problem(403, "permission_denied");
}

async fn a_key_is_shown_once(app: &App) {
    let keyed = app.owner().with("Idempotency-Key", "k-1");
    let body = json!({"kind": "service", "name": "worker", "scopes": ["*:read"], "role": "viewer"});
    let made = keyed.post("/v1/keys", body.clone()).await.ok(201);
    let secret = made["secret"].as_str().unwrap();
    let service = app.anonymous().bearer(secret);
    service.get("/v1/tools").await.ok(200);
    service.run("create_agent", json!({"name": "One"})).await.problem(403, "permission_denied");
    let again = keyed.post("/v1/keys", body).await;
    assert_eq!(again.header("idempotency-replayed"), "true", "{}", again.text);
    let mut again = again.ok(201);
    assert_eq!(again["secret"], Value::Null);
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let of_keys = &document["paths"]["/v1/keys"]["post"]["responses"]["201"];
    let schema = &of_keys["content"]["application/json"]["schema"];
    let errors = checker(&document, schema).check(&mut again);
    assert!(errors.is_empty(), "a replay fits the schema: {errors:?}");
    let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
    app.owner().raw("DELETE", &path, None, axum::body::Body::empty()).await.ok(200);
    service.get("/v1/tools").await.problem(401, "unauthenticated");
}

async fn a_report_is_json_or_markdown(app: &App) {
    let json = app.owner().get("/v1/access/report?role=member").await;
    assert_eq!(json.header("content-type"), "application/json");
    let total = json.ok(200)["total"].clone();
    let text = app.owner().get("/v1/access/report?role=member&format=markdown").await;
    assert_eq!(text.header("content-type"), "text/markdown; charset=utf-8");
    assert!(text.header("ratelimit").starts_with("\"admin\"") && text.text.contains(&total.to_string()));
    app.owner().get("/v1/access/report?format=pdf").await.problem(422, "invalid_arguments");
}

#[both_databases]
async fn the_audit_log_is_filtered_by_query_parameters(db: TestDb) {
    let app = App::new(db).await;
    let made = app.owner().run("create_agent", json!({"name": "One"})).await.ok(200);
    let rows = app.owner().get("/v1/audit?action=platform_create_agent&limit=5").await.ok(200);
    assert_eq!(rows["items"][0]["id"], made["call_id"]);
    let one = app.owner().get(&format!("/v1/audit/{}", made["call_id"].as_str().unwrap())).await.ok(200);
    assert_eq!(one["action"], "platform_create_agent");
    app.owner().get("/v1/audit/stats?by=action").await.ok(200);
    app.as_role(Role::Viewer).get("/v1/audit").await.problem(403, "permission_denied");
    let all = app.owner().get("/v1/actions?include=denied").await.ok(200);
    assert!(all["items"].as_array().unwrap().len() >= 5);
}

async fn me_needs_no_workspace(app: &App) {
    assert_eq!(app.owner().get("/v1/me").await.ok(200)["role"], "owner");
    let nowhere = app.owner().without("X-Workspace-Id");
    assert_eq!(nowhere.get("/v1/me").await.ok(200)["role"], Value::Null);
    assert_eq!(nowhere.get("/v1/workspaces").await.ok(200)["items"].as_array().unwrap().len(), 1);
    nowhere.get("/v1/members").await.problem(400, "workspace_required");
}

async fn the_body_of_a_toolset_is_its_document(app: &App) {
    let owner = app.owner();
    let mut document = json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "get_ticket", "description": "One ticket.", "permission_level": "read",
            "accessible_by": "everyone", "client": {}
        }]
    });
    let any = owner.with("If-Match", "*");
    any.send("PUT", DESK, document.clone()).await.problem(412, "precondition_failed");
    let stored = owner.send("PUT", DESK, document.clone()).await;
    let tag = stored.header("etag").to_owned();
    any.send("PUT", DESK, document.clone()).await.ok(200);
    assert_eq!((tag.as_str(), &stored.ok(200)["changes"][0]["change"]), ("\"1\"", &json!("added")));
    document["tools"][0]["permision_level"] = json!("read");
    let broken = owner.with("If-Match", &tag).send("PUT", DESK, document.clone()).await;
    let broken = broken.problem(422, "invalid_arguments");
    assert_eq!(broken["errors"][0]["pointer"], "/tools/0/permision_level", "{broken}");
    document["tools"][0].as_object_mut().unwrap().remove("permision_level");
    document["title"] = json!("Desk");
    let tagged = owner.with("If-Match", &tag);
    tagged.send("PUT", DESK, document.clone()).await.ok(200);
    tagged.send("PUT", DESK, document.clone()).await.problem(412, "precondition_failed");
    let read = owner.get(DESK).await;
    assert_eq!(read.header("etag"), "\"2\"");
    assert_eq!(read.ok(200)["document"]["title"], "Desk");
    owner.send("PATCH", DESK, json!({"enabled": false})).await.ok(200);
    let asked = json!({ "document": document, "as": {"role": "viewer"} });
    let checked = owner.send("POST", "/v1/toolsets/check", asked).await.ok(200);
    assert_eq!(checked["access"][0]["reason"], "enabled", "{checked}");
    tagged.send("DELETE", DESK, json!({})).await.problem(412, "precondition_failed");
    owner.send("DELETE", DESK, json!({})).await.ok(200);
    owner.get(DESK).await.problem(404, "not_found");
}

/// Each kind of bad input is answered as the design says, and nothing is stored.
/// `crates/app/tests/it/toolset.rs` has the same documents on the command line.
#[both_databases]
async fn each_defect_is_named_and_the_stored_document_stays(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let upstream = json!({"name": "helpdesk", "kind": "http", "base_url": "https://desk.example/v2/"});
    owner.send("POST", "/v1/upstreams", upstream).await.ok(201);
    let stored = owner.send("PUT", DESK, valid_toolset()).await;
    let tag = stored.header("etag").to_owned();
    stored.ok(200);
    for bad in bad_toolsets() {
        for (method, path, body) in [
            ("POST", "/v1/toolsets/check", json!({"document": bad.document()})),
            ("PUT", if bad.pointer == "/slug" { "/v1/toolsets/platform" } else { DESK }, bad.document()),
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
    // A body that is no JSON has its line and column.
    for (body, words) in [("{\n \"slug\" 1}", "line 2 column 9"), ("{\"slug\": 1, \"slug\": 2}", "twice")] {
        let refused =
            owner.raw("PUT", DESK, Some("application/json"), body).await.problem(400, "malformed_request");
        assert!(refused["detail"].as_str().unwrap().contains(words), "{refused}");
    }
    assert_eq!(owner.get(DESK).await.header("etag"), tag);
}

#[both_databases]
async fn the_audit_log_takes_several_values_of_a_filter(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.run("create_agent", json!({"name": "One"})).await.ok(200);
    owner.run("list_agents", json!({})).await.ok(200);
    owner.run("list_tasks", json!({})).await.ok(200);
    let found = async |filter: &str| {
        let page = owner.get(&format!("/v1/audit?{filter}")).await.ok(200);
        page["items"].as_array().unwrap().len()
    };
    for both in [
        "action=platform_create_agent,platform_list_agents",
        "action=platform_create_agent&action=platform_list_agents",
        "kind=call&level=write,read&action=platform_list_agents,platform_create_agent",
    ] {
        assert_eq!(found(both).await, 2, "{both}");
    }
    assert_eq!(found("action=platform_create_agent").await, 1);
    assert_eq!(found("action=platform_createXagent").await, 0, "no pattern");
    let refused = owner.get("/v1/audit?decision=denied,maybe").await.problem(422, "invalid_arguments");
    assert_eq!(refused["errors"][0]["pointer"], "/decision/1");
}

//! Requests that are refused before an action is known.

use axum::body::Body;
use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

const RUN: &str = "/v1/actions/platform_list_agents";
const JSON: Option<&str> = Some("application/json");

#[both_databases]
async fn requests_are_refused(db: TestDb) {
    let app = App::new(db).await;
    paths_and_methods_that_are_not_there(&app).await;
    bodies_that_are_no_json(&app).await;
    bodies_that_are_too_large(&app).await;
    a_request_names_exactly_one_workspace(&app).await;
    headers_that_ask_for_too_much(&app).await;
    a_program_route_is_no_action(&app).await;
    a_person_gets_a_page_where_nothing_is(&app).await;
    credentials_that_are_none(&app).await;
}

async fn paths_and_methods_that_are_not_there(app: &App) {
    let odd = [
        "/",
        "/v1",
        "/v1/tools/",
        "//v1/tools",
        "/v1//tools",
        "/v1/tools%2f",
        "/V1/tools",
        "/v1/%74ools",
        "/v1/actions/",
        "/v1/actions//check",
        "/v2/tools",
    ];
    for path in odd {
        for client in [app.owner(), app.anonymous()] {
            client.get(path).await.problem(404, "not_found");
        }
    }
    let reply = app.owner().raw("DELETE", "/v1/tools", None, Body::empty()).await;
    let mut allow: Vec<&str> = reply.header("allow").split(',').collect();
    allow.sort_unstable();
    assert_eq!(allow, ["GET", "HEAD", "POST"]);
    reply.problem(405, "method_not_allowed");
    app.anonymous().raw("PATCH", "/healthz", None, Body::empty()).await.problem(405, "method_not_allowed");
}

async fn bodies_that_are_no_json(app: &App) {
    for kind in [
        None,
        Some("text/plain"),
        Some("application/json; charset=latin1"),
        Some("multipart/form-data"),
        Some("application/jsonx"),
    ] {
        app.owner().raw("POST", RUN, kind, "{}").await.problem(415, "unsupported_media_type");
    }
    app.owner()
        .with("Content-Encoding", "gzip")
        .raw("POST", RUN, JSON, "{}")
        .await
        .problem(415, "unsupported_media_type");
    for body in [
        "{",
        "[]",
        "null",
        "{\"limit\":1,\"limit\":1}",
        "{\"limit\":1,\"\\u006cimit\":1}",
        "{\"search\":\"\\u0000\"}",
        "{\"$serde_json::private::Number\":\"1\"}",
        "{\"limit\":1e400}",
        "{} {}",
    ] {
        app.owner().raw("POST", RUN, JSON, body).await.problem(400, "malformed_request");
    }
    for kind in [JSON, Some("application/json; charset=UTF-8"), None] {
        app.owner().raw("POST", RUN, kind, Body::empty()).await.ok(200);
    }
}

async fn bodies_that_are_too_large(app: &App) {
    let padded = |size: usize| format!("{{}}{}", " ".repeat(size - 2));
    app.owner().raw("POST", RUN, JSON, padded(1024 * 1024)).await.ok(200);
    app.owner().raw("POST", RUN, JSON, padded(1024 * 1024 + 1)).await.problem(413, "payload_too_large");
    app.owner()
        .with("Content-Length", "99999999")
        .raw("POST", RUN, JSON, "{}")
        .await
        .problem(413, "payload_too_large");
    app.anonymous().raw("POST", RUN, JSON, padded(2 * 1024 * 1024)).await.problem(401, "unauthenticated");
}

async fn a_request_names_exactly_one_workspace(app: &App) {
    let (a, b) = (app.a.to_string(), app.b.to_string());
    for second in [&a, &b] {
        app.owner().with("X-Workspace-Id", second).get("/v1/tools").await.problem(400, "malformed_request");
    }
    let nowhere = app.owner().without("X-Workspace-Id");
    nowhere.get("/v1/tools").await.problem(400, "workspace_required");
    for odd in ["*", &format!("{a},{b}"), &b, "00000000-0000-7000-8000-000000000000"] {
        nowhere.with("X-Workspace-Id", odd).get("/v1/tools").await.problem(403, "permission_denied");
    }
    nowhere.with("X-Workspace-Id", &a.to_uppercase()).get("/v1/tools").await.ok(200);
    nowhere.with("X-Workspace-Id", "").get("/v1/tools").await.problem(400, "malformed_request");
}

async fn headers_that_ask_for_too_much(app: &App) {
    app.owner().with("X-Caller-Type", "mission").get("/v1/tools").await.problem(403, "permission_denied");
    app.owner().with("X-On-Behalf-Of", "viewer").get("/v1/tools").await.problem(403, "insufficient_scope");
    for key in [&"k".repeat(201), "", "a b", "ä"] {
        app.owner()
            .with("Idempotency-Key", key)
            .run("list_agents", json!({}))
            .await
            .problem(400, "malformed_request");
    }
    app.owner().with("Idempotency-Key", &"k".repeat(200)).run("list_agents", json!({})).await.ok(200);
    app.owner().with("X-Mission-Id", "rubbish").get("/v1/tools").await.problem(400, "malformed_request");
}

async fn credentials_that_are_none(app: &App) {
    for value in ["", "Bearer", "Bearer x", "Basic eDp5", "Bearer a.b.c", "bearer tc_x_y"] {
        let reply = app.anonymous().with("Authorization", value).get("/v1/tools").await;
        assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"toolcrib\"");
        reply.problem(401, "unauthenticated");
    }
    app.owner().with("Authorization", "Bearer x").get("/v1/tools").await.problem(400, "malformed_request");
    app.clock.advance(-10);
    let owner = app.owner();
    app.clock.advance(7_200);
    owner.get("/v1/tools").await.problem(401, "unauthenticated");
}

async fn a_program_route_is_no_action(app: &App) {
    for route in toolcrib_http::ROUTES {
        app.owner()
            .post(&format!("/v1/actions/{}", route.operation), json!({}))
            .await
            .problem(404, "unknown_action");
    }
    app.owner().post(&format!("{RUN}?limit=1"), json!({})).await.problem(422, "invalid_arguments");
}

async fn a_person_gets_a_page_where_nothing_is(app: &App) {
    let browser = app.anonymous().with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let page = browser.get("/nothing").await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (404, "text/html; charset=utf-8"));
    assert!(
        page.text.contains("href=\"/console/\"") && page.header("content-security-policy").contains("'none'")
    );
    for (path, to) in [("/docs/", "/docs"), ("/nothing/?a=b", "/nothing?a=b")] {
        let moved = browser.get(path).await;
        assert_eq!((moved.status.as_u16(), moved.header("location")), (308, to));
    }
    for path in ["//elsewhere.example/", "/\\elsewhere.example/"] {
        assert_eq!(browser.get(path).await.status.as_u16(), 404, "{path} is no other host");
    }
    app.anonymous().get("/nothing/").await.problem(404, "not_found");
}

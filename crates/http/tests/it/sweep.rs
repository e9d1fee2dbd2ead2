//! Every route of the OpenAPI document.

use std::collections::BTreeSet;

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use secrecy::SecretString;
use serde_json::{Value, json};
use toolcrib_http::EdgeOptions;
use toolcrib_testkit::{TestDb, both_databases, sqlite};
use tower::ServiceExt as _;

use crate::harness::App;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Method, path with its parameters filled in, and operation.
pub fn routes(document: &Value) -> Vec<(String, String, Value)> {
    let mut all = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let filled: Vec<String> = path
            .split('/')
            .map(|part| {
                if part.starts_with('{') {
                    "0197a000-0000-7000-8000-000000000000".into()
                } else {
                    part.to_owned()
                }
            })
            .collect();
        for method in METHODS {
            if let Some(operation) = operations.get(method) {
                all.push((method.to_uppercase(), filled.join("/"), operation.clone()));
            }
        }
    }
    all
}

#[both_databases]
async fn without_a_credential_every_route_is_401(db: TestDb) {
    let app = App::new(db).await;
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let mut guarded = 0;
    for (method, path, operation) in routes(&document) {
        let body = if method == "GET" { Value::Null } else { json!({}) };
        let public = operation.get("security") == Some(&json!([]));
        assert_eq!(public, !path.starts_with("/v1/"), "{method} {path}");
        if public {
            continue;
        }
        app.anonymous().send(&method, &path, body.clone()).await.problem(401, "unauthenticated");
        if operation.get("security").is_some() {
            // The route takes a machine's own secret, so a user's token is refused.
            app.owner().send(&method, &path, body).await.problem(401, "unauthenticated");
            continue;
        }
        let known = app.owner().send(&method, &path, body).await;
        assert_ne!(known.status.as_u16(), 401, "{method} {path}: the owner gets in");
        assert_ne!(known.status.as_u16(), 405, "{method} {path}: {}", known.text);
        assert_ne!(known.body["detail"], "there is nothing at this path", "{method} {path}");
        let documented = operation["responses"].as_object().unwrap();
        assert!(
            documented.contains_key(known.status.as_str()),
            "{method} {path}: {} {}",
            known.status,
            known.text
        );
        guarded += 1;
    }
    assert!(guarded >= 38, "{guarded}");
}

#[both_databases]
async fn a_public_route_lists_the_errors_it_answers_and_no_others(db: TestDb) {
    let edge = EdgeOptions {
        metrics_token: Some(SecretString::from("a-token-for-the-metrics")),
        ..EdgeOptions::default()
    };
    let app = App::edged(db, edge).await;
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let guess = app.anonymous().with("Authorization", "Bearer another-token-altogether");
    for (method, path, operation) in routes(&document) {
        if operation.get("security") != Some(&json!([])) {
            continue;
        }
        assert_eq!(method, "GET", "{path}");
        let mut answered = BTreeSet::new();
        for address in [path.clone(), format!("{path}?a=%00"), format!("{path}?unknown=x")] {
            answered.insert(app.anonymous().get(&address).await.status);
        }
        // One address may send 60 wrong tokens a minute.
        for _ in 0..61 {
            answered.insert(guess.get(&path).await.status);
        }
        let beyond_the_cap = Request::get(&path).body(Body::empty()).unwrap();
        answered.insert(app.spare.clone().oneshot(beyond_the_cap).await.unwrap().status());
        let mut errors: BTreeSet<&str> =
            answered.iter().filter(|status| status.as_u16() >= 400).map(StatusCode::as_str).collect();
        if path == "/readyz" {
            // Without its database, or while it drains.
            errors.insert("503");
        }
        let responses = operation["responses"].as_object().unwrap();
        let listed: BTreeSet<&str> =
            responses.keys().map(String::as_str).filter(|status| status.starts_with(['4', '5'])).collect();
        assert_eq!(listed, errors, "{path}");
    }
}

/// The document is made without the database.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_whole() {
    let app = App::new(sqlite().await).await;
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    assert_eq!(document, toolcrib_http::openapi(app.engine.catalog()));
    for route in toolcrib_http::ROUTES {
        let exists = app.engine.catalog().registry().get(route.operation).is_some();
        let place =
            format!("/paths/{}/{}", route.path.replace('/', "~1"), route.method.as_str().to_lowercase());
        assert_eq!(document.pointer(&place).is_some(), exists, "{} {}", route.method, route.path);
    }
    let mut ids = Vec::new();
    for (method, path, operation) in routes(&document) {
        ids.push(operation["operationId"].as_str().unwrap().to_owned());
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(
            responses.keys().any(|status| status.starts_with('4')),
            "{method} {path} lists no client error"
        );
        for (status, response) in responses {
            let target =
                response["$ref"].as_str().map_or(response, |place| document.pointer(&place[1..]).unwrap());
            assert!(
                target["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{method} {path} {status}"
            );
            if status.starts_with(['4', '5']) {
                assert!(
                    target["content"].get("application/problem+json").is_some(),
                    "{method} {path} {status}"
                );
            }
        }
    }
    let records = document["paths"]["/v1/records/messages"]["post"]["description"].as_str().unwrap();
    assert!(records.ends_with("Level `write`. Service keys with the scope `records:write`."), "{records}");
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "operation ids are unique");
    for meta in app.engine.catalog().registry().tools() {
        let place = format!(
            "/paths/~1v1~1actions~1{}/post/requestBody/content/application~1json/schema",
            meta.spec.name
        );
        assert_eq!(document.pointer(&place), Some(meta.input.value()));
    }
}

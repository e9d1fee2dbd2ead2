//! Limits of event streams for each principal.

use axum::{body::Body, response::Response};
use serde_json::json;
use toolcrib_http::{EdgeOptions, StreamLimits};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases, eventually};

use crate::harness::{App, Client};

const EVENTS: &str = "/v1/events";

async fn open(client: &Client<'_>) -> Option<Response> {
    let response = client.open("GET", EVENTS, None, Body::empty()).await;
    (response.status() == 200).then_some(response)
}

async fn as_many_as_possible(client: &Client<'_>) -> Vec<Response> {
    let mut held = Vec::new();
    while let Some(stream) = open(client).await {
        held.push(stream);
    }
    held
}

/// Waits until a stream can be opened again after another was closed.
async fn reopens(client: &Client<'_>) {
    eventually("a place is free again", async || open(client).await.is_some()).await;
}

#[both_databases]
async fn a_principal_has_eight_streams_and_no_more(db: TestDb) {
    let app = App::new(db).await;
    let (owner, viewer) = (app.owner(), app.as_role(Role::Viewer));
    let mut held = as_many_as_possible(&owner).await;
    assert_eq!(held.len(), 8);
    let refused = owner.get(EVENTS).await;
    assert_eq!(refused.header("retry-after"), "15");
    let problem = refused.problem(429, "rate_limited");
    assert_eq!(problem["detail"], "you have 8 event streams open, which is the limit");
    assert!(open(&viewer).await.is_some(), "others have their own");
    held.pop();
    reopens(&owner).await;
}

#[both_databases]
async fn a_key_gets_no_more_streams_by_naming_members(db: TestDb) {
    let streams = StreamLimits { per_principal: 2, per_workspace: 1_000 };
    let app = App::edged(db, EdgeOptions { streams, ..EdgeOptions::default() }).await;
    let body = json!({
        "kind": "service", "name": "chat", "role": "editor",
        "scopes": ["*:read", "act_as", "events:read"]
    });
    let made = app.owner().post("/v1/keys", body).await.ok(201);
    let key = app.anonymous().with("Authorization", &format!("Bearer {}", made["secret"].as_str().unwrap()));
    let mut held = as_many_as_possible(&key).await;
    assert_eq!(held.len(), 2);
    let members = app.owner().get("/v1/members").await.ok(200);
    let ids: Vec<&str> =
        members["items"].as_array().unwrap().iter().map(|one| one["user_id"].as_str().unwrap()).collect();
    for id in ids.iter().chain(&ids) {
        held.extend(as_many_as_possible(&key.with("X-On-Behalf-Of", id)).await);
    }
    assert!(2 * ids.len() > 18, "more members than the key has shares");
    assert_eq!(held.len(), 20);
}

#[both_databases]
async fn each_workspace_has_its_own_limit_of_streams(db: TestDb) {
    let streams = StreamLimits { per_principal: 8, per_workspace: 10 };
    let app = App::edged(db, EdgeOptions { streams, ..EdgeOptions::default() }).await;
    let mut held = as_many_as_possible(&app.owner()).await;
    held.extend(as_many_as_possible(&app.as_role(Role::Admin)).await);
    assert_eq!(held.len(), 10);
    assert!(open(&app.as_role_b(Role::Owner)).await.is_some());
}

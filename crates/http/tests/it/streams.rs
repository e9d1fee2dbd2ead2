//! Limits of event streams, and of requests that wait, for each principal.

use axum::{body::Body, response::Response};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
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
    let key = app.with_key(json!({"scopes": ["*:read", "act_as", "events:read"]})).await;
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

#[both_databases]
async fn a_principal_has_eight_waiting_requests_and_no_more(db: TestDb) {
    let app = App::new(db).await;
    let (owner, viewer) = (app.owner(), app.as_role(Role::Viewer));
    owner.run("create_agent", json!({"name": "One"})).await;
    let asked = owner.run("delete_agent", json!({"agent": "One"})).await.ok(202);
    let path = format!("/v1/confirmations/{}", asked["confirmation"]["id"].as_str().unwrap());
    let waiting = format!("{path}?wait=20");
    let mut waits: FuturesUnordered<_> = (0..10).map(|_| owner.get(&waiting)).collect();
    let mut refused = Vec::new();
    while refused.len() < 2 {
        refused.push(waits.next().await.unwrap());
    }
    for one in refused {
        assert_eq!(one.header("retry-after"), "15");
        let problem = one.problem(429, "rate_limited");
        assert_eq!(problem["detail"], "you have 8 requests waiting, which is the limit");
    }
    let others = async {
        viewer.get("/v1/me").await.ok(200);
        assert_eq!(owner.get(&path).await.ok(200)["status"], "pending", "a look is no wait");
        owner.post(&format!("{path}/deny"), json!({})).await.ok(200);
    };
    let ended = async { waits.by_ref().collect::<Vec<_>>().await };
    let ((), ended) = tokio::join!(others, ended);
    assert_eq!(ended.len(), 8);
    for one in ended {
        assert_eq!(one.ok(200)["status"], "denied");
    }
    assert_eq!(owner.get(&waiting).await.ok(200)["status"], "denied", "what has ended is no wait");
}

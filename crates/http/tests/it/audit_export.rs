//! `GET /v1/audit/export` streams the sealed rows of one log to those who may read it.

use std::sync::Arc;

use axum::body::Body;
use futures_util::{StreamExt as _, stream::BoxStream};
use serde_json::{Value, json};
use toolcrib_engine::chain::{AuditKey, Sealer, TrustedKeys};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

const PATH: &str = "/v1/audit/export";
/// More rows than two pages.
const ROWS: usize = 1_100;

/// An app whose log has many rows, all sealed and signed. Returns their number.
async fn app(db: TestDb) -> (App, usize) {
    let app = App::new(db).await;
    for _ in 0..ROWS {
        app.clock.advance(1);
        app.owner().get("/v1/me").await.ok(200);
    }
    seal(&app).await;
    let sealed = app.owner().get("/v1/audit/verify").await.ok(200)["sealed"].as_u64().unwrap();
    (app, usize::try_from(sealed).unwrap())
}

async fn seal(app: &App) {
    let key = AuditKey::from_setting(&"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABA=".into()).unwrap();
    let trusted = TrustedKeys::new(&key, &[]).unwrap();
    let sealer = Sealer::new((*app.db).clone(), app.clock.clone(), Arc::new(key), trusted);
    sealer.seal_all().await.unwrap();
    sealer.sign().await.unwrap();
}

fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The pages of an export, as they are sent.
async fn pages(client: &Client<'_>) -> BoxStream<'static, Result<bytes::Bytes, axum::Error>> {
    let response = client.open("GET", PATH, None, Body::empty()).await;
    assert_eq!(response.status(), 200);
    response.into_body().into_data_stream().boxed()
}

#[both_databases]
async fn a_log_is_exported(db: TestDb) {
    let (app, sealed) = app(db).await;
    assert!(sealed >= ROWS);
    each_sealed_row_comes_once_and_in_order(&app, sealed).await;
    parts_are_exported_too(&app, sealed).await;
    who_may_not_read_the_log_may_not_export_it(&app).await;
    an_export_ends_with_the_permission(&app).await;
}

async fn each_sealed_row_comes_once_and_in_order(app: &App, sealed: usize) {
    let got = app.as_role(Role::Admin).get(PATH).await;
    assert_eq!(got.header("content-type"), "text/x-ndjson; charset=utf-8");
    assert_eq!(got.header("content-disposition"), format!("attachment; filename=\"audit-{}.jsonl\"", app.a));
    let all = lines(&got.text);
    let (rows, signed): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|line| line.get("seq").is_some());
    let places: Vec<u64> = rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect();
    assert_eq!(places, (1..=sealed as u64).collect::<Vec<_>>());
    assert!(rows.windows(2).all(|two| two[1]["prev_hash"] == two[0]["hash"]));
    assert!(rows.iter().all(|row| row["workspace_id"] == json!(app.a)), "rows of another workspace");
    assert_eq!(signed.last().unwrap()["checkpoint"]["seq"], sealed);
    assert!(all[..sealed].iter().all(|line| line.get("checkpoint").is_none()), "checkpoints come last");

    // The export is in the log itself, once, with its arguments.
    let log = app.owner().get("/v1/audit?action=audit.export").await.ok(200);
    assert_eq!(log["items"].as_array().unwrap().len(), 1);
    let seen = (&log["items"][0]["decision"], &log["items"][0]["outcome"], &log["items"][0]["role"]);
    assert_eq!(seen, (&json!("auto_allowed"), &json!("succeeded"), &json!("admin")));
}

async fn parts_are_exported_too(app: &App, sealed: usize) {
    let owner = app.owner();
    let part = lines(&owner.get(&format!("{PATH}?after_seq={}", sealed - 2)).await.text);
    assert_eq!((&part[0]["seq"], part.len()), (&json!(sealed - 1), 3), "two rows and the checkpoint");
    assert_eq!(owner.get(&format!("{PATH}?after_seq={sealed}")).await.text, "");
    let all = lines(&owner.get(PATH).await.text);
    let (from, to) = (all[10]["occurred_at"].as_str().unwrap(), all[20]["occurred_at"].as_str().unwrap());
    let span = lines(&owner.get(&format!("{PATH}?from={from}&to={to}")).await.text);
    let expected = all[..sealed].iter().filter(|row| {
        let at = row["occurred_at"].as_str().unwrap();
        from <= at && at < to
    });
    assert_eq!(span.iter().filter(|line| line.get("seq").is_some()).count(), expected.count());
    owner.get(&format!("{PATH}?after_seq=-1")).await.problem(422, "invalid_arguments");
    owner.get(&format!("{PATH}?limit=1")).await.problem(422, "invalid_arguments");
}

async fn who_may_not_read_the_log_may_not_export_it(app: &App) {
    for role in [Role::Viewer, Role::Member, Role::Editor] {
        app.as_role(role).get(PATH).await.problem(403, "permission_denied");
    }
    app.anonymous().get(PATH).await.problem(401, "unauthenticated");
    let stranger = app.as_role_b(Role::Owner);
    let other = stranger.without("X-Workspace-Id").with("X-Workspace-Id", &app.a.to_string());
    assert!(!other.get(PATH).await.status.is_success());
    let own = lines(&stranger.get(PATH).await.text);
    assert!(own.iter().all(|line| line["workspace_id"] != json!(app.a)));
}

/// Demotes the admin, and lets the tokens expire.
async fn an_export_ends_with_the_permission(app: &App) {
    let admin = app.as_role(Role::Admin);
    let user = admin.get("/v1/me").await.ok(200)["user"]["user_id"].as_str().unwrap().to_owned();
    let mut pages_of_admin = pages(&admin).await;
    let mut pages_of_owner = pages(&app.owner()).await;
    assert_eq!(
        lines(std::str::from_utf8(&pages_of_admin.next().await.unwrap().unwrap()).unwrap()).len(),
        500
    );
    app.owner().send("PATCH", &format!("/v1/members/{user}"), json!({ "role": "member" })).await.ok(200);
    assert!(pages_of_admin.next().await.unwrap().is_err(), "a part must not look like the whole");
    assert!(pages_of_admin.next().await.is_none());

    assert!(pages_of_owner.next().await.unwrap().is_ok());
    app.clock.advance(7_200);
    assert!(pages_of_owner.next().await.unwrap().is_err(), "the token has expired");
}

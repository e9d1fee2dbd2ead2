//! Clients that send invalid credentials: they must not affect others, and behind a proxy each client's
//! failures count separately.

use secrecy::SecretString;
use serde_json::json;
use toolcrib_http::{EdgeOptions, Proxies};
use toolcrib_model::ProxyHeader;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client, HOOK_TOKEN};

const PROXY: [u8; 4] = [10, 0, 0, 1];

fn behind_proxies(header: ProxyHeader) -> EdgeOptions {
    let trusted = vec!["10.0.0.0/8".parse().unwrap()];
    EdgeOptions { proxies: Proxies { trusted, header }, ..EdgeOptions::default() }
}

/// Sends `times` invalid tokens. Returns the status of the last response.
async fn junk(client: &Client<'_>, times: u32) -> u16 {
    let mut last = 0;
    for n in 0..times {
        let token = format!("Bearer tc_{n:032x}_{}", "A".repeat(43));
        last = client.with("Authorization", &token).get("/v1/me").await.status.as_u16();
    }
    last
}

#[both_databases]
async fn a_valid_credential_is_never_refused_for_junk_from_its_address(db: TestDb) {
    let app = App::hooked(db).await;
    let key = app.with_key(json!({"scopes": ["*:read"]})).await;
    assert_eq!(junk(&app.anonymous(), 60).await, 401);
    assert_eq!(junk(&app.anonymous(), 140).await, 429);
    key.get("/v1/tools").await.ok(200);
    app.as_role(toolcrib_model::Role::Viewer).get("/v1/me").await.ok(200);
    let hook = app.anonymous().bearer(HOOK_TOKEN);
    hook.post("/v1/hooks/alertmanager", json!({})).await.problem(400, "malformed_request");
    let refused = app.anonymous().with("Authorization", "Bearer x.y.z").get("/v1/me").await;
    assert_eq!(refused.header("retry-after"), "1");
    refused.problem(429, "rate_limited");
}

#[both_databases]
async fn behind_a_proxy_failures_count_for_each_client(db: TestDb) {
    let app = App::edged(db, behind_proxies(ProxyHeader::XForwardedFor)).await;
    let proxy = app.anonymous().from(PROXY);
    let bad = proxy.with("X-Forwarded-For", "192.0.2.66");
    assert_eq!(junk(&bad, 61).await, 429);
    assert_eq!(junk(&proxy.with("X-Forwarded-For", "192.0.2.67"), 1).await, 401);
    // A value that the client sends itself is to the left of the proxy's value, or in a header line before
    // it.
    for n in 0..5 {
        let forged = proxy.with("X-Forwarded-For", &format!("192.0.2.{n}, 192.0.2.66"));
        assert_eq!(junk(&forged, 1).await, 429);
        let line = proxy.with("X-Forwarded-For", &format!("192.0.2.{n}"));
        assert_eq!(junk(&line.with("X-Forwarded-For", "192.0.2.66"), 1).await, 429);
        let other = proxy.with("Forwarded", &format!("for=192.0.2.{n}"));
        assert_eq!(junk(&other.with("X-Forwarded-For", "192.0.2.66"), 1).await, 429);
    }
}

#[both_databases]
async fn forwarded_addresses_count_only_from_trusted_proxies(db: TestDb) {
    let app = App::edged(db, behind_proxies(ProxyHeader::Forwarded)).await;
    let mut last = 0;
    for n in 0..61 {
        let forged = app.anonymous().with("Forwarded", &format!("for=198.51.100.{n}"));
        last = junk(&forged, 1).await;
    }
    assert_eq!(last, 429, "other names for itself give no more failures");
    let proxy = app.anonymous().from(PROXY).with("Forwarded", "for=\"[2001:db8::1]:4711\";proto=https");
    assert_eq!(junk(&proxy, 1).await, 401);
}

#[both_databases]
async fn metrics_are_for_this_machine_and_for_whoever_knows_the_token(db: TestDb) {
    let token = "a-token-for-the-metrics";
    let edge = EdgeOptions {
        metrics_token: Some(SecretString::from(token)),
        ..behind_proxies(ProxyHeader::Forwarded)
    };
    let app = App::edged(db, edge).await;
    let local = app.anonymous().from([127, 0, 0, 1]).with("Host", "localhost:8080");
    local.get("/metrics").await.ok(200);
    for name in
        ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "CF-Ray", "X-Real-IP", "True-Client-IP"]
    {
        local.with(name, "1").get("/metrics").await.problem(404, "not_found");
    }
    app.anonymous().get("/metrics").await.problem(404, "not_found");
    let known = app.anonymous().bearer(token);
    assert_eq!(known.with("Via", "1.1 proxy").get("/metrics").await.text, "toolcrib_up 1\n");
    let guess = app.anonymous().with("Authorization", "Bearer another-token-altogether");
    guess.get("/metrics").await.problem(401, "unauthenticated");
    known.get("/v1/me").await.problem(401, "unauthenticated");
}

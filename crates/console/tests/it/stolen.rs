//! The cookie of a session in requests that no page of the console sent.

use serde_json::json;
use toolcrib_testkit::{HttpClient, TestDb, both_databases};

use crate::harness::App;

/// Every method and path: those of the document, and the console's own.
async fn every_route(app: &App) -> Vec<(String, String)> {
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let words = path
            .split('/')
            .map(|word| if word.starts_with('{') { "0190a000-0000-7000-8000-000000000000" } else { word });
        let path = words.collect::<Vec<_>>().join("/");
        for method in methods.as_object().unwrap().keys().filter(|name| !name.starts_with("par")) {
            routes.push((method.to_uppercase(), path.clone()));
        }
    }
    for (method, path) in [("DELETE", "/console/session"), ("DELETE", "/console/sessions")] {
        routes.push((method.to_owned(), path.to_owned()));
    }
    routes
}

/// The requests of others: from another site, a sibling, a sandbox, and without the browser's word.
fn thieves<'a>(signed_in: &HttpClient<'a>) -> Vec<HttpClient<'a>> {
    let without = signed_in.without("Sec-Fetch-Site");
    let site = |site: &str| without.with("Sec-Fetch-Site", site);
    vec![
        site("cross-site"),
        site("same-site"),
        site("none"),
        site("cross-site").with("Origin", "null"),
        site("same-origin").with("Sec-Fetch-Site", "cross-site"),
        without.clone(),
    ]
}

#[both_databases]
async fn the_cookie_counts_for_pages_of_this_origin_only(db: TestDb) {
    let app = App::new(db).await;
    let signed_in = app.signed_in("owner").await.with("X-Workspace-Id", &app.a.to_string());
    let rows = app.db.number("SELECT count(*) FROM action_log").await;
    let mut swept = 0;
    for (method, path) in every_route(&app).await {
        let nobody = app.anonymous().send(&method, &path, json!({})).await;
        if nobody.status != 401 {
            continue;
        }
        for thief in thieves(&signed_in) {
            let reply = thief.send(&method, &path, json!({})).await;
            assert_eq!(reply.status, 401, "{method} {path}: {}", reply.text);
        }
        let beside = signed_in.bearer(&app.token("owner"));
        let reply = beside.send(&method, &path, json!({})).await;
        // The hook has a secret of its own, and no session counts there.
        let refused = if path == "/v1/hooks/alertmanager" { 401 } else { 400 };
        assert_eq!(reply.status, refused, "{method} {path}: {}", reply.text);
        swept += 1;
    }
    assert!(swept > 80, "{swept} routes");
    assert_eq!(app.db.number("SELECT count(*) FROM action_log").await, rows);
    signed_in.get("/v1/me").await.ok(200);
}

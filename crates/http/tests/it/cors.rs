//! Pages of other origins: which of them may read confirmations and events.

use axum::http::HeaderValue;
use toolcrib_http::EdgeOptions;
use toolcrib_testkit::{HttpClient, HttpReply, TestDb, both_databases};

use crate::harness::App;

const SITE: &str = "https://shop.example";
const ALLOWED: &str = "access-control-allow-origin";

async fn app(db: TestDb) -> App {
    let embed_origins =
        vec![HeaderValue::from_static(SITE), HeaderValue::from_static("http://a.example:8080")];
    App::edged(db, EdgeOptions { embed_origins, ..EdgeOptions::default() }).await
}

async fn preflight(client: &HttpClient<'_>, path: &str) -> HttpReply {
    let asking = client
        .with("Access-Control-Request-Method", "POST")
        .with("Access-Control-Request-Headers", "authorization,content-type,x-workspace-id");
    asking.raw("OPTIONS", path, None, "").await
}

#[both_databases]
async fn origins_are_those_that_the_operator_names(db: TestDb) {
    let app = app(db).await;
    pages_of_configured_origins_may_read_confirmations_and_events(&app).await;
    refusals_can_be_read_too(&app).await;
    other_origins_and_routes_allow_nobody(&app).await;
}

async fn pages_of_configured_origins_may_read_confirmations_and_events(app: &App) {
    let confirmation = "/v1/confirmations/019bc119-0100-7000-8000-000000000025";
    let (approve, deny) = (format!("{confirmation}/approve"), format!("{confirmation}/deny"));
    for path in ["/v1/confirmations", confirmation, &approve, &deny, "/v1/events"] {
        let reply = preflight(&app.anonymous().with("Origin", SITE), path).await;
        assert_eq!((reply.status.as_u16(), reply.header(ALLOWED)), (200, SITE), "{path}");
        assert_eq!(reply.header("access-control-allow-methods"), "GET,POST");
        let headers = reply.header("access-control-allow-headers");
        assert!(
            ["authorization", "last-event-id", "x-workspace-id"].iter().all(|name| headers.contains(name))
        );
        assert_eq!(reply.header("access-control-allow-credentials"), "", "{path}");
    }
    let list = app.owner().with("Origin", SITE).get("/v1/confirmations").await;
    assert_eq!((list.status.as_u16(), list.header(ALLOWED)), (200, SITE));
    assert!(list.header("access-control-expose-headers").contains("date"));
    assert!(list.header("vary").contains("origin"), "{}", list.header("vary"));
}

async fn refusals_can_be_read_too(app: &App) {
    let unsigned = app.anonymous().with("Origin", SITE).get("/v1/confirmations").await;
    assert_eq!((unsigned.status.as_u16(), unsigned.header(ALLOWED)), (401, SITE));
    assert!(!unsigned.header("www-authenticate").is_empty());
    let bad = app.owner().with("Origin", SITE).get("/v1/confirmations?limit=x").await;
    assert_eq!((bad.status.as_u16(), bad.header(ALLOWED)), (422, SITE));
}

async fn other_origins_and_routes_allow_nobody(app: &App) {
    for origin in
        ["https://shop.example.evil.example", "http://shop.example", "null", "https://a.example:8080"]
    {
        let reply = preflight(&app.anonymous().with("Origin", origin), "/v1/confirmations").await;
        assert_eq!(reply.header(ALLOWED), "", "{origin}");
        let list = app.owner().with("Origin", origin).get("/v1/confirmations").await;
        assert_eq!(list.header(ALLOWED), "", "{origin}");
    }
    for path in ["/v1/me", "/v1/tools", "/v1/actions/platform_list_agents", "/v1/keys", "/console/session"] {
        let reply = preflight(&app.anonymous().with("Origin", SITE), path).await;
        assert_eq!(reply.header(ALLOWED), "", "{path}");
    }
}

#[both_databases]
async fn without_origins_there_is_no_preflight(db: TestDb) {
    let app = App::new(db).await;
    let reply = preflight(&app.anonymous().with("Origin", SITE), "/v1/confirmations").await;
    assert_eq!((reply.status.as_u16(), reply.header(ALLOWED)), (405, ""));
}

//! Tests of upstreams and webhooks: what is asked, what is told of the answer, how often, and by whom.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};
use toolcrib_engine::{
    OperatorRules,
    limits::{LimitRequest, LimitState, Limited, Limiter, LocalLimiter},
};
use toolcrib_model::Role;
use toolcrib_testkit::{
    TestDb, assert_has, both_databases,
    outside::{Hostile, McpAnswer, McpServer, RestService, ServiceAnswer, Wrong},
};

use crate::{
    harness::{App, new_agent, with_cipher},
    messages::services::{BOT_TOKEN, Refusal, Services},
    webhooks::receiver::Receiver,
};

const SECRET: &str = "geheim-4711";

fn rules() -> OperatorRules {
    let hosts = vec!["127.0.0.1".to_owned(), "gone.invalid".to_owned()];
    OperatorRules { upstream_hosts: hosts.clone(), webhook_hosts: hosts, ..with_cipher() }
}

async fn local(db: TestDb) -> App {
    App::ruled(db, rules()).await
}

/// Counts in memory. While it is down, calls that change something are refused, as those that Redis counts.
struct SometimesDown {
    limiter: LocalLimiter,
    is_down: Arc<AtomicBool>,
}

impl Limiter for SometimesDown {
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        async move {
            let refused = request.changes && self.is_down.load(Ordering::SeqCst);
            if refused { Err(Limited::Unavailable) } else { self.limiter.spend(request).await }
        }
        .boxed()
    }

    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        self.limiter.peek(request)
    }
}

async fn upstream(app: &App, name: &str, kind: &str, base_url: &str) {
    let auth = json!({"kind": "bearer"});
    let wish = json!({"name": name, "kind": kind, "base_url": base_url, "auth": auth});
    app.owner().done("upstreams.create", wish).await;
    app.owner().done("upstreams.set_secret", json!({"name": name, "secret": SECRET})).await;
}

/// Tests an upstream a minute later, when the bucket is full again.
async fn found(app: &App, name: &str) -> (Value, Value, Value) {
    app.clock.advance(60);
    let mut found = app.owner().done("upstreams.test", json!({"name": name})).await;
    assert!(found["ms"].is_u64() && found.as_object().unwrap().len() == 4, "{found}");
    (found["ok"].take(), found["status"].take(), found["problem"].take())
}

#[both_databases]
async fn an_upstream_is_asked_once_with_its_secret(db: TestDb) {
    let app = local(db).await;
    let service = RestService::start().await;
    upstream(&app, "rest", "http", &service.url).await;
    for (status, expected) in [
        (200, (json!(true), json!(200), Value::Null)),
        (404, (json!(true), json!(404), Value::Null)),
        (401, (json!(false), json!(401), json!("secret"))),
        (403, (json!(false), json!(403), json!("secret"))),
        (503, (json!(false), json!(503), json!("answer"))),
    ] {
        service.answer(ServiceAnswer::Json(status, json!({"echo": SECRET})));
        assert_eq!(found(&app, "rest").await, expected);
    }
    let received = service.received();
    assert_eq!(received.len(), 5);
    for request in received {
        let value = (request.line.as_str(), request.headers["authorization"].to_str().unwrap());
        assert_eq!(value, ("GET /v2/", "Bearer geheim-4711"));
    }
    service.answer(ServiceAnswer::Half);
    assert_eq!(found(&app, "rest").await, (json!(false), Value::Null, json!("answer")));
    let audited = app.owner().done("audit.list", json!({"action": ["upstreams.test"], "limit": 100})).await;
    assert_eq!(audited["items"].as_array().unwrap().len(), 6, "{audited}");
    assert!(!audited.to_string().contains(SECRET));
}

#[both_databases]
async fn each_problem_has_its_word(db: TestDb) {
    let app = local(db).await;
    let moved = Hostile::start(Wrong::Moved(302)).await;
    let slow = Hostile::start(Wrong::Slow).await;
    let huge = Hostile::start(Wrong::Huge).await;
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let none = || Value::Null;
    for (name, base_url, status, problem) in [
        ("moved", moved.url.clone(), json!(302), json!("answer")),
        ("slow", slow.url.clone(), none(), json!("timeout")),
        ("huge", huge.url.clone(), json!(200), none()),
        ("closed", format!("http://{closed}"), none(), json!("connection")),
        ("gone", "http://gone.invalid".to_owned(), none(), json!("connection")),
        // The server speaks no TLS.
        ("plain", moved.url.replace("http://", "https://"), none(), json!("connection")),
    ] {
        upstream(&app, name, "http", &format!("{base_url}/")).await;
        assert_eq!(found(&app, name).await, (json!(problem.is_null()), status, problem), "{name}");
    }
    assert_eq!(moved.followed.load(std::sync::atomic::Ordering::SeqCst), 0);
    app.db
        .raw_sql(
            "UPDATE upstreams SET base_url = 'https://10.0.0.7/', auth_kind = 'none' WHERE name = 'gone'",
        )
        .await;
    assert_eq!(found(&app, "gone").await, (json!(false), none(), json!("address")));
}

#[both_databases]
async fn an_mcp_server_begins_a_session_and_lists_nothing(db: TestDb) {
    let app = local(db).await;
    let server = McpServer::start(&[]).await;
    upstream(&app, "forge", "mcp", &server.url).await;
    assert_eq!(found(&app, "forge").await, (json!(true), json!(200), Value::Null));
    assert!(server.of_method("tools/list").is_empty() && !server.received().is_empty());
    server.require_bearer("another");
    assert_eq!(found(&app, "forge").await, (json!(false), json!(401), json!("secret")));
    let rest = RestService::start().await;
    upstream(&app, "rest", "mcp", &rest.url).await;
    assert_eq!(found(&app, "rest").await, (json!(false), Value::Null, json!("answer")));
    server.answer(McpAnswer::Result(json!({})));
}

#[both_databases]
async fn no_agent_and_no_other_workspace_tests_and_admins_five_times_a_minute(db: TestDb) {
    let app = local(db).await;
    let (service, services) = (RestService::start().await, Services::start().await);
    let admin = app.as_role(Role::Admin);
    let open = json!({"name": "rest", "kind": "http", "base_url": service.url});
    admin.done("upstreams.create", open).await;
    let hook = admin.done("webhooks.create", services.telegram()).await;
    let tests = [("upstreams.test", json!({"name": "rest"})), ("webhooks.test", json!({"id": hook["id"]}))];
    let agent = new_agent(&app, "Scout", Role::Owner).await;
    for (action, wish) in &tests {
        assert_eq!(agent.refused(action, wish.clone()).await, "permission_denied");
        assert_eq!(app.as_role_b(Role::Owner).refused(action, wish.clone()).await, "not_found");
    }
    assert!(service.received().is_empty() && services.asked().is_empty());
    for n in 0..5 {
        let (action, wish) = &tests[n % 2];
        admin.done(action, wish.clone()).await;
    }
    for (action, wish) in &tests {
        let refused = app.owner().problem(action, wish.clone()).await;
        assert_eq!((refused.code.as_str(), refused.retry_after), ("rate_limited", Some(12)), "{refused:?}");
    }
    assert_eq!((service.received().len(), services.asked().len()), (3, 2));
    app.clock.advance(12);
    app.owner().done("webhooks.test", tests[1].1.clone()).await;
}

/// A test of a webhook changes no row, but it sends something to people: it is refused like a write.
#[both_databases]
async fn where_no_write_may_run_no_message_is_sent(db: TestDb) {
    let is_down: Arc<AtomicBool> = Arc::default();
    let limiter =
        |clock| Arc::new(SometimesDown { limiter: LocalLimiter::new(clock), is_down: is_down.clone() });
    let app = App::with_limiter(db, rules(), |clock| limiter(clock)).await;
    let (service, services, owner) = (RestService::start().await, Services::start().await, app.owner());
    upstream(&app, "rest", "http", &service.url).await;
    let hook = owner.done("webhooks.create", services.telegram()).await;
    let test = json!({"id": hook["id"]});
    owner.done("settings.update", json!({"approval_mode": "read_only"})).await;
    let refused = owner.problem("webhooks.test", test.clone()).await;
    let said = "`webhooks.test` sends a message, and this workspace is read-only";
    assert_eq!((refused.code.as_str(), &*refused.detail), ("permission_denied", said));
    let why = owner.done("access.explain", json!({"action": "webhooks.test"})).await.to_string();
    assert!(why.contains("it sends a message, and the workspace is read-only"), "{why}");
    owner.done("upstreams.test", json!({"name": "rest"})).await;
    owner.done("settings.update", json!({"approval_mode": "standard"})).await;
    is_down.store(true, Ordering::SeqCst);
    assert_eq!(owner.refused("webhooks.test", test.clone()).await, "limiter_unavailable");
    owner.done("upstreams.test", json!({"name": "rest"})).await;
    is_down.store(false, Ordering::SeqCst);
    assert!(services.asked().is_empty());
    owner.done("webhooks.test", test).await;
    assert_eq!(services.asked().len(), 1);
}

#[both_databases]
async fn a_test_message_says_that_the_webhook_works(db: TestDb) {
    let app = local(db).await;
    let services = Services::start().await;
    for (wish, field) in
        [(services.slack(), "text"), (services.telegram(), "text"), (services.twilio(), "Body")]
    {
        let made = app.owner().done("webhooks.create", wish).await;
        app.owner().done("webhooks.update", json!({"id": made["id"], "enabled": false})).await;
        app.clock.advance(60);
        let tested = app.owner().done("webhooks.test", json!({"id": made["id"]})).await;
        assert_eq!((&tested["ok"], &tested["problem"]), (&json!(true), &Value::Null), "{tested}");
        let text = services.taken().pop().unwrap().fields[field].clone();
        assert_eq!(text, "Test message\nThis webhook can send messages.");
        let answer = json!({"code": 21_610, "description": BOT_TOKEN});
        services.refuse(Some(Refusal { status: 400, retry_after: None, body: answer }));
        let tested = app.owner().done("webhooks.test", json!({"id": made["id"]})).await;
        assert_eq!((&tested["ok"], &tested["status"]), (&json!(false), &json!(400)));
        let problem = tested["problem"].as_str().unwrap();
        assert!(problem.starts_with("the receiver answered with status 400"), "{problem}");
        assert!(!tested.to_string().contains("canary"), "{tested}");
        let listed = app.owner().done("webhooks.list_deliveries", json!({"id": made["id"]})).await;
        assert_eq!(listed["items"], json!([]));
        services.refuse(None);
    }
}

#[both_databases]
async fn a_test_of_a_standard_webhook_is_a_signed_event(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let made =
        app.owner().done("webhooks.create", json!({"url": receiver.url, "types": ["agent.created"]})).await;
    let tested = app.owner().done("webhooks.test", json!({"id": made["id"]})).await;
    assert_eq!((&tested["ok"], &tested["status"]), (&json!(true), &json!(200)));
    let got = receiver.got().remove(0);
    got.verify(made["secret"].as_str().unwrap()).unwrap();
    let body = got.json();
    assert_eq!((&body["type"], &body["data"]["id"]), (&json!("webhook.test"), &made["id"]));
    assert_eq!(body["data"]["event_id"], json!(got.header("webhook-id")));
    app.db.raw_sql("UPDATE webhooks SET url = 'https://10.0.0.7/'").await;
    let refused = app.owner().done("webhooks.test", json!({"id": made["id"]})).await;
    assert_has(&refused, json!({"ok": false, "status": null, "problem": "must be a public address"}));
}

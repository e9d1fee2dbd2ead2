//! Actions as programs call them.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases, change_workspace};

use crate::harness::App;

fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[both_databases]
async fn an_action_runs_and_answers_with_its_envelope(db: TestDb) {
    let app = App::new(db).await;
    let reply = app.owner().run("create_agent", json!({"name": "Researcher"})).await;
    assert_eq!(reply.header("ratelimit-policy"), "\"write\";q=1000000;w=60");
    assert_eq!(reply.header("ratelimit"), "\"write\";r=999999;t=1");
    let body = reply.ok(200);
    assert_has(&body, json!({"ok": true, "status": "completed", "via": "direct"}));
    assert_eq!(body["data"]["name"], "Researcher");
}

#[both_databases]
async fn actions_are_listed(db: TestDb) {
    let app = App::new(db).await;
    a_list_shows_what_runs(&app).await;
    pages_join_to_the_whole(&app).await;
    a_list_for_people_is_small(&app).await;
}

async fn a_list_shows_what_runs(app: &App) {
    let all = app.owner().get("/v1/actions").await.ok(200);
    let seen = app.as_role(Role::Viewer).get("/v1/actions").await.ok(200);
    assert!(
        names(&all).contains(&"platform_create_agent") && !names(&seen).contains(&"platform_create_agent")
    );
    let one = app.owner().get("/v1/actions/platform_delete_agent").await.ok(200);
    assert_eq!((&one["permission_level"], &one["confirmation"]), (&json!("destructive"), &json!("typed")));
    assert_eq!(one["input_schema"]["additionalProperties"], false);
    let hidden = app.as_role(Role::Viewer).get("/v1/actions/platform_create_agent").await;
    assert!(!hidden.text.contains("properties"));
    hidden.problem(403, "permission_denied");
    app.owner().get("/v1/actions/platform_delet_agent").await.problem(404, "unknown_action");
    let denied = app.as_role(Role::Viewer).get("/v1/actions?include=denied").await;
    denied.problem(403, "permission_denied");
}

async fn pages_join_to_the_whole(app: &App) {
    let whole = app.owner().get("/v1/actions").await.ok(200);
    let (mut joined, mut path) = (Vec::new(), "/v1/actions?limit=2".to_owned());
    loop {
        let page = app.owner().get(&path).await.ok(200);
        joined.extend(names(&page).into_iter().map(str::to_owned));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/actions?limit=2&cursor={cursor}");
    }
    assert_eq!(names(&whole), joined);
    app.owner().get("/v1/actions?cursor=rubbish").await.problem(422, "invalid_arguments");
}

#[both_databases]
async fn a_check_shows_the_result_without_a_call(db: TestDb) {
    let app = App::new(db).await;
    app.owner().run("create_agent", json!({"name": "One"})).await.ok(200);
    let check = |action: &str| format!("/v1/actions/platform_{action}/check");
    let good = app.owner().post(&check("create_agent"), json!({"name": "Two"})).await.ok(200);
    assert_has(&good, json!({"allowed": true, "granted_by": "auto", "errors": []}));
    let asks = app.owner().post(&check("delete_agent"), json!({"agent": "One"})).await.ok(200);
    assert_eq!((&asks["allowed"], &asks["requires_confirmation"]), (&json!(true), &json!(true)));
    assert_eq!((&asks["confirmation_level"], &asks["granted_by"]), (&json!("typed"), &Value::Null));
    assert_eq!(asks["summary"][0]["value"], "One");
    let bad = app.owner().post(&check("create_agent"), json!({"temperature": 9})).await.ok(200);
    assert_eq!((&bad["allowed"], bad["errors"].as_array().unwrap().len()), (&json!(false), 2));
    let denied =
        app.as_role(Role::Viewer).post(&check("create_agent"), json!({"temperature": 9})).await.ok(200);
    assert_eq!((&denied["allowed"], &denied["errors"]), (&json!(false), &json!([])));
    assert!(denied["reason"].as_str().unwrap().contains("agents:manage"));
    change_workspace(&app.db, app.a, |row| row.default_model = None).await;
    let lacks = app.owner().post(&check("create_agent"), json!({"name": "Three"})).await.ok(200);
    assert_eq!((&lacks["allowed"], &lacks["errors"][0]["pointer"]), (&json!(false), &json!("/model")));
    app.owner().post(&check("no_such"), json!({})).await.problem(404, "unknown_action");
    assert_eq!(
        names(&app.owner().run("list_agents", json!({})).await.ok(200)["data"]),
        ["One"],
        "nothing ran"
    );
}

#[both_databases]
async fn the_same_key_gets_the_same_response(db: TestDb) {
    let app = App::new(db).await;
    let keyed = app.owner().with("Idempotency-Key", "k-1");
    let first = keyed.run("create_agent", json!({"name": "One"})).await;
    assert_eq!(first.header("idempotency-replayed"), "");
    let first = first.ok(200);
    let again = keyed.run("create_agent", json!({"name": "One"})).await;
    assert_eq!(again.header("idempotency-replayed"), "true", "{}", again.text);
    let again = again.ok(200);
    assert_eq!((&again["data"]["id"], &again["replayed"]), (&first["data"]["id"], &json!(true)));
    keyed.run("create_agent", json!({"name": "Two"})).await.problem(422, "idempotency_mismatch");
}

#[both_databases]
async fn a_spent_limit_says_when_to_retry(db: TestDb) {
    let app = App::limited(db, 1).await;
    app.owner().run("create_agent", json!({"name": "One"})).await.ok(200);
    let spent = app.owner().run("create_agent", json!({"name": "Two"})).await;
    assert_eq!((spent.header("retry-after"), spent.header("ratelimit")), ("60", "\"write\";r=0;t=60"));
    spent.problem(429, "rate_limited");
    app.clock.advance(60);
    app.owner().run("create_agent", json!({"name": "Two"})).await.ok(200);
}

async fn a_list_for_people_is_small(app: &App) {
    let owner = app.owner();
    let (long, short) = (owner.get("/v1/actions").await, owner.get("/v1/actions?fields=summary").await);
    assert!(short.text.len() * 5 < long.text.len(), "{} of {}", short.text.len(), long.text.len());
    let (long, short) = (long.ok(200), short.ok(200));
    let (full, brief) = (long["items"].as_array().unwrap(), short["items"].as_array().unwrap());
    assert_eq!(full.len(), brief.len());
    for (full, brief) in full.iter().zip(brief) {
        for (field, value) in brief.as_object().unwrap() {
            match field.as_str() {
                "description" => {
                    let first = value.as_str().unwrap().trim_end_matches('…');
                    assert!(!first.is_empty() && full[field].as_str().unwrap().starts_with(first), "{brief}");
                }
                field => assert_eq!(&full[field], value, "{field}"),
            }
        }
        assert!(brief.get("input_schema").is_none());
    }
    let first = owner.get("/v1/actions?fields=summary&limit=2").await.ok(200);
    let next = first["next_cursor"].as_str().unwrap();
    let second = owner.get(&format!("/v1/actions?fields=summary&limit=2&cursor={next}")).await.ok(200);
    assert_eq!(second["items"].as_array().unwrap()[..], brief[2..4]);
    let denied = owner.get("/v1/actions?fields=summary&include=denied").await.ok(200);
    assert!(denied["items"].as_array().unwrap().len() >= brief.len());
    owner.get("/v1/actions?fields=short").await.problem(422, "invalid_arguments");
}

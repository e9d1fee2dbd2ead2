//! Chats: what backends report, and who may search it.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, agent_key, record_id, service_key, service_key_in, texts};

fn message(n: u128, chat: &str, user: Option<Id>, text: &str) -> Value {
    json!({"id": record_id(n), "at": format!("2026-01-15T09:{n:02}:00Z"), "chat_id": chat, "user_id": user,
        "role": if user.is_some() { "user" } else { "assistant" }, "text": text})
}

/// Reports messages of workspace A, all of which must be new.
async fn said(app: &App, records: &[Value]) {
    let runtime = app.as_identity(service_key(app, "records:write"));
    let done = runtime.done("records.add_messages", json!({"records": records})).await;
    assert_eq!((&done["accepted"], &done["rejected"]), (&json!(records.len()), &json!([])));
}

#[both_databases]
async fn messages_are_found_by_their_words(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = owner.done("create_agent", json!({"name": "Clerk"})).await["id"].clone();
    let long =
        format!("{} the INVOICE for Größe XL was sent twice {}", "before ".repeat(60), "after ".repeat(60));
    let mut answer = message(2, "one", None, &long);
    answer["agent_id"] = agent.clone();
    said(
        &app,
        &[
            message(1, "one", Some(app.a.owner), "Where is the invoice?"),
            answer,
            message(3, "two", Some(app.a.member), "Lunch at noon"),
        ],
    )
    .await;
    let found = owner.done("search_chat_history", json!({"query": "invoice"})).await;
    // The shorter text comes first, because the word weighs more in it.
    assert_eq!(texts(&found, "snippet")[0], "Where is the invoice?");
    let hit = &found["items"][1];
    let snippet = texts(&found, "snippet")[1];
    assert!(snippet.starts_with("… ") && snippet.ends_with(" …"), "{hit}");
    assert!(snippet.contains("the INVOICE for") && snippet.len() < 300, "{hit}");
    assert_has(hit, json!({"id": record_id(2), "chat_id": "one", "role": "assistant"}));
    assert_eq!((&hit["user_id"], &hit["agent_id"]), (&json!(null), &agent));
    assert_eq!(hit["at"], "2026-01-15T09:02:00.000000Z");
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    let grosse = owner.done("search_chat_history", json!({"query": "grosse", "limit": 1})).await;
    assert_eq!(grosse["items"][0]["id"], json!(record_id(2)));
    let seen = owner.done("get_agent", json!({"agent": agent})).await;
    assert_eq!(seen["last_active_at"], "2026-01-15T09:02:00.000000Z");
}

#[both_databases]
async fn a_user_finds_their_own_chats_and_an_admin_all(db: TestDb) {
    let app = App::new(db).await;
    said(
        &app,
        &[
            message(1, "of the owner", Some(app.a.owner), "secret budget"),
            message(2, "of the owner", None, "the budget answer"),
            message(3, "of the member", Some(app.a.member), "member budget"),
            message(4, "of the member", None, "the budget told to the member"),
            message(5, "of both", Some(app.a.member), "shared budget"),
            message(6, "of both", Some(app.a.editor), "my budget too"),
            message(7, "of nobody", None, "orphaned budget"),
        ],
    )
    .await;
    let count = async |authenticated| {
        let found =
            app.as_identity(authenticated).done("search_chat_history", json!({"query": "budget"})).await;
        found["items"].as_array().unwrap().len()
    };
    let authenticated = |role| app.as_role(role).authenticated;
    for (role, expected) in
        [(Role::Owner, 7), (Role::Admin, 7), (Role::Editor, 2), (Role::Member, 4), (Role::Viewer, 0)]
    {
        assert_eq!(count(authenticated(role)).await, expected, "{role}");
    }
    // An agent sees the chats of the member that it runs as. If that member is an admin, it sees only the
    // admin's own chats.
    let agent = app.owner().done("create_agent", json!({"name": "Clerk"})).await["id"].clone();
    let agent: Id = serde_json::from_value(agent).unwrap();
    assert_eq!(count(agent_key(&app, agent, Role::Member)).await, 4);
    assert_eq!(count(agent_key(&app, agent, Role::Owner)).await, 2);
    // A key that acts for nobody sees no chats.
    assert_eq!(count(service_key(&app, "chat:read")).await, 0);
}

#[both_databases]
async fn days_limit_the_searched_period(db: TestDb) {
    let app = App::new(db).await;
    // Now is 2026-01-15T10:00:00Z. The first message is a microsecond before the last 30 days, and the second
    // is at their first moment.
    let mut old = message(1, "c", Some(app.a.owner), "word");
    old["at"] = json!("2025-12-16T09:59:59.999999Z");
    let mut edge = message(2, "c", Some(app.a.owner), "word");
    edge["at"] = json!("2025-12-16T10:00:00Z");
    said(&app, &[old, edge]).await;
    let ids = async |arguments: Value| {
        let found = app.owner().done("search_chat_history", arguments).await;
        found["items"].as_array().unwrap().iter().map(|hit| hit["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(json!({"query": "word"})).await, [json!(record_id(2))]);
    assert_eq!(ids(json!({"query": "word", "days": 31})).await, [json!(record_id(2)), json!(record_id(1))]);
    let found = app.owner().done("search_chat_history", json!({"query": "none"})).await;
    assert_eq!(found, json!({"items": [], "from": "2025-12-16T10:00:00.000000Z"}));
}

#[both_databases]
async fn another_tenants_chats_are_not_there(db: TestDb) {
    let app = App::new(db).await;
    let theirs = app.as_identity(service_key_in(app.b.workspace, "records:write"));
    let record = |n, text: &str| message(n, "canary", Some(app.b.owner), text);
    let wish = json!({"records": [record(1, "canary sings"), record(2, "the canary")]});
    let done = theirs.done("records.add_messages", wish).await;
    assert_eq!(done["accepted"], 2);
    said(&app, &[message(3, "canary", Some(app.a.owner), "our bird sings")]).await;
    for role in Role::ALL {
        let wish = json!({"query": "canary sings", "days": 365});
        let found = app.as_role(role).done("search_chat_history", wish).await;
        let found = found.to_string();
        assert!(!found.contains("canary sings") && !found.contains("the canary"), "{role}: {found}");
    }
    let found = app.owner().done("search_chat_history", json!({"query": "canary sings"})).await;
    assert_eq!(texts(&found, "snippet"), ["our bird sings"]);
    let found = app.as_role_b(Role::Owner).done("search_chat_history", json!({"query": "sings bird"})).await;
    assert_eq!(texts(&found, "snippet"), ["canary sings"]);
    // A record can't name a user of another workspace. An id that the other workspace uses is new here.
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let wish = json!({"records": [message(4, "c", Some(app.b.owner), "x"), message(1, "c", None, "y")]});
    let done = runtime.done("records.add_messages", wish).await;
    assert_has(&done, json!({"accepted": 1, "/rejected/0/errors/0/pointer": "/user_id"}));
    let feed = app.owner().done("get_activity_feed", json!({"types": ["chat"]})).await;
    assert!(!feed.to_string().contains("canary sings"), "{feed}");
}

#[both_databases]
async fn nothing_in_a_query_is_syntax(db: TestDb) {
    let app = App::new(db).await;
    said(
        &app,
        &[message(1, "c", Some(app.a.owner), "alpha beta"), message(2, "d", Some(app.a.owner), "gamma")],
    )
    .await;
    let scope = app.b.workspace.simple().to_string();
    for (query, expected) in [
        ("alpha\" OR \"gamma", 2),
        ("alpha AND gamma", 2),
        ("NOT alpha", 1),
        ("alph*", 0),
        ("alpha:*", 1),
        ("\"alpha beta\"", 1),
        ("tokens : alpha", 1),
        ("alpha' | 'x", 1),
        ("!gamma & alpha", 2),
        ("^alpha", 1),
        ("NEAR(alpha gamma, 1)", 2),
        ("\" OR 1=1 --", 0),
        ("');DROP TABLE messages;--", 0),
        ("alpha <-> gamma", 2),
        (scope.as_str(), 0),
        ("scope : x OR alpha", 1),
        ("()", 0),
        ("\\ % _ ' \"", 0),
    ] {
        let found = app.owner().done("search_chat_history", json!({"query": query})).await;
        assert_eq!(found["items"].as_array().unwrap().len(), expected, "`{query}`");
    }
}

#[both_databases]
async fn a_message_is_kept_once(db: TestDb) {
    let app = App::new(db).await;
    said(&app, &[message(1, "c", Some(app.a.owner), "alpha")]).await;
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let mut bad = message(3, "c", None, "alpha");
    bad["role"] = json!("system");
    let mut long = message(4, "c", None, "alpha");
    long["text"] = json!("x".repeat(32_001));
    let records =
        json!([message(1, "c", Some(app.a.owner), "other words"), message(2, "c", None, "alpha"), bad, long]);
    let done = runtime.done("records.add_messages", json!({"records": records})).await;
    assert_eq!((&done["accepted"], &done["duplicates"]), (&json!(1), &json!(1)));
    let pointers: Vec<_> = done["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["index"], &one["errors"][0]["pointer"]))
        .collect();
    assert_eq!(pointers, [(&json!(2), &json!("/role")), (&json!(3), &json!("/text"))]);
    let found = app.owner().done("search_chat_history", json!({"query": "alpha other"})).await;
    assert_eq!(texts(&found, "snippet"), ["alpha", "alpha"]);
}

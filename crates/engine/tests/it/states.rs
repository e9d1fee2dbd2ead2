//! The state machine of a confirmation, one transition at a time.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Value, json};
use toolcrib_engine::{ApproveRequest, ConfirmationFilter, ConfirmationView, Outcome};
use toolcrib_model::{ErrorCode, Role};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace};

use crate::{
    people::{agent, decisions, key_of, outbox, revoke, rows, service},
    things::app,
};

fn statuses(view: &ConfirmationView) -> Vec<&str> {
    view.history.iter().map(|step| step.status.as_str()).collect()
}

async fn events(app: &App, name: &str) -> Vec<Value> {
    let named = outbox(app).await.into_iter().filter(|event| event.name == name);
    named.map(|event| serde_json::from_str(&event.data).unwrap()).collect()
}

fn with(arguments: Value) -> ApproveRequest {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    ApproveRequest { arguments: Some(arguments), ..ApproveRequest::default() }
}

#[both_databases]
async fn another_call_on_the_same_target_supersedes(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let first = owner.pending("delete_thing", json!({"name": "x"})).await;
    // Another person's question about the same thing is not theirs to end.
    let others = app.as_role(Role::Admin).pending("delete_thing", json!({"name": "x"})).await;
    let second = owner.pending("delete_thing", json!({"name": "x", "password": "other"})).await;
    assert_ne!(first, second);
    let view = owner.confirmation(first).await.unwrap();
    assert_eq!((view.status.as_str(), statuses(&view)), ("superseded", vec!["pending", "superseded"]));
    assert_eq!(decisions(&app, first).await, [("superseded".to_owned(), Some("void".to_owned()))]);
    assert_eq!(owner.approve(first).await.unwrap_err().code, ErrorCode::Void);
    assert_eq!(app.as_role(Role::Admin).confirmation(others).await.unwrap().status.as_str(), "pending");
    owner.approve(second).await.unwrap();
}

#[both_databases]
async fn concurrent_equal_calls_share_one_confirmation(db: TestDb) {
    let app = Arc::new(app(db).await);
    let ask = |arguments: Value| {
        let app = app.clone();
        tokio::spawn(async move { app.owner().call("create_thing", arguments).await })
    };
    let same: Vec<_> = (0..20).map(|_| ask(json!({"name": "same", "dangerous": true}))).collect();
    let mut ids = HashSet::new();
    for task in same {
        let Outcome::Waiting(waiting) = task.await.unwrap().outcome else { panic!("it asks") };
        ids.insert(waiting.confirmation.id);
    }
    assert_eq!(ids.len(), 1);
    let others: Vec<_> = (0..30).map(|n| ask(json!({"name": format!("n{n}"), "dangerous": true}))).collect();
    let mut refused = 0;
    for task in others {
        match task.await.unwrap().outcome {
            Outcome::Waiting(_) => {}
            Outcome::Refused(problem) if problem.code == ErrorCode::TooManyPending => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 21, "ten a caller, also when they come at once");
    let filter =
        ConfirmationFilter { status: Some("pending".into()), limit: Some(100), ..Default::default() };
    assert_eq!(app.engine.confirmations(&app.owner().authenticated, &filter).await.unwrap().items.len(), 10);
}

#[both_databases]
async fn a_workspace_has_fifty(db: TestDb) {
    let app = app(db).await;
    let mut open = Vec::new();
    for n in 0..6 {
        let key = service(&app, &["*:*"], None).await;
        let caller = app.as_identity(key);
        for m in 0..10 {
            let answer =
                caller.call("create_thing", json!({"name": format!("t{n}-{m}"), "dangerous": true})).await;
            match answer.outcome {
                Outcome::Waiting(waiting) => open.push(waiting.confirmation.id),
                Outcome::Refused(problem) => {
                    assert_eq!((problem.code, open.len()), (ErrorCode::TooManyPending, 50));
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(open.len(), 50);
    app.owner().deny(open[0], "one less").await.unwrap();
    app.owner().pending("create_thing", json!({"name": "late", "dangerous": true})).await;
    // What is over counts no more.
    app.clock.advance(901);
    app.owner().pending("create_thing", json!({"name": "later", "dangerous": true})).await;
}

#[both_databases]
async fn how_many_may_be_open_is_the_workspaces_setting(db: TestDb) {
    let app = app(db).await;
    toolcrib_testkit::change_workspace(&app.db, app.a.workspace, |row| {
        row.settings.open_confirmations = 3;
        row.settings.open_confirmations_per_caller = 2;
    })
    .await;
    let mut asked = Vec::new();
    for caller in 0..2 {
        let key = app.as_identity(service(&app, &["*:*"], None).await);
        for n in 0..3 {
            let answer =
                key.call("create_thing", json!({"name": format!("t{caller}-{n}"), "dangerous": true})).await;
            asked.push(answer.status());
        }
    }
    assert_eq!(asked, [202, 202, 429, 202, 429, 429]);
}

#[both_databases]
async fn what_nobody_decided_expires_once(db: TestDb) {
    let app = Arc::new(app(db).await);
    let owner = app.owner();
    let ids = [
        owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await,
        owner.pending("create_thing", json!({"name": "y", "dangerous": true})).await,
    ];
    app.clock.advance(899);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 0, "not before its time");
    app.clock.advance(1);
    assert_eq!(
        owner.confirmation(ids[0]).await.unwrap().status.as_str(),
        "expired",
        "shown before the worker came by"
    );
    assert_eq!(owner.approve(ids[0]).await.unwrap_err().code, ErrorCode::Expired);
    let workers = (0..8).map(|_| {
        let app = app.clone();
        tokio::spawn(async move { app.engine.expire_overdue().await.unwrap() })
    });
    let mut ended = 0;
    for worker in workers.collect::<Vec<_>>() {
        ended += worker.await.unwrap();
    }
    assert_eq!(ended, 2);
    for id in ids {
        let view = owner.confirmation(id).await.unwrap();
        assert_eq!((view.status.as_str(), statuses(&view)), ("expired", vec!["pending", "expired"]));
        let expired: Vec<_> = rows(&app, "confirmation", Some(id))
            .await
            .into_iter()
            .filter(|row| row.decision == "expired")
            .collect();
        assert_eq!(
            (expired.len(), expired[0].outcome.as_str(), expired[0].principal.id),
            (1, "not_run", app.a.owner)
        );
    }
    let told = events(&app, "permission_expired").await;
    assert_eq!(told.len(), 2);
    assert_eq!(
        told.iter().map(|data| data["confirmation_id"].clone()).collect::<HashSet<_>>(),
        HashSet::from(ids.map(|id| json!(id)))
    );
    assert_eq!(owner.refused("get_thing", json!({"name": "x"})).await, "not_found");
}

#[both_databases]
async fn a_revoked_key_voids_its_confirmations(db: TestDb) {
    let app = app(db).await;
    for kind in ["agent", "service"] {
        let key = match kind {
            "agent" => agent(&app, "worker", app.a.owner).await,
            _ => service(&app, &["*:*", "act_as"], Some(app.a.owner)).await,
        };
        let caller = app.as_identity(key.clone());
        let id = caller.pending("create_thing", json!({"name": kind, "dangerous": true})).await;
        revoke(&app, key_of(&key)).await;
        assert_eq!(app.owner().approve(id).await.unwrap_err().code, ErrorCode::Void, "{kind}");
        let view = app.owner().confirmation(id).await.unwrap();
        assert_eq!((view.status.as_str(), statuses(&view)), ("void", vec!["pending", "void"]), "{kind}");
        assert_eq!(decisions(&app, id).await, [("void".to_owned(), Some("void".to_owned()))]);
        assert_eq!(app.owner().refused("get_thing", json!({"name": kind})).await, "not_found");
    }
}

#[both_databases]
async fn changes_of_schema_or_target_void_the_confirmation(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let changes = [
        ("schema", "UPDATE confirmations SET schema_digest = 'of yesterday'"),
        ("target", "UPDATE agents SET version = version + 1"),
        ("another target of that name", "UPDATE confirmations SET target_id = requester_id"),
        ("gone", "DELETE FROM agents"),
    ];
    for (what, change) in changes {
        let _ = owner.call("create_thing", json!({"name": "x"})).await;
        let id = owner.pending("delete_thing", json!({"name": "x"})).await;
        app.db.raw_sql(change).await;
        assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::Void, "{what}");
        assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "void", "{what}");
        // The first step finds the schema, the second finds the target.
        assert_eq!(
            decisions(&app, id).await.pop(),
            Some(("void".to_owned(), Some("void".to_owned()))),
            "{what}"
        );
    }
    // Without a change the call runs.
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    owner.approve(id).await.unwrap();
}

#[both_databases]
async fn a_limit_leaves_the_record_as_it_was(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    let owner = app.owner();
    let id = owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    owner.done("create_thing", json!({"name": "other"})).await;
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::RateLimited);
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "pending");
    app.clock.advance(60);
    owner.approve(id).await.unwrap();
}

#[both_databases]
async fn a_change_keeps_both_versions(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let id =
        owner.pending("create_thing", json!({"name": "x", "dangerous": true, "password": "hunter2"})).await;
    assert_eq!(
        owner.approve_once(id, with(json!({"nam": "y"}))).await.unwrap_err().code,
        ErrorCode::InvalidArguments
    );
    assert_eq!(decisions(&app, id).await, [("modify".to_owned(), Some("invalid_arguments".to_owned()))]);
    owner.approve_once(id, with(json!({"name": "y", "password": "hunter3"}))).await.unwrap();
    let view = owner.confirmation(id).await.unwrap();
    let shown = serde_json::to_string(&view).unwrap();
    assert!(!shown.contains("hunter"), "{shown}");
    assert_eq!(view.arguments["name"], "y");
    assert_eq!(view.history.last().unwrap().replaced_arguments.as_ref().unwrap()["name"], "x");
    assert_eq!(view.outcome().to_value()["data"]["name"], "y");
    let decision = rows(&app, "confirmation", Some(id)).await.pop().unwrap();
    assert_eq!((&*decision.decision, &*decision.outcome), ("approved", "succeeded"));
    let audited: Value = serde_json::from_str(&decision.arguments).unwrap();
    assert_eq!((&audited["asked"]["name"], &audited["approved"]["name"]), (&json!("x"), &json!("y")));
    assert!(!decision.arguments.contains("hunter"), "{:?}", decision.arguments);
    let call = rows(&app, "call", Some(id)).await.pop().unwrap();
    assert_eq!((call.via.as_str(), call.arguments.contains("\"y\"")), ("confirmation", true));
    for (event, name) in [("awaiting_permission", "x"), ("permission_granted", "y"), ("tool_use", "y")] {
        assert_eq!(events(&app, event).await[0]["input"]["name"], name, "{event}");
    }
}

#[both_databases]
async fn a_change_needs_no_less_agreement(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let id = owner.pending("risky_thing", json!({"name": "x"})).await;
    let refused = owner.approve_once(id, with(json!({"name": "x", "dangerous": true}))).await.unwrap_err();
    assert_eq!((refused.code, refused.errors[0].code.as_str()), (ErrorCode::InvalidArguments, "level"));
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "pending");
    owner.approve_once(id, with(json!({"name": "y"}))).await.unwrap();
    let typed = owner.pending("risky_thing", json!({"name": "z", "dangerous": true})).await;
    assert_eq!(owner.confirmation(typed).await.unwrap().level, "typed");
}

#[both_databases]
async fn a_call_that_fails_has_failed(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.approval_mode = "confirm_writes".into())
        .await;
    let owner = app.owner();
    let id = owner.pending("half_thing", json!({"name": "x"})).await;
    let Outcome::Refused(problem) = owner.approve(id).await.unwrap().outcome else {
        panic!("it fails half way")
    };
    assert_eq!(problem.code, ErrorCode::Conflict);
    let view = owner.confirmation(id).await.unwrap();
    assert_eq!(
        (view.status.as_str(), view.outcome().to_value()["code"].clone()),
        ("failed", json!("conflict"))
    );
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::AlreadyDecided);
    assert_eq!(owner.refused("get_thing", json!({"name": "x"})).await, "not_found");
}

#[both_databases]
async fn every_view_shows_the_requested_call(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let name = format!("a\u{202e}b{}", "ä".repeat(80));
    let id =
        owner.pending("create_thing", json!({"name": name, "dangerous": true, "password": "hunter2"})).await;
    let view = owner.confirmation(id).await.unwrap();
    let lines: Vec<_> = view.summary.iter().map(|line| (line.label.as_str(), line.value.as_str())).collect();
    assert_eq!(lines[0], ("dangerous", "true"), "what decides danger comes first");
    let shown = lines.iter().find(|(label, _)| *label == "name").unwrap().1;
    assert!(
        shown.starts_with("a\\u{202e}b") && shown.ends_with('…') && shown.chars().count() == 50,
        "{shown}"
    );
    assert!(lines.contains(&("password", "•••")));
    assert_eq!(view.arguments["name"], json!(name), "all of it is one field away");
}

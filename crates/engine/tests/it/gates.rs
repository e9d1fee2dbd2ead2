//! One refusal for each gate, with a call that passes it.

use serde_json::json;
use toolcrib_access::ApprovalMode;
use toolcrib_engine::{Arguments, Outcome};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{App, NOW, TestDb, both_databases, change_workspace, sqlite, user_identity, write};

use crate::{people::count, things::app};

#[both_databases]
async fn gate_2_reads_strictly(db: TestDb) {
    let app = app(db).await;
    for text in ["{", "[]", "null", r#"{"name":"a","name":"b"}"#, r#"{"name":"a"} {"#, r#"{"name":1e400}"#] {
        let answer = app.owner().call_raw("create_thing", Arguments::Text(text.into())).await;
        assert_eq!(answer.status(), 400, "{text}");
    }
    assert_eq!(
        app.owner().call_raw("create_thing", Arguments::Text(r#"{"name":"a"}"#.into())).await.status(),
        200
    );
    assert_eq!(count(&app).await, 1);
}

#[both_databases]
async fn gate_3_wants_an_active_member(db: TestDb) {
    let app = app(db).await;
    let call = |authenticated| {
        let person = app.as_identity(authenticated);
        async move { person.problem("get_thing", json!({"name": "x"})).await }
    };
    let stranger = call(user_identity(app.a.workspace, app.b.owner)).await;
    let nowhere = call(user_identity(Id::from_u128(7), app.a.owner)).await;
    assert_eq!((stranger.status, nowhere.status), (403, 403));
    assert_eq!(stranger.detail, nowhere.detail, "a foreign workspace and none answer alike");
    let mut unnamed = user_identity(app.a.workspace, app.a.owner);
    if let toolcrib_auth::Credential::User(token) = &mut unnamed.credential {
        token.workspace = None;
    }
    assert_eq!(call(unnamed).await.code.as_str(), "workspace_required");
    let mut torn = user_identity(app.a.workspace, app.a.owner);
    torn.requested.workspace = Some(app.b.workspace.to_string());
    assert_eq!(call(torn).await.code.as_str(), "workspace_mismatch");
    set_role(&app, app.a.editor, "editor", false).await;
    assert_eq!(
        app.as_role(Role::Editor).refused("get_thing", json!({"name": "x"})).await,
        "permission_denied"
    );
    assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "not_found");
}

#[both_databases]
async fn an_unknown_role_holds_nothing(db: TestDb) {
    let app = app(db).await;
    set_role(&app, app.a.admin, "superuser", true).await;
    assert_eq!(
        app.as_role(Role::Admin).refused("get_thing", json!({"name": "x"})).await,
        "permission_denied"
    );
}

#[both_databases]
async fn gates_refuse_what_leaves_no_trace(db: TestDb) {
    let app = app(db).await;
    gate_4_knows_its_actions(&app).await;
    gate_5_honours_named_callers(&app).await;
    gate_6_validates_and_resolves(&app).await;
    gate_10_says_what_took_too_long(&app).await;
    gate_10_a_read_that_writes_fails_in_the_database(&app).await;
    external_actions_run_for_admins(&app).await;
}

async fn gate_4_knows_its_actions(app: &App) {
    let problem = app.owner().problem("create_things", json!({})).await;
    assert_eq!(problem.code.as_str(), "unknown_action");
    assert!(problem.hint.unwrap().contains("platform_create_thing"));
    let viewer = app.as_role(Role::Viewer).problem("create_things", json!({})).await;
    assert!(
        !viewer.hint.unwrap().contains("platform_create_thing"),
        "near names are those the caller may call"
    );
}

#[both_databases]
async fn gate_5_denies_whatever_the_arguments(db: TestDb) {
    let app = app(db).await;
    let viewer = app.as_role(Role::Viewer);
    let good = viewer.problem("create_thing", json!({"name": "x"})).await;
    let bad = viewer.problem("create_thing", json!({"is_admin": true, "name": 7})).await;
    assert_eq!((good.status, &good.detail, &good.hint), (403, &bad.detail, &bad.hint));
    assert_eq!(good.errors, bad.errors);
    assert_eq!(good.hint.unwrap(), "ask a workspace admin", "no read does what a write was to do");
    assert_eq!(app.as_role(Role::Editor).call("create_thing", json!({"name": "x"})).await.status(), 200);
    assert_eq!(count(&app).await, 1);
}

async fn gate_5_honours_named_callers(app: &App) {
    assert_eq!(app.owner().refused("mission_thing", json!({"name": "x"})).await, "permission_denied");
}

#[both_databases]
async fn gate_5_refuses_writes_in_a_read_only_workspace(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| {
        row.settings.approval_mode = ApprovalMode::ReadOnly.as_str().into();
    })
    .await;
    assert_eq!(app.owner().refused("create_thing", json!({"name": "x"})).await, "permission_denied");
    assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "not_found");
    assert_eq!(count(&app).await, 0);
}

#[both_databases]
async fn gate_2_reads_what_a_model_can_only_mean(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let inner = "{\"name\":\"x\"}";
    let twice = json!(inner).to_string();
    let fenced = format!("```json\n{inner}\n```");
    for (at, text) in
        [inner, &twice, &json!(twice).to_string(), &fenced, &format!("[{inner}]")].into_iter().enumerate()
    {
        let model = app.owner().as_model(&format!("call_{at}"));
        let answer = model.call_raw("get_thing", Arguments::Text(text.to_owned())).await;
        assert!(matches!(answer.outcome, Outcome::Completed(_)), "{text}: {answer:?}");
        let program = app.owner().call_raw("get_thing", Arguments::Bytes(text.as_bytes().to_vec())).await;
        assert_eq!(
            matches!(program.outcome, Outcome::Completed(_)),
            text == inner,
            "programs are read to the letter: {text}"
        );
    }
}

#[both_databases]
async fn gate_2_guesses_nothing(db: TestDb) {
    let app = app(db).await;
    for text in [r#"[{"name":"x"},{"name":"y"}]"#, "[{},{}]", r#"["x"]"#, "[]", r#""x""#, "7"] {
        let answer = app.owner().as_model("m").call_raw("create_thing", Arguments::Text(text.into())).await;
        assert_eq!(answer.status(), 400, "{text}");
    }
    // Null is no arguments, of which this action needs one.
    for text in ["null", "\"null\""] {
        let answer = app.owner().as_model("m").call_raw("create_thing", Arguments::Text(text.into())).await;
        assert_eq!(answer.status(), 422, "{text}");
    }
    // The engine accepts what is unambiguous, because models write numbers and booleans as text.
    app.owner().as_model("n").done("create_thing", json!({"name": "x", "dangerous": "false"})).await;
    assert_eq!(
        app.owner().refused("create_thing", json!({"name": "y", "dangerous": "false"})).await,
        "invalid_arguments"
    );
    assert_eq!(count(&app).await, 1);
}

#[both_databases]
async fn gate_4_unwraps_the_dispatcher(db: TestDb) {
    let app = app(db).await;
    let inside = json!({"action": "platform_guarded_thing", "params": {"name": "x"}});
    assert_eq!(app.owner().done("execute", inside).await["name"], "x");
    // The engine accepts what can have only one meaning for a model: the action under another key, and a
    // parameter beside that key instead of in `params`.
    let beside = json!({"tool": "guarded_thing", "name": "y"});
    assert_eq!(app.owner().as_model("m").done("execute", beside).await["name"], "y");
    assert_eq!(count(&app).await, 2);
}

#[both_databases]
async fn gate_5_runs_a_promoted_action_through_the_dispatcher_for_those_who_may_call_it(db: TestDb) {
    let app = app(db).await;
    let inside = json!({"action": "platform_create_thing", "params": {"name": "x"}});
    let viewer = app.as_role(Role::Viewer).as_model("v");
    assert_eq!(viewer.refused("execute", inside.clone()).await, "permission_denied");
    assert_eq!(app.owner().as_model("m").done("execute", inside).await["name"], "x");
}

async fn gate_10_says_what_took_too_long(app: &App) {
    let outside = app.as_role(Role::Admin).problem("poke", json!({"name": "slow"})).await;
    assert_eq!(outside.detail, "the external service did not answer in time; nothing was done");
    let inside = app.owner().problem("slow_read", json!({"name": "slow"})).await;
    assert_eq!(
        (inside.code.as_str(), &*inside.detail),
        ("timeout", "the call took too long; nothing was done")
    );
}

async fn gate_6_validates_and_resolves(app: &App) {
    let problem = app.owner().problem("create_thing", json!({"confirmed": true})).await;
    assert_eq!(problem.code.as_str(), "invalid_arguments");
    let pointers: Vec<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
    assert!(pointers.contains(&"/name") && pointers.contains(&"/confirmed"), "{pointers:?}");
    assert_eq!(app.owner().refused("delete_thing", json!({"name": "nothing"})).await, "not_found");
}

#[both_databases]
async fn gate_8_asks_and_parameters_raise_the_level(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let answer = app.owner().call("delete_thing", json!({"name": "x"})).await;
    let Outcome::Waiting(waiting) = answer.outcome else { panic!("{answer:?}") };
    assert_eq!(waiting.confirmation.warning.as_deref(), Some("It goes for good."));
    app.owner().pending("create_thing", json!({"name": "y", "dangerous": true})).await;
    assert_eq!(count(&app).await, 1, "nothing ran");
}

async fn gate_10_a_read_that_writes_fails_in_the_database(app: &App) {
    let problem = app.owner().problem("rogue_read", json!({"name": "x"})).await;
    assert_eq!(problem.status, 500);
    assert!(
        !problem.detail.contains("SQL") && !problem.detail.to_lowercase().contains("read"),
        "{}",
        problem.detail
    );
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row = toolcrib_store::workspaces::get(&mut tx).await.unwrap().unwrap();
    assert!(!row.name.ends_with('!'));
    tx.end().await.unwrap();
}

#[both_databases]
async fn gate_10_takes_back_what_failed_half_way(db: TestDb) {
    let app = app(db).await;
    assert_eq!(app.owner().refused("half_thing", json!({"name": "x"})).await, "conflict");
    assert_eq!(app.owner().problem("panic_thing", json!({"name": "y"})).await.status, 500);
    assert_eq!(app.owner().refused("slow_thing", json!({"name": "z"})).await, "timeout");
    assert_eq!(count(&app).await, 0);
    app.owner().done("create_thing", json!({"name": "x"})).await;
    assert_eq!(count(&app).await, 1);
}

async fn external_actions_run_for_admins(app: &App) {
    assert_eq!(app.as_role(Role::Editor).refused("poke", json!({"name": "x"})).await, "permission_denied");
    app.as_role(Role::Admin).done("poke", json!({"name": "x"})).await;
}

/// On SQLite alone, where a call passes the gates on a reader before it gets its turn with the one writer.
#[tokio::test(flavor = "multi_thread")]
async fn a_right_removed_before_the_writers_turn_is_gone() {
    let app = app(sqlite().await).await;
    let sql = "BEGIN IMMEDIATE; UPDATE members SET role = 'viewer' WHERE role = 'editor'";
    let taken = app.db.open_transaction(sql).await;
    let editor = app.as_role(Role::Editor);
    let mut call = std::pin::pin!(editor.problem("create_thing", json!({"name": "x"})));
    let waits = tokio::time::timeout(std::time::Duration::from_millis(300), &mut call).await;
    assert!(waits.is_err(), "it waits for the writer's turn: {waits:?}");
    let (problem, ()) = tokio::join!(call, taken.commit());
    assert!(
        problem.code.as_str() == "permission_denied" && problem.detail.ends_with("your role is `viewer`"),
        "{problem:?}"
    );
    assert_eq!(count(&app).await, 0);
}

async fn set_role(app: &App, user: Id, role: &str, active: bool) {
    let done = write(&app.db, app.a.workspace, async |tx| {
        toolcrib_store::members::update(tx, user, role, active, NOW).await
    })
    .await
    .unwrap();
    assert!(done);
}

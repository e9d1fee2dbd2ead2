//! Settings: who may weaken them, limits, versions.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_actions::Infrastructure;
use toolcrib_assistant::{OperatorProvider, Providers};
use toolcrib_connectors::llm::ModelFormat;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{FakeModel, TestDb, both_databases};

use crate::harness::{App, add, pointers, system, with_cipher};

#[both_databases]
async fn settings_change_and_say_what_changed(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let answer = admin.call("settings.update", json!({"default_model": "gpt-4o"})).await;
    assert_eq!(pointers(&answer), ["/default_model"]);
    app.owner().done("install_model", json!({"model": "gpt-4o"})).await;
    let before = admin.done("settings.get", json!({})).await;
    let wish = json!({
        "approval_mode": "confirm_writes", "four_eyes": true, "default_model": "gpt-4o",
        "if_match": format!("\"{}\"", before["version"].as_str().unwrap())
    });
    let done = admin.done("settings.update", wish.clone()).await;
    assert_eq!(done["changed_fields"], json!(["approval_mode", "four_eyes", "default_model"]));
    let after = admin.done("settings.get", json!({})).await;
    assert_eq!((&after["approval_mode"], &after["version"]), (&json!("confirm_writes"), &done["version"]));
    assert_ne!(before["version"], after["version"]);
    // The version that was read is out of date now.
    assert_eq!(admin.refused("settings.update", wish).await, "precondition_failed");
    let same =
        admin.done("settings.update", json!({"approval_mode": "confirm_writes", "if_match": "*"})).await;
    assert_eq!(same["changed"], json!(false));
    // Adding members or keys does not change the settings' version.
    add(&app, "somebody", Role::Viewer).await;
    assert_eq!(admin.done("settings.get", json!({})).await["version"], after["version"]);
    // In this mode, a write of the catalogue needs a confirmation. Administration does not.
    app.owner().pending("create_agent", json!({"name": "x"})).await;
}

#[both_databases]
async fn a_model_of_an_upstream_is_named_with_it(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let owner = app.owner();
    let upstream = json!({
        "name": "resp", "kind": "openai", "base_url": "https://models.example/v1", "auth": {"kind": "bearer"},
        "models": ["resp-1"]
    });
    owner.done("upstreams.create", upstream).await;
    for wrong in ["resp-1", "resp/resp-2"] {
        let problem = owner.problem("settings.update", json!({"default_model": wrong})).await;
        let error = &problem.errors[0];
        assert_eq!((error.pointer.as_str(), error.code.as_str()), ("/default_model", "not_installed"));
        assert!(problem.detail.starts_with("`default_model` must be"), "{problem:?}");
        for way in ["`platform_install_model`", "`GET /v1/assistant/models`"] {
            assert!(error.message.contains(way), "{problem:?}");
        }
    }
    owner.done("create_agent", json!({"name": "One"})).await;
    let model = json!("resp/resp-1");
    for (action, arguments) in [
        ("create_agent", json!({"name": "Two", "model": model})),
        ("update_agent", json!({"agent": "One", "model": model})),
    ] {
        assert_eq!(owner.done(action, arguments).await["model"], model, "{action}");
    }
    let done = app.as_role(Role::Admin).done("settings.update", json!({"default_model": model})).await;
    assert_eq!(done["default_model"], model);
}

#[both_databases]
async fn a_default_model_may_be_the_operators(db: TestDb) {
    let client = Arc::new(FakeModel::start().await.client(ModelFormat::OpenAi));
    let operator = Some(OperatorProvider::new("local", client, &["m-one", "m-two"]));
    let models = Arc::new(Providers { operator, ..Providers::default() });
    let app = App::with(db, &Infrastructure { models, ..Infrastructure::default() }).await;
    let admin = app.as_role(Role::Admin);
    let done = admin.done("settings.update", json!({"default_model": "m-two"})).await;
    assert_eq!(done["default_model"], "m-two");
    let unknown = json!({"default_model": "m-six"});
    assert_eq!(admin.refused("settings.update", unknown).await, "invalid_arguments");
}

#[both_databases]
async fn weakening_needs_the_owner(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    admin.done("settings.update", json!({"approval_mode": "read_only", "four_eyes": true})).await;
    for weaker in [
        json!({"approval_mode": "confirm_writes"}),
        json!({"approval_mode": "standard"}),
        json!({"four_eyes": false}),
        json!({"agents_inherit_admin": true}),
    ] {
        assert_eq!(admin.refused("settings.update", weaker.clone()).await, "permission_denied");
        assert_eq!(owner.done("settings.update", weaker).await["changed"], json!(true));
    }
    admin.done("settings.update", json!({"agents_inherit_admin": false})).await;
}

#[both_databases]
async fn four_eyes_need_two(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("members.update", json!({"user_id": app.a.admin, "active": false})).await;
    assert_eq!(owner.refused("settings.update", json!({"four_eyes": true})).await, "conflict");
    owner.done("members.update", json!({"user_id": app.a.admin, "active": true})).await;
    owner.done("settings.update", json!({"four_eyes": true})).await;
}

/// Each way to lose one of the last two approvers is refused. Each is allowed if there is a third.
#[both_databases]
async fn with_four_eyes_two_stay(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("settings.update", json!({"four_eyes": true})).await;
    let ways = |id: Id| {
        [
            ("members.update", json!({"user_id": id, "role": "editor"})),
            ("members.update", json!({"user_id": id, "active": false})),
            ("members.remove", json!({"user_id": id})),
        ]
    };
    for (action, arguments) in ways(app.a.admin) {
        let problem = owner.problem(action, arguments).await;
        assert_eq!((problem.status, problem.code.as_str()), (409, "conflict"), "{action}");
        assert!(problem.detail.contains("four eyes"), "{}", problem.detail);
    }
    // Changes are allowed if the member keeps a role that may approve, or did not have one.
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "owner"})).await;
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "admin"})).await;
    owner.done("members.update", json!({"user_id": app.a.editor, "role": "viewer"})).await;
    for n in 0..3 {
        let third = add(&app, &format!("third-{n}"), Role::Admin).await;
        let (action, arguments) = ways(third)[n].clone();
        owner.done(action, arguments).await;
    }
    // The owner is not the last owner, but one of only two approvers.
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "owner"})).await;
    assert_eq!(owner.refused("members.remove", json!({"user_id": app.a.owner})).await, "conflict");
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "admin"})).await;
    // Without four eyes, one approver is enough.
    owner.done("settings.update", json!({"four_eyes": false})).await;
    owner.done("members.remove", json!({"user_id": app.a.admin})).await;
}

/// Of two concurrent changes, one that requires two approvers and one that leaves only one, exactly one is
/// refused.
#[both_databases]
async fn four_eyes_and_a_demotion_at_once(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (mut on, mut gone) = (0, 0);
    for round in 0..10 {
        app.clock.advance(5);
        let (switched, demoted) = tokio::join!(
            owner.call("settings.update", json!({"four_eyes": true})),
            owner.call("members.update", json!({"user_id": app.a.admin, "role": "editor"})),
        );
        let done = |answer: &CallResponse| matches!(answer.outcome, Outcome::Completed(_));
        let (switched, demoted) = (done(&switched), done(&demoted));
        assert!(switched != demoted, "round {round}: {switched} {demoted}");
        (on, gone) = (on + usize::from(switched), gone + usize::from(demoted));
        owner.done("settings.update", json!({"four_eyes": false})).await;
        owner.done("members.update", json!({"user_id": app.a.admin, "role": "admin"})).await;
    }
    println!("four eyes against a demotion, {}: {on} switched on, {gone} demoted", app.db.kind());
}

#[both_databases]
async fn how_many_confirmations_may_be_open_is_a_setting(db: TestDb) {
    let app = App::new(db).await;
    let wish = json!({"open_confirmations": {"per_workspace": 2000}});
    let done = app.as_role(Role::Admin).done("settings.update", wish).await;
    assert_eq!(done["changed_fields"], json!(["open_confirmations"]));
    let now = app.owner().done("settings.get", json!({})).await;
    assert_eq!(now["open_confirmations"], json!({"per_workspace": 2000, "per_caller": 10}));
    let answer = app.owner().call("settings.update", json!({"open_confirmations": {"per_caller": 0}})).await;
    assert_eq!(pointers(&answer), ["/open_confirmations/per_caller"]);
}

#[both_databases]
async fn limits_are_a_system_admins(db: TestDb) {
    let app = App::new(db).await;
    let wish = json!({"limits": {"write_per_minute": 7, "client_per_minute": 9}});
    assert_eq!(app.owner().refused("settings.update", wish.clone()).await, "permission_denied");
    let same = app.owner().done("settings.update", json!({"limits": {"write_per_minute": 1_000_000}})).await;
    assert_eq!(same["changed"], json!(false));
    let system = system(&app, None, Some(app.a.workspace));
    let done = system.done("settings.update", wish).await;
    assert_eq!(
        done["limits"],
        json!({
            "write_per_minute": 7, "read_per_minute": 1_000_000, "external_per_minute": 1_000_000,
            "client_per_minute": 9, "write_share_percent": 60
        })
    );
    assert_eq!(system.refused("settings.update", json!({"four_eyes": true})).await, "permission_denied");
    assert_eq!(system.refused("platform_list_agents", json!({})).await, "permission_denied");
    assert_eq!(system.refused("members.list", json!({})).await, "permission_denied");
    for bad in [0, 1_000_001] {
        let answer = system.call("settings.update", json!({"limits": {"read_per_minute": bad}})).await;
        assert_eq!(pointers(&answer), ["/limits/read_per_minute"]);
    }
}

#[both_databases]
async fn pages_are_on_allowed_hosts(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for bad in [
        "http://ok.example/{id}",
        "https://ok.example/",
        "https://{id}.ok.example/x",
        "https://evil.example/{id}",
        "https://ok.example@evil.example/{id}",
        "https://ok.example\\@evil.example/{id}",
        "https://ok.example:444/{id}",
    ] {
        let answer = owner.call("settings.update", json!({"approve_url_template": bad})).await;
        assert_eq!(pointers(&answer), ["/approve_url_template"], "{bad}");
    }
    let wish = json!({"approve_url_template": "https://ok.example/approve?c={id}"});
    let done = owner.done("settings.update", wish).await;
    assert_eq!(done["approve_url_template"], json!("https://ok.example/approve?c={id}"));
    let none = owner.done("settings.update", json!({"approve_url_template": null})).await;
    assert_eq!((&none["approve_url_template"], &none["changed"]), (&Value::Null, &json!(true)));
}

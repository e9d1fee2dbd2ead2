//! Who may approve: only a person with their own token.

use serde_json::json;
use toolcrib_auth::Credential;
use toolcrib_engine::ApproveRequest;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases, change_workspace};

use crate::{
    people::{agent, decisions, rows, service, set_role},
    things::app,
};

#[both_databases]
async fn an_agent_never_approves(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.agents_inherit_admin = true).await;
    let worker = agent(&app, "worker", app.a.owner).await;
    let worker = app.as_identity(worker);
    let own = worker.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let anothers = app.owner().pending("create_thing", json!({"name": "y", "dangerous": true})).await;
    for id in [own, anothers] {
        assert_eq!(worker.approve(id).await.unwrap_err().code.as_str(), "permission_denied");
        assert_eq!(worker.deny(id, "no").await.unwrap_err().code.as_str(), "permission_denied");
        assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
        let denied = |what: &str| (what.to_owned(), Some("permission_denied".to_owned()));
        assert_eq!(
            decisions(&app, id).await,
            [denied("approve"), denied("deny")],
            "attempts are written down"
        );
        assert!(rows(&app, "confirmation", Some(id)).await.iter().all(|row| row.principal.kind == "agent"));
    }
    app.owner().approve(own).await.unwrap();
    assert_eq!(app.owner().confirmation(own).await.unwrap().status.as_str(), "executed");
}

#[both_databases]
async fn a_bare_service_key_never_approves(db: TestDb) {
    let app = app(db).await;
    let scopes = ["*:*", "act_as", "approvals:relay"];
    let service = service(&app, &scopes, None).await;
    let service = app.as_identity(service);
    let own = service.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    assert_eq!(service.approve(own).await.unwrap_err().code.as_str(), "permission_denied");
    assert_eq!(service.deny(own, "no").await.unwrap_err().code.as_str(), "permission_denied");
    assert_eq!(decisions(&app, own).await.len(), 2);
    app.owner().approve(own).await.unwrap();
}

#[both_databases]
async fn a_model_has_no_way_to_agree(db: TestDb) {
    let app = app(db).await;
    let model = app.owner().as_model("call_1");
    for name in
        ["platform_approve", "platform_approve_confirmation", "approve_confirmation", "confirmations.approve"]
    {
        let refused = model.call(name, json!({})).await;
        assert_eq!(refused.status(), 404, "{name}");
    }
    for sly in ["confirmed", "permission_level", "approve", "phrase"] {
        let arguments = json!({"name": "x", "dangerous": true, sly: true});
        assert_eq!(model.refused("create_thing", arguments).await, "invalid_arguments", "{sly}");
    }
    let id = model.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    assert_eq!(
        model.pending("create_thing", json!({"name": "x", "dangerous": true})).await,
        id,
        "asking again agrees to nothing"
    );
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
}

#[both_databases]
async fn approving_needs_a_role_that_may_run_the_action(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let admin = app.as_role(Role::Admin);
    // Asked while they were an admin; an editor may not delete.
    let id = admin.pending("delete_thing", json!({"name": "x"})).await;
    set_role(&app, app.a.admin, "editor").await;
    let denied = admin.approve_once(id, ApproveRequest::default()).await.unwrap_err();
    assert_eq!((denied.code.as_str(), denied.detail.contains("your own role")), ("permission_denied", true));
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
    assert_eq!(decisions(&app, id).await.len(), 1);
    set_role(&app, app.a.admin, "admin").await;
    admin.approve(id).await.unwrap();
}

#[both_databases]
async fn a_person_may_approve_a_call_meant_for_other_caller_types(db: TestDb) {
    let app = app(db).await;
    let mut mission = service(&app, &["*:*"], None).await;
    mission.requested.caller_type = Some("mission".into());
    if let Credential::Service(key) = &mut mission.credential {
        key.caller_types = vec!["mission".into()];
    }
    let owner = app.owner();
    assert_eq!(owner.refused("missions_own_thing", json!({"name": "x"})).await, "permission_denied");
    let id = app.as_identity(mission).pending("missions_own_thing", json!({"name": "x"})).await;
    owner.approve(id).await.unwrap();
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "executed");
}

#[both_databases]
async fn four_eyes_are_two_people(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.four_eyes = true).await;
    let owner = app.owner();
    let id = owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "permission_denied");
    // A call by a person's agent counts as the person's own.
    let worker = agent(&app, "worker", app.a.owner).await;
    let asked =
        app.as_identity(worker).pending("create_thing", json!({"name": "y", "dangerous": true})).await;
    assert_eq!(owner.approve(asked).await.unwrap_err().code.as_str(), "permission_denied");
    for id in [id, asked] {
        app.as_role(Role::Admin).approve(id).await.unwrap();
    }
}

#[both_databases]
async fn attempts_of_other_people_are_audited_and_learn_nothing(db: TestDb) {
    let app = app(db).await;
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let editor = app.as_role(Role::Editor).approve(id).await.unwrap_err();
    let nothing = app.as_role(Role::Editor).approve(toolcrib_model::Id::from_u128(7)).await.unwrap_err();
    assert_eq!(
        (editor.code, nothing.code),
        (toolcrib_model::ErrorCode::NotFound, toolcrib_model::ErrorCode::NotFound)
    );
    assert_eq!(
        editor.detail.replace(&id.to_string(), ""),
        nothing.detail.replace(&toolcrib_model::Id::from_u128(7).to_string(), "")
    );
    assert_eq!(decisions(&app, id).await, [("approve".to_owned(), Some("not_found".to_owned()))]);
    assert_eq!(app.as_role_b(Role::Owner).approve(id).await.unwrap_err().code.as_str(), "not_found");
}

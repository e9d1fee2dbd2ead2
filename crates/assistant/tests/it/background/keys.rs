//! Work that keys set up.

use toolcrib_auth::{Authenticated, RequestedContext};

use super::*;

/// Sets a heartbeat up with the key, which the owner confirms.
async fn heartbeat_of(app: &App, key: Authenticated) {
    let arguments = json!({ "agent": "Worker", "interval_minutes": 15, "mode": "act" });
    let waits = app.as_identity(key).pending("platform_configure_agent_heartbeat", arguments).await;
    app.owner().approve(waits).await.unwrap();
}

#[both_databases]
async fn a_key_that_acts_for_an_owner_has_at_most_the_role_editor(db: TestDb) {
    let app = internal(db).await;
    heartbeat_of(&app, app.key_for_owner("api", &["*:*", "act_as"]).await).await;
    app.model.script([LlmReply::calls([("platform_list_agents", json!({}))]), LlmReply::text(["One."])]);
    later(&app, 901).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "completed");
    let calls = "SELECT COUNT(*) FROM action_log WHERE caller_type = 'heartbeat' AND role = 'editor'";
    assert_eq!(app.db.number(calls).await, 1);
}

#[both_databases]
async fn the_work_of_a_key_ends_when_it_has_expired(db: TestDb) {
    let app = internal(db).await;
    heartbeat_of(&app, app.key_for_owner("api", &["*:*", "act_as"]).await).await;
    app.db.raw_sql("UPDATE keys SET expires_at = 1").await;
    later(&app, 901).await;
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(
        (&run["error"]["code"], &run["error"]["detail"]),
        (&json!("permission_denied"), &json!("the key has expired")),
    );
    assert_eq!(app.db.number("SELECT COUNT(*) FROM heartbeats WHERE enabled = TRUE").await, 0);
    assert_eq!(app.model.requests().len(), 0);
}

#[both_databases]
async fn a_key_without_the_scope_for_the_assistant_has_no_runs(db: TestDb) {
    let app = internal(db).await;
    heartbeat_of(&app, app.key_for_owner("api", &["agents:*", "act_as"]).await).await;
    later(&app, 901).await;
    assert_eq!(ended(&app, 1).await[0]["error"]["code"], "permission_denied");
    assert_eq!(app.model.requests().len(), 0);
}

#[both_databases]
async fn a_key_chats_where_it_may_call_as_chat(db: TestDb) {
    let app = App::idle(db).await;
    let backend = app.key_for_owner("api", &["*:*", "act_as"]).await;
    let start = json!({ "thread": "a", "message": "Hello" });
    let problem = app.as_identity(backend.clone()).problem("assistant.start_run", start.clone()).await;
    assert_eq!(problem.detail, "this key may not call as `chat`");
    app.db.raw_sql(r#"UPDATE keys SET caller_types = '["api", "chat"]'"#).await;
    app.as_identity(backend).done("assistant.start_run", start).await;
}

#[both_databases]
async fn a_key_starts_no_mission_of_the_assistant(db: TestDb) {
    let app = idle(db).await;
    let made = app.editor().confirmed("platform_create_mission", json!({ "goal": "Launch" })).await;
    let start = json!({ "id": made["id"] });
    let for_owner = app.key_for_owner("api", &["*:*", "act_as"]).await;
    let alone = Authenticated { requested: RequestedContext::default(), ..for_owner.clone() };
    for key in [for_owner, alone.clone()] {
        let key = app.as_identity(key);
        let problem = key.problem("missions.start", start.clone()).await;
        assert_eq!(problem.code.as_str(), "permission_denied", "{problem:?}");
        assert!(problem.hint.unwrap().contains("`platform_create_mission` with `auto_start`"));
        // That asks a person.
        key.pending("platform_create_mission", json!({ "goal": "Launch", "auto_start": true })).await;
    }
    assert_eq!(app.db.number("SELECT COUNT(*) FROM assistant_runs").await, 0);
    // What programs do, a key starts.
    app.owner().done("settings.update", json!({ "runner": "external" })).await;
    assert_eq!(app.as_identity(alone).done("missions.start", start).await["state"], "running");
}

//! Session grants over HTTP.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, Client};

async fn remembered(client: &Client<'_>, name: &str) {
    let asked = client.run("create_agent", json!({ "name": name })).await.ok(202);
    assert_eq!(asked["confirmation"]["allow_session_grant"], true, "{asked}");
    client.approve(&asked, json!({"remember": "session"})).await.ok(200);
}

#[both_databases]
async fn a_grant_is_given_listed_and_revoked(db: TestDb) {
    let app = App::new(db).await;
    app.owner().send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let editor = app.as_role(Role::Editor).with("X-Session-Id", "chat 1");
    remembered(&editor, "One").await;
    assert_eq!(editor.run("create_agent", json!({"name": "Two"})).await.ok(200)["granted_by"], "session");
    let checked =
        editor.post("/v1/actions/platform_create_agent/check", json!({"name": "Three"})).await.ok(200);
    assert_has(&checked, json!({"requires_confirmation": false, "granted_by": "session"}));
    let place = "/v1/sessions/chat%201/grants";
    let listed = editor.get(place).await.ok(200);
    let grant = &listed["items"][0];
    assert_eq!(
        (&grant["action"], &grant["principal_kind"], &listed["next_cursor"]),
        (&json!("platform_create_agent"), &json!("user"), &json!(null))
    );
    assert_eq!(app.as_role(Role::Viewer).get(place).await.ok(200)["items"], json!([]));
    assert_eq!(app.as_role_b(Role::Owner).get(place).await.ok(200)["items"], json!([]));
    assert_eq!(app.as_role(Role::Admin).get(place).await.ok(200)["items"].as_array().unwrap().len(), 1);
    let one = format!("{place}/{}", grant["id"].as_str().unwrap());
    app.as_role(Role::Viewer).raw("DELETE", &one, None, "").await.problem(404, "not_found");
    app.as_role_b(Role::Owner).raw("DELETE", &one, None, "").await.problem(404, "not_found");
    editor.raw("DELETE", &format!("{place}/rubbish"), None, "").await.problem(404, "not_found");
    editor.raw("DELETE", &format!("{place}?all=true"), None, "").await.problem(422, "invalid_arguments");
    assert_eq!(editor.raw("DELETE", &one, None, "").await.ok(200), json!({"revoked": 1}));
    editor.raw("DELETE", &one, None, "").await.problem(404, "not_found");
    let asked = editor.run("create_agent", json!({"name": "Three"})).await.ok(202);
    editor.approve(&asked, json!({"remember": "session"})).await.ok(200);
    assert_eq!(app.as_role(Role::Admin).raw("DELETE", place, None, "").await.ok(200), json!({"revoked": 1}));
    assert_eq!(editor.raw("DELETE", place, None, "").await.ok(200), json!({"revoked": 0}));
    let audited = app.owner().get("/v1/audit?kind=grant").await.ok(200);
    assert_eq!(audited["items"].as_array().unwrap().len(), 4, "{audited}");
}

#[both_databases]
async fn only_what_may_be_remembered_is(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner().with("X-Session-Id", "chat 1");
    owner.run("create_agent", json!({"name": "One"})).await.ok(200);
    let asked = owner.run("delete_agent", json!({"agent": "One"})).await.ok(202);
    assert_eq!(asked["confirmation"]["allow_session_grant"], false);
    let problem =
        owner.approve(&asked, json!({"remember": "session"})).await.problem(422, "invalid_arguments");
    assert_eq!(problem["errors"][0]["pointer"], "/remember");
    owner.approve(&asked, json!({"remember": "forever"})).await.problem(422, "invalid_arguments");
    app.owner().send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let without = app.owner().run("create_agent", json!({"name": "Two"})).await.ok(202);
    assert_eq!(
        without["confirmation"]["allow_session_grant"], false,
        "no conversation, nothing to remember it for"
    );
    app.owner().approve(&without, json!({"remember": "session"})).await.problem(422, "invalid_arguments");
}

#[both_databases]
async fn all_grants_of_a_workspace_are_listed_and_revoked(db: TestDb) {
    let app = App::new(db).await;
    app.owner().send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let (editor, admin) = (app.as_role(Role::Editor), app.as_role(Role::Admin));
    for (client, session) in [(&editor, "chat 1/a"), (&editor, "chat 2"), (&admin, "chat 3")] {
        app.clock.advance(1);
        remembered(&client.with("X-Session-Id", session), &format!("Of {}", &session[..6])).await;
    }
    let sessions = |listed: &Value| -> Vec<String> {
        let items = listed["items"].as_array().unwrap().iter();
        items.map(|item| item["session"].as_str().unwrap().to_owned()).collect()
    };
    let all = admin.get("/v1/grants").await.ok(200);
    assert_eq!(sessions(&all), ["chat 3", "chat 2", "chat 1/a"]);
    let grant = &all["items"][2];
    for field in ["id", "principal_id", "user_id", "granted_by", "granted_at", "expires_at"] {
        assert!(grant[field].is_string(), "{field}: {grant}");
    }
    for field in ["principal_name", "user_name", "granted_by_name"] {
        assert!(grant.get(field).is_some_and(Value::is_null), "{field}: {grant}");
    }
    assert_has(grant, json!({"action": "platform_create_agent", "principal_kind": "user"}));
    assert_eq!(sessions(&editor.get("/v1/grants").await.ok(200)), ["chat 2", "chat 1/a"]);
    assert_eq!(sessions(&admin.get("/v1/grants?session=chat%202").await.ok(200)), ["chat 2"]);
    for stranger in [app.as_role(Role::Viewer), app.as_role_b(Role::Owner)] {
        assert_eq!(stranger.get("/v1/grants").await.ok(200)["items"], json!([]));
    }
    let first = admin.get("/v1/grants?limit=2").await.ok(200);
    let rest =
        admin.get(&format!("/v1/grants?limit=2&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!((sessions(&first).len(), sessions(&rest.ok(200))), (2, vec!["chat 1/a".to_owned()]));
    admin.get("/v1/grants?limit=0").await.problem(422, "invalid_arguments");
    admin.get("/v1/grants?all=true").await.problem(422, "invalid_arguments");
    // What is listed is revoked by its session and ID, by those who see it.
    let place = format!("/v1/sessions/chat%201%2Fa/grants/{}", grant["id"].as_str().unwrap());
    app.as_role(Role::Viewer).raw("DELETE", &place, None, "").await.problem(404, "not_found");
    assert_eq!(admin.raw("DELETE", &place, None, "").await.ok(200), json!({"revoked": 1}));
    assert_eq!(sessions(&editor.get("/v1/grants").await.ok(200)), ["chat 2"]);
    let rows = app.owner().get("/v1/audit?action=grants.list&outcome=succeeded").await.ok(200);
    assert_eq!(rows["items"].as_array().unwrap().len(), 7, "{rows}");
}

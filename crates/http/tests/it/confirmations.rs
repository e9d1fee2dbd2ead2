//! Confirmations over HTTP.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases, confirmation_path, provider::read};

use crate::harness::{App, Client, openai};

/// Calls the deletion of a new agent, which waits for a confirmation. Returns the confirmation's path.
async fn asked(owner: &Client<'_>, name: &str) -> String {
    owner.run("create_agent", json!({ "name": name })).await.ok(200);
    let reply = owner.run("delete_agent", json!({ "agent": name })).await;
    let place = reply.header("location").to_owned();
    let body = reply.ok(202);
    assert_eq!((&body["ok"], &body["status"]), (&json!(false), &json!("confirmation_required")));
    assert_eq!(place, confirmation_path(&body));
    place
}

#[both_databases]
async fn a_typed_approval_takes_two_steps(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let place = asked(&owner, "One").await;
    let open = owner.get(&place).await.ok(200);
    assert_eq!((&open["status"], &open["level"]), (&json!("pending"), &json!("typed")));
    assert_eq!(open["phrase"], "One");
    let first = owner.post(&format!("{place}/approve"), json!({"phrase": "One"})).await.ok(202);
    assert_eq!(first, json!({"status": "phrase_required", "phrase": "One"}));
    for other in ["platform_delete_agent", "one", "One ", " One"] {
        let near = owner.post(&format!("{place}/approve"), json!({ "phrase": other })).await;
        near.problem(422, "phrase_mismatch");
    }
    let ran = owner.post(&format!("{place}/approve"), json!({"phrase": first["phrase"]})).await.ok(200);
    assert_eq!((&ran["data"]["deleted"], &ran["granted_by"]), (&json!(true), &json!("user")));
    owner.post(&format!("{place}/approve"), json!({})).await.problem(409, "already_decided");
    let done = owner.get(&format!("{place}?wait=60")).await.ok(200);
    assert_eq!((&done["status"], &done["result"]["ok"]), (&json!("executed"), &json!(true)));
}

#[both_databases]
async fn a_denial_ends_it(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let place = asked(&owner, "One").await;
    let denied = owner.post(&format!("{place}/deny"), json!({"reason": "not now"})).await.ok(200);
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("not now")));
    owner.post(&format!("{place}/approve"), json!({})).await.problem(409, "already_decided");
    owner.run("get_agent", json!({"agent": "One"})).await.ok(200);
    let listed = owner.get("/v1/confirmations?status=denied").await.ok(200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn only_who_may_see_it_sees_it(db: TestDb) {
    let app = App::new(db).await;
    let place = asked(&app.owner(), "One").await;
    for stranger in [app.as_role(Role::Viewer), app.as_role_b(Role::Owner)] {
        stranger.get(&place).await.problem(404, "not_found");
        stranger.post(&format!("{place}/approve"), json!({})).await.problem(404, "not_found");
        assert_eq!(stranger.get("/v1/confirmations").await.ok(200)["items"], json!([]));
    }
    app.owner().get("/v1/confirmations/rubbish").await.problem(404, "not_found");
    app.owner()
        .post(&format!("{place}/approve"), json!({"confirmed": true}))
        .await
        .problem(422, "invalid_arguments");
}

#[both_databases]
async fn the_conversation_gets_the_final_answer(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.run("create_agent", json!({"name": "One"})).await.ok(200);
    let call = openai(
        "call_1",
        "platform_execute",
        &json!({"action": "platform_delete_agent", "params": {"agent": "One"}}),
    );
    let turn = owner.post("/v1/tools/calls", json!({"tool_calls": [call]})).await.ok(200);
    assert_eq!(turn["results"][0]["status"], "confirmation_required", "{turn}");
    let id = turn["results"][0]["confirmation"]["id"].as_str().unwrap();
    assert!(turn["messages"][0]["content"].as_str().unwrap().contains(id));
    let place = format!("/v1/confirmations/{id}");
    assert_eq!(owner.get(&place).await.ok(200)["messages"], Value::Null);
    owner.post(&format!("{place}/approve"), json!({})).await.ok(202);
    let ran = owner.post(&format!("{place}/approve"), json!({"phrase": "One"})).await.ok(200);
    assert_eq!(ran["messages"][0]["tool_call_id"], "call_1");
    assert!(ran["messages"][0]["content"].as_str().unwrap().contains("completed"));
    assert_eq!(owner.get(&place).await.ok(200)["messages"], ran["messages"]);
}

#[both_databases]
async fn an_inbox_is_one_request(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin) = (app.owner().with("X-Session-Id", "talk-1"), app.as_role(Role::Admin));
    let place = asked(&owner, "One").await;
    asked(&admin, "Two").await;
    asked(&admin, "Three").await;
    let first = "/v1/confirmations?status=open&decidable=true&limit=2";
    let page = admin.get(first).await.ok(200);
    let rest = admin.get(&format!("{first}&cursor={}", page["next_cursor"].as_str().unwrap())).await.ok(200);
    assert_eq!((page["items"].as_array().unwrap().len(), rest["items"].as_array().unwrap().len()), (2, 1));
    let shown = &rest["items"][0];
    assert_eq!(
        shown["can_decide"],
        json!({"allowed": true, "reason": null, "needs_sign_in": false, "unchanged_only": false})
    );
    assert_eq!((&shown["requester"]["name"], &shown["decided_by_name"]), (&Value::Null, &Value::Null));
    let talk = admin.get("/v1/confirmations?session=talk-1").await.ok(200);
    assert_eq!(talk["items"].as_array().unwrap().len(), 1);
    owner.post(&format!("{place}/deny"), json!({})).await.ok(200);
    let denied = owner.get("/v1/confirmations?status=ended&decidable=false&session=talk-1").await.ok(200);
    assert_eq!(
        denied["items"][0]["can_decide"],
        json!({
            "allowed": false, "reason": "the confirmation is already decided: `denied`",
            "needs_sign_in": false, "unchanged_only": false
        })
    );
    assert_eq!(owner.get("/v1/confirmations?status=ended&decidable=true").await.ok(200)["items"], json!([]));
}

#[both_databases]
async fn wrong_filters_are_named(db: TestDb) {
    let app = App::new(db).await;
    let long = "x".repeat(201);
    for (filter, pointer) in [
        ("status=opened", "/status"),
        ("decidable=maybe", "/decidable"),
        ("session=", "/session"),
        (&format!("session={long}"), "/session"),
        ("decided=true", "/decided"),
        ("status=open&status=ended", "/status"),
    ] {
        let refused = app.owner().get(&format!("/v1/confirmations?{filter}")).await;
        let refused = refused.problem(422, "invalid_arguments");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
        assert!(refused["errors"][0]["message"].as_str().is_some_and(|text| !text.is_empty()), "{refused}");
    }
}

#[both_databases]
async fn what_was_repaired_is_told_to_who_decides(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let call = (
        "call_1",
        "platform_create_task",
        json!({"title": "Mended", "description": "d", "tags": "[\"a\", \"b\"]"}),
    );
    let asked = owner.calls(&[call]).await.ok(200)["results"][0].take();
    assert_eq!(asked["status"], "confirmation_required", "{asked}");
    let place = confirmation_path(&asked);
    let open = owner.get(&place).await.ok(200);
    assert_eq!(open["arguments"]["tags"], json!(["a", "b"]));
    assert_eq!(open["repaired"], json!(["/tags"]));
    let listed = owner.get("/v1/confirmations?status=open").await.ok(200);
    assert_eq!(listed["items"][0]["repaired"], json!(["/tags"]));
    let log = owner.get("/v1/audit?action=platform_create_task&limit=1").await.ok(200);
    assert_eq!(log["items"][0]["repaired"], open["repaired"], "as in the audit log");
    let ran = owner.post(&format!("{place}/approve"), json!({})).await.ok(200);
    assert_eq!(ran["data"]["tags"], json!(["a", "b"]));
    assert_eq!(owner.get(&place).await.ok(200)["repaired"], json!(["/tags"]), "also after the decision");

    // What a person wrote in place of it was not repaired.
    let call =
        ("call_2", "platform_create_task", json!({"title": "Edited", "description": "d", "tags": "[\"a\"]"}));
    let asked = owner.calls(&[call]).await.ok(200)["results"][0].take();
    let place = confirmation_path(&asked);
    let edited = json!({"arguments": {"title": "Edited", "description": "d", "tags": ["c"]}});
    owner.post(&format!("{place}/approve"), edited).await.ok(200);
    assert_eq!(owner.get(&place).await.ok(200)["repaired"], json!([]));
    // A call that was right has nothing.
    let right = owner.run("create_task", json!({"title": "Right", "description": "d"})).await.ok(202);
    let right = confirmation_path(&right);
    assert_eq!(owner.get(&right).await.ok(200)["repaired"], json!([]));
}

#[both_databases]
async fn a_change_that_another_one_of_its_turn_replaces_is_told_so(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.run("create_agent", json!({"name": "Scout"})).await.ok(200);
    owner.send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let change = |id, field: &str| (id, "platform_update_agent", json!({"agent": "Scout", field: "new"}));
    let other = ("c3", "platform_create_task", json!({"title": "Other", "description": "d"}));
    let turn = [change("c1", "description"), change("c2", "system_prompt"), other, change("c4", "name")];
    let answer = owner.calls(&turn).await.ok(200);
    let of_results = |field: &str| {
        answer["results"].as_array().unwrap().iter().map(|r| r[field].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        of_results("status"),
        ["refused", "refused", "confirmation_required", "confirmation_required"]
    );
    assert_eq!(of_results("tool_call_id"), ["c1", "c2", "c3", "c4"]);
    for (call, asked_for) in of_results("call_id").iter().zip(["description", "system_prompt"]) {
        let row = owner.get(&format!("/v1/audit/{}", call.as_str().unwrap())).await.ok(200);
        assert_eq!(row["arguments"][asked_for], "new", "{row}");
    }
    let told = |at: usize| read("openai", &answer["messages"][at]).1;
    let last = &answer["results"][3];
    let new = last["confirmation"]["id"].as_str().unwrap();
    assert_eq!(told(1)["error"], "void", "{answer}");
    assert!(told(1)["message"].as_str().unwrap().contains(new), "by what it was replaced: {answer}");
    let old = last["supersedes"][0].as_str().unwrap();
    assert!(told(0)["message"].as_str().unwrap().contains(old), "{answer}");
    assert!(told(3)["message"].as_str().unwrap().contains("an earlier call on the same target"), "{answer}");
    assert_eq!(told(2)["status"], "confirmation_required", "another target waits for itself");

    // Whoever asks for the first one later reads the same.
    let view = owner.get(&format!("/v1/confirmations/{old}")).await.ok(200);
    assert_eq!(view["status"], "superseded");
    assert!(view["reason"].as_str().unwrap().contains(new), "{view}");
    // Over REST each call has its own response, and the later one names what it replaced.
    let later = owner.run("update_agent", json!({"agent": "Scout", "description": "last"})).await.ok(202);
    assert_eq!(later["supersedes"], json!([new]));
    owner.approve(&later, json!({})).await.ok(200);
}

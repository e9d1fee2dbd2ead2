//! Decisions: relayed ones, calls that wait for one, and the messages for the conversation afterwards.

use std::time::Duration;

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{
    TestDb, both_databases, confirmation_path, eventually,
    provider::{FORMATS, call, read},
};

use crate::harness::{App, Client};

/// A service key of workspace A.
pub async fn key(app: &App, scopes: Value) -> String {
    app.new_key(json!({ "scopes": scopes })).await["secret"].as_str().unwrap().to_owned()
}

fn bearer<'a>(app: &'a App, secret: &str, on_behalf_of: &str) -> Client<'a> {
    app.anonymous().bearer(secret).with("X-On-Behalf-Of", on_behalf_of)
}

/// The user id of workspace A's member with this role.
pub async fn user(app: &App, role: Role) -> String {
    app.as_role(role).get("/v1/me").await.ok(200)["user"]["user_id"].as_str().unwrap().to_owned()
}

pub async fn confirm_writes(app: &App) {
    app.owner().send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
}

/// A model's call that waits for a confirmation, brought to the end `ending`. Returns the confirmation
/// afterwards and the response to the decision.
async fn ended(app: &App, format: &str, ending: &str) -> (Value, Option<Value>) {
    // A new token in each round, because the clock advances.
    let owner = app.owner();
    let name = format!("{format}-{ending}");
    owner.run("create_agent", json!({"name": name})).await.ok(200);
    let calls = [call(format, "call_7", "platform_delete_agent", &json!({"agent": name}))];
    let turn = owner.post("/v1/tools/calls", json!({"format": format, "tool_calls": calls})).await.ok(200);
    let (id, waiting) = read(format, &turn["messages"][0]);
    assert_eq!((id.as_str(), &waiting["status"]), ("call_7", &json!("confirmation_required")), "{turn}");
    let place = format!("/v1/confirmations/{}", waiting["confirmation_id"].as_str().unwrap());
    assert_eq!(owner.get(&place).await.ok(200).get("messages"), None, "while it waits there is no answer");
    let (approve, phrase) = (format!("{place}/approve"), json!({ "phrase": name }));
    let direct = match ending {
        "deny" => Some(owner.post(&format!("{place}/deny"), json!({"reason": "not that one"})).await.ok(200)),
        "expire" => {
            app.clock.advance(901);
            None
        }
        _ => {
            owner.post(&approve, json!({})).await.ok(202);
            if ending == "void" {
                app.db.raw_sql("UPDATE agents SET version = version + 1").await;
                owner.post(&approve, phrase).await.problem(410, "void");
                None
            } else {
                Some(owner.post(&approve, phrase).await.ok(200))
            }
        }
    };
    (owner.get(&place).await.ok(200), direct)
}

#[both_databases]
async fn a_backend_relays_with_its_own_key(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (relay, plain) =
        (key(&app, json!(["approvals:relay"])).await, key(&app, json!(["*:read", "act_as"])).await);
    owner.run("create_agent", json!({"name": "One"})).await.ok(200);
    let asked = owner.run("delete_agent", json!({"agent": "One"})).await.ok(202);
    let place = confirmation_path(&asked);
    let approve = format!("{place}/approve");
    let user = user(&app, Role::Owner).await;
    bearer(&app, &plain, &user).post(&approve, json!({})).await.problem(403, "insufficient_scope");
    let backend = bearer(&app, &relay, &user);
    assert_eq!(backend.get(&place).await.ok(200)["status"], "pending");
    backend.post(&approve, json!({})).await.problem(403, "permission_denied");
    let (owners, admins) = (app.token("owner"), app.token("admin"));
    for bad in ["rubbish", admins.as_str(), relay.as_str()] {
        let problem =
            backend.post(&approve, json!({"user_token": bad})).await.problem(403, "permission_denied");
        assert!(!problem.to_string().contains(bad), "{problem}");
    }
    assert_eq!(
        backend.post(&approve, json!({"user_token": owners})).await.ok(202)["status"],
        "phrase_required"
    );
    let second = json!({"user_token": owners, "phrase": "One"});
    assert_eq!(backend.post(&approve, second).await.ok(200)["status"], "completed");
    let audited = owner.get("/v1/audit?kind=confirmation").await.ok(200);
    let counted = &audited["items"][0];
    assert_eq!((&counted["decision"], &counted["reason"]), (&json!("approved"), &json!("approve")));
    assert!(counted["relayed_by"].is_string(), "{counted}");
    assert!(!audited.to_string().contains(&owners), "no token is written down");
    assert_eq!(audited["items"].as_array().unwrap().len(), 7, "every attempt is written down");
}

#[both_databases]
async fn a_backend_relays_denials_but_not_of_its_own_calls(db: TestDb) {
    let app = App::new(db).await;
    confirm_writes(&app).await;
    let relay = key(&app, json!(["*:*", "act_as", "approvals:relay"])).await;
    let backend = bearer(&app, &relay, &user(&app, Role::Editor).await);
    let own = backend.run("create_agent", json!({"name": "One"})).await.ok(202);
    let place = confirmation_path(&own) + "/deny";
    backend.post(&place, json!({"reason": "no"})).await.problem(403, "permission_denied");
    let theirs = app.as_role(Role::Editor).run("create_agent", json!({"name": "Two"})).await.ok(202);
    let place = confirmation_path(&theirs) + "/deny";
    let denied = backend.post(&place, json!({"reason": "no"})).await.ok(200);
    assert_eq!((&denied["status"], denied["history"][1]["relayed_by"].is_string()), (&json!("denied"), true));
}

#[both_databases]
async fn each_provider_format_gets_one_final_message(db: TestDb) {
    let app = App::new(db).await;
    for format in FORMATS {
        for ending in ["approve", "deny", "expire", "void"] {
            let (view, direct) = ended(&app, format, ending).await;
            let messages = view["messages"].as_array().unwrap();
            assert_eq!(messages.len(), 1, "{view}");
            if let Some(direct) = direct {
                assert_eq!(direct["messages"], view["messages"], "{format} {ending}");
            }
            let (id, told) = read(format, &messages[0]);
            let (status, error) = match ending {
                "approve" => (json!("completed"), Value::Null),
                "deny" => (json!("refused"), json!("permission_denied")),
                "expire" => (json!("refused"), json!("expired")),
                _ => (json!("refused"), json!("void")),
            };
            assert_eq!(
                (id.as_str(), &told["status"], told.get("error").unwrap_or(&Value::Null)),
                ("call_7", &status, &error),
                "{format} {ending}"
            );
            assert_eq!(told["message"].to_string().contains("not that one"), ending == "deny", "{told}");
            assert_eq!(view["result"].is_object(), ending == "approve");
            if format == "anthropic" {
                assert_eq!(messages[0]["content"][0].get("is_error").is_some(), ending != "approve");
            }
        }
    }
}

#[both_databases]
async fn a_get_with_wait_returns_after_the_decision(db: TestDb) {
    let app = App::new(db).await;
    confirm_writes(&app).await;
    let (editor, owner) = (app.as_role(Role::Editor), app.owner());
    let asked = editor.run("create_agent", json!({"name": "One"})).await.ok(202);
    let place = confirmation_path(&asked);
    let begun = tokio::time::Instant::now();
    assert_eq!(editor.get(&format!("{place}?wait=1")).await.ok(200)["status"], "pending");
    assert!(begun.elapsed() >= Duration::from_secs(1), "it waited");
    let waiting = format!("{place}?wait=60");
    let begun = tokio::time::Instant::now();
    let mut looking = std::pin::pin!(editor.get(&waiting));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut looking).await;
    assert!(early.is_err(), "it waits while nobody decides");
    let approve = format!("{place}/approve");
    let (looked, ran) = tokio::join!(looking, owner.post(&approve, json!({})));
    let (looked, ran) = (looked.ok(200), ran.ok(200));
    assert_eq!((&looked["status"], &looked["result"]["call_id"]), (&json!("executed"), &ran["call_id"]));
    assert!(begun.elapsed() < Duration::from_secs(30), "it did not wait on");
    editor.get(&format!("{place}?wait=61")).await.problem(422, "invalid_arguments");
}

#[both_databases]
async fn a_turn_waits_for_the_decision(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.run("create_agent", json!({"name": "One"})).await.ok(200);
    let delete = |id: &str| call("openai", id, "platform_delete_agent", &json!({"agent": "One"}));
    let calls = [delete("a"), call("openai", "b", "platform_list_agents", &json!({})), delete("c")];
    let turn = owner.post("/v1/tools/calls", json!({"tool_calls": calls, "wait": 60}));
    let decide = async {
        let id = eventually("it is asked for", async || {
            let open = owner.get("/v1/confirmations?status=pending").await.ok(200);
            open["items"][0]["id"].as_str().map(str::to_owned)
        });
        let approve = format!("/v1/confirmations/{}/approve", id.await);
        // The second call of the same action must have joined the confirmation before it is decided.
        eventually("both calls are in the audit log", async || {
            let rows = owner.get("/v1/audit?action=platform_delete_agent").await.ok(200);
            rows["items"].as_array().is_some_and(|rows| rows.len() == 2)
        })
        .await;
        owner.post(&approve, json!({})).await.ok(202);
        owner.post(&approve, json!({"phrase": "One"})).await.ok(200);
    };
    let (turn, ()) = tokio::join!(turn, decide);
    let turn = turn.ok(200);
    let results = turn["results"].as_array().unwrap();
    assert_eq!(
        results.iter().map(|one| one["status"].as_str().unwrap()).collect::<Vec<_>>(),
        ["completed"; 3]
    );
    assert_eq!(
        results.iter().map(|one| one["tool_call_id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    assert_eq!(
        results[0]["call_id"], results[2]["call_id"],
        "the same call twice is one question and one effect"
    );
    let told: Vec<_> =
        turn["messages"].as_array().unwrap().iter().map(|message| read("openai", message)).collect();
    assert_eq!(told.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(told.iter().all(|(_, read)| read["status"] == "completed"), "{told:?}");
    let late = owner
        .post(
            "/v1/tools/calls",
            json!({
                "tool_calls": [call("openai", "d", "platform_delete_agent", &json!({"agent": "Two"}))],
                "wait": 1
            }),
        )
        .await
        .ok(200);
    assert_eq!(late["results"][0]["error"]["code"], "not_found");
}

//! Calls that wait for a person's decision: the state that a client carries, and what the state permits.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, Client, told};

const DELETE: &str = "platform_delete_agent";

/// Calls the deletion of a new agent. Returns the result of the first round.
async fn asked(owner: &Client<'_>, name: &str) -> Value {
    owner.call("create_agent", json!({ "name": name })).await;
    owner.call("delete_agent", json!({ "agent": name })).await
}

fn state(result: &Value) -> String {
    assert_eq!(result["resultType"], "input_required", "{result}");
    result["requestState"].as_str().unwrap().to_owned()
}

/// The confirmation's path in the API, from the URL where a person decides.
fn place(result: &Value) -> String {
    let request = &result["inputRequests"]["approval"];
    assert_has(request, json!({"method": "elicitation/create", "/params/mode": "url"}));
    let url = request["params"]["url"].as_str().unwrap();
    let id = url.strip_prefix("https://tools.example/approve/").unwrap();
    format!("/v1/confirmations/{id}")
}

async fn approve(owner: &Client<'_>, place: &str) {
    let first = owner.api("POST", &format!("{place}/approve"), json!({}), 202).await;
    owner.api("POST", &format!("{place}/approve"), json!({"phrase": first["phrase"]}), 200).await;
}

async fn exists(owner: &Client<'_>, name: &str) -> bool {
    owner.call("get_agent", json!({ "agent": name })).await["isError"] == json!(false)
}

#[both_databases]
async fn a_retry_completes_once_a_human_approved(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = asked(&owner, "One").await;
    let (sealed, place) = (state(&first), place(&first));
    let message = first["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("One") && message.contains("approve"), "{message}");
    // No response of the client counts as a person's decision.
    for answer in [
        json!({}),
        json!({"approval": {"action": "accept"}}),
        json!({"approval": {"action": "accept", "content": {"approved": true}}}),
    ] {
        let again = owner.retry("delete_agent", json!({"agent": "One"}), &sealed, answer).await.result();
        assert_has(&again, json!({"resultType": "input_required", "requestState": sealed}));
    }
    assert!(exists(&owner, "One").await);
    // The same call without the state waits for the same confirmation.
    let repeated = owner.call("delete_agent", json!({"agent": "One"})).await;
    assert_eq!(self::place(&repeated), place);
    approve(&owner, &place).await;
    let done = owner.retry("delete_agent", json!({"agent": "One"}), &sealed, json!({})).await.result();
    assert_eq!((&done["resultType"], &done["isError"]), (&json!("complete"), &json!(false)));
    assert_eq!(
        (&told(&done)["data"]["deleted"], &told(&done)["status"]),
        (&json!(true), &json!("completed"))
    );
    assert!(!exists(&owner, "One").await);
}

#[both_databases]
async fn a_state_runs_nothing_twice(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = asked(&owner, "One").await;
    approve(&owner, &place(&first)).await;
    let once = owner.retry("delete_agent", json!({"agent": "One"}), &state(&first), json!({})).await.result();
    // The new agent has the same name, but the old approval is not for it.
    owner.call("create_agent", json!({"name": "One"})).await;
    let twice =
        owner.retry("delete_agent", json!({"agent": "One"}), &state(&first), json!({})).await.result();
    assert_eq!(once, twice, "what became of the one call, told again");
    assert!(exists(&owner, "One").await);
    let rows = owner
        .api("GET", "/v1/audit?kind=call&action=platform_delete_agent&outcome=succeeded", Value::Null, 200)
        .await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 1, "{rows}");
}

#[both_databases]
async fn a_state_is_good_for_its_own_call_alone(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.call("create_agent", json!({"name": "Two"})).await;
    let first = asked(&owner, "One").await;
    let sealed = state(&first);
    approve(&owner, &place(&first)).await;
    let own = json!({"agent": "One"});
    let flipped = |at: usize| {
        let mut bytes = sealed.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let mut bad = vec![String::new(), "v1.".into(), "x".repeat(5_000), sealed[..sealed.len() - 8].into()];
    bad.extend((3..sealed.len() - 2).step_by(7).map(flipped));
    for text in &bad {
        owner.retry("delete_agent", own.clone(), text, json!({})).await.error(-32_602);
    }
    let strangers = [
        (app.owner(), "delete_agent", json!({"agent": "Two"})),
        (app.owner(), "delete_agent", json!({"agent": "One", "confirmed": true})),
        (app.owner(), "get_agent", own.clone()),
        (app.as_role(Role::Admin), "delete_agent", own.clone()),
        (app.as_role_b(Role::Owner), "delete_agent", own.clone()),
    ];
    for (caller, tool, arguments) in strangers {
        let refused = caller.retry(tool, arguments.clone(), &sealed, json!({})).await.error(-32_602);
        assert!(refused["message"].as_str().unwrap().contains("requestState"), "{tool} {arguments}");
    }
    assert!(exists(&owner, "Two").await);
    let done = owner.retry("delete_agent", own, &sealed, json!({})).await.result();
    assert_eq!(done["isError"], false, "{done}");
}

#[both_databases]
async fn an_expired_confirmation_is_an_error(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = asked(&owner, "One").await;
    app.clock.advance(901);
    let late = owner.retry("delete_agent", json!({"agent": "One"}), &state(&first), json!({})).await.result();
    assert_eq!((&late["isError"], &told(&late)["error"]), (&json!(true), &json!("expired")));
    app.clock.advance(3_600);
    // The first token has expired, so this needs a new one.
    let owner = app.owner();
    owner.retry("delete_agent", json!({"agent": "One"}), &state(&first), json!({})).await.error(-32_602);
    assert!(exists(&owner, "One").await);
}

#[both_databases]
async fn a_denial_is_an_error_with_its_reason(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = asked(&owner, "One").await;
    owner.api("POST", &format!("{}/deny", place(&first)), json!({"reason": "not today"}), 200).await;
    let denied =
        owner.retry("delete_agent", json!({"agent": "One"}), &state(&first), json!({})).await.result();
    assert_eq!((&denied["isError"], &told(&denied)["error"]), (&json!(true), &json!("permission_denied")));
    assert!(denied.to_string().contains("not today"));
    assert!(exists(&owner, "One").await);
}

#[both_databases]
async fn clients_without_url_elicitation_get_the_address_in_the_result(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = asked(&owner, "One").await;
    let url = first["inputRequests"]["approval"]["params"]["url"].clone();
    for able in [json!({}), json!({"elicitation": {}}), json!({"elicitation": {"form": {}}})] {
        let plain = owner.able(able).call("delete_agent", json!({"agent": "One"})).await;
        assert_eq!((&plain["resultType"], &plain["isError"]), (&json!("complete"), &json!(true)));
        assert_eq!(
            (&told(&plain)["status"], &told(&plain)["approve_url"]),
            (&json!("confirmation_required"), &url)
        );
    }
    let old =
        owner.ask_old("tools/call", json!({"name": DELETE, "arguments": {"agent": "One"}})).await.result();
    assert_eq!(told(&old)["approve_url"], url, "the same call waits for the same decision");
    let left = owner
        .retry(
            "delete_agent",
            json!({"agent": "One"}),
            &state(&first),
            json!({"approval": {"action": "decline"}}),
        )
        .await
        .result();
    assert_eq!(
        (&left["resultType"], &told(&left)["status"]),
        (&json!("complete"), &json!("confirmation_required"))
    );
    assert!(exists(&owner, "One").await);
}

//! A number passes as it was written, in both directions: it may be the id of a record.

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_model::Id;
use toolcrib_testkit::{TestDb, both_databases, outside::ServiceAnswer};

use super::{Desk, id_of};

/// Numbers that a 64-bit float does not hold, or would write in another way.
const NUMBERS: [&str; 7] = [
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "18446744073709551617",
    "123456789012345678901234567890",
    "0.12345678901234567891",
    "1.10",
];

fn tools() -> Value {
    let tool = |name: &str, confirmation: &str| {
        let mut tool = json!({
            "name": name, "description": "Keep a number.", "permission_level": "write",
            "confirmation": confirmation, "timeout_seconds": 1,
            "parameters": {"required": ["n"], "properties": {
                "n": {"type": "number"}, "id": {"type": "integer"},
                "free": {"x-free": true}}},
            "http": {"upstream": "helpdesk", "method": "POST", "path": "numbers",
                "query": {"n": "{n}"}, "body": {"n": "{n}", "id": "{id}", "free": "{free}"}}
        });
        if confirmation != "none" {
            tool["warning"] = json!("It is kept for good.");
        }
        tool
    };
    json!({
        "schema": "toolcrib.toolset/1", "slug": "numbers", "title": "Numbers",
        "defaults": {"accessible_by": "everyone"},
        "tools": [tool("keep", "none"), tool("ask", "simple")]
    })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

async fn desk(db: TestDb) -> Desk {
    let desk = Desk::new(db).await;
    desk.app.owner().done("toolsets.put", json!({"slug": "numbers", "document": tools()})).await;
    desk
}

fn arguments(number: &str) -> Value {
    let mut arguments = read(&format!(r#"{{"n":{number},"free":{{"deep":[{number}]}}}}"#));
    if !number.contains('.') {
        // As a text where the schema says integer.
        arguments["id"] = json!(number);
    }
    arguments
}

fn check_sent(desk: &Desk, number: &str) {
    let received = desk.service.received();
    let request = received.last().unwrap();
    assert_eq!(request.line, format!("POST /v2/numbers?n={number}"));
    let id = if number.contains('.') { String::new() } else { format!(r#","id":{number}"#) };
    assert_eq!(request.body.to_string(), format!(r#"{{"n":{number}{id},"free":{{"deep":[{number}]}}}}"#));
}

#[both_databases]
async fn numbers_pass_as_they_were_written(db: TestDb) {
    let desk = desk(db).await;
    for number in NUMBERS {
        let sent = read(&format!(r#"{{"id":{number},"all":[{number}]}}"#));
        desk.service.answer(ServiceAnswer::Json(200, sent.clone()));
        let answer = desk.member().as_model(number).call("numbers__keep", arguments(number)).await;
        let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
        assert_eq!(done.value().to_string(), sent.to_string());
        let told = answer.outcome.for_model(desk.app.engine.catalog().registry());
        assert_eq!(told["data"].to_string(), sent.to_string());
        check_sent(&desk, number);
        let row = desk.row(id_of(&answer)).await;
        assert_eq!(row["arguments"]["free"].to_string(), format!(r#"{{"deep":[{number}]}}"#), "{row}");
    }
}

#[both_databases]
async fn an_approval_runs_the_number_that_was_shown(db: TestDb) {
    let desk = desk(db).await;
    let member = desk.member();
    let mut confirmations = Vec::<Id>::new();
    for number in NUMBERS {
        let id = member.as_model(number).pending("numbers__ask", arguments(number)).await;
        assert!(!confirmations.contains(&id), "{number} is another call than the ones before");
        confirmations.push(id);
        let shown = serde_json::to_value(member.confirmation(id).await.unwrap()).unwrap();
        assert!(shown["arguments"].to_string().contains(&format!(r#""n":{number}"#)), "{shown}");
        assert!(shown["summary"].to_string().contains(number), "{shown}");
    }
    for (id, number) in confirmations.into_iter().zip(NUMBERS) {
        assert_eq!(member.approve(id).await.unwrap().status(), 200);
        check_sent(&desk, number);
    }
}

#[both_databases]
async fn keys_tell_numbers_apart(db: TestDb) {
    let desk = desk(db).await;
    let member = desk.member().as_model("call_1").with_key("k-numbers");
    let first = member.call("numbers__keep", arguments("9007199254740992")).await;
    assert_eq!(first.status(), 200, "{first:?}");
    let other = member.call("numbers__keep", arguments("9007199254740993")).await;
    assert_eq!(other.status(), 422, "{other:?}");
    assert!(member.call("numbers__keep", arguments("9007199254740992")).await.replayed);
}

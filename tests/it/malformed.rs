//! `tests/data/malformed_calls.json`: calls of the dispatcher with the mistakes that models make, the exact
//! response to each, and the corrected call that the response asks for, which then runs. `UPDATE_GOLDEN=1`
//! rewrites the responses.

use std::{fmt::Write as _, fs};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::world::{World, world};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/malformed_calls.json");

/// A call with a mistake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    /// The arguments of `platform_execute`.
    given: Value,
    /// The response.
    answer: Value,
    /// The corrected call in the response, if the call was refused: `{name, arguments}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<Value>,
}

/// What a model is told, without what differs each time.
fn told(body: &Outcome) -> Value {
    match body {
        Outcome::Completed(done) => json!({"ran": done.action, "description": done.description}),
        Outcome::Waiting(waiting) => json!({"asks": waiting.action}),
        Outcome::ToRun(call) => json!({"to_run": call.action}),
        Outcome::Refused(problem) => {
            let errors: Vec<Value> = problem
                .errors
                .iter()
                .map(|error| json!([error.pointer, error.code, error.message]))
                .collect();
            let whole = serde_json::to_value(problem).unwrap();
            let mut told = json!({"code": problem.code, "detail": problem.detail});
            for key in ["hint", "call"] {
                if let Some(value) = whole.get(key) {
                    told[key] = value.clone();
                }
            }
            if !errors.is_empty() {
                told["errors"] = json!(errors);
            }
            told
        }
    }
}

/// Replaces the placeholders in angle brackets with values, as a model would.
fn filled(call: &Value) -> Value {
    match call {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), filled(value))).collect(),
        Value::Array(items) => items.iter().map(filled).collect(),
        Value::String(text) if text.starts_with('<') && text.ends_with('>') => {
            let inner = &text[1..text.len() - 1];
            match inner {
                "agent" => json!("Scout"),
                "query" => json!("prices"),
                words if words.contains('|') => json!(words.split('|').next()),
                other => json!(format!("some {other}")),
            }
        }
        other => other.clone(),
    }
}

async fn furnish(app: &World) {
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    owner.done("create_task", json!({"title": "Fix the login", "description": "It is broken"})).await;
}

async fn come_to(app: &World, model: &Person<'_>, name: &str, arguments: Value) -> Outcome {
    // The limits are ten writes a minute, and refusals have a limit of their own.
    app.clock.advance(10);
    model.call(name, arguments).await.outcome
}

#[both_databases]
async fn golden_malformed_calls_are_answered_exactly_and_the_hint_works(db: TestDb) {
    let app = world(db).await;
    furnish(&app).await;
    let mistakes: Vec<Mistake> = serde_json::from_str(&fs::read_to_string(FILE).unwrap()).unwrap();
    assert!(mistakes.len() >= 80, "{}", mistakes.len());
    let (mut now, mut refused) = (Vec::new(), 0);
    for (at, mistake) in mistakes.iter().enumerate() {
        let model = app.owner().as_model(&format!("call_{at}"));
        let body = come_to(&app, &model, "platform_execute", mistake.given.clone()).await;
        let mut mistake = mistake.clone();
        mistake.answer = told(&body);
        if let Some(call) = mistake.answer.get("call") {
            mistake.then = Some(filled(call));
        } else if !matches!(body, Outcome::Refused(_)) {
            mistake.then = None;
        }
        if matches!(body, Outcome::Refused(_)) {
            refused += 1;
            let then = mistake.then.clone().unwrap_or_else(|| panic!("{}: what then", mistake.given));
            let again = app.owner().as_model(&format!("again_{at}"));
            let name = then["name"].as_str().unwrap();
            let after = come_to(&app, &again, name, then["arguments"].clone()).await;
            assert!(
                matches!(after, Outcome::Completed(_)),
                "{} then {then}: {:?}",
                mistake.given,
                told(&after)
            );
        }
        now.push(mistake);
    }
    println!(
        "{} malformed calls: {} read, {refused} refused, and each hint works",
        now.len(),
        now.len() - refused
    );
    compare(&mistakes, &now);
}

#[expect(clippy::disallowed_methods, reason = "a switch of the test, not a setting")]
fn compare(held: &[Mistake], now: &[Mistake]) {
    if std::env::var("UPDATE_GOLDEN").is_ok() {
        let mut text = String::from("[\n");
        for (at, mistake) in now.iter().enumerate() {
            let comma = if at + 1 < now.len() { "," } else { "" };
            writeln!(text, "{}{comma}", serde_json::to_string(mistake).unwrap()).unwrap();
        }
        text.push_str("]\n");
        fs::write(FILE, text).unwrap();
        return;
    }
    for (held, now) in held.iter().zip(now) {
        assert_eq!(held, now, "`{}` is answered otherwise; UPDATE_GOLDEN=1 rewrites the answers", now.given);
    }
}

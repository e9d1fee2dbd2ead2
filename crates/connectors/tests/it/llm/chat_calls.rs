//! Calls in Chat Completions, which servers stream in many ways.

use serde_json::{Value, json};
use toolcrib_connectors::llm::{Finish, ModelAnswer};

use super::{calls, chat_completions::answer};

/// The answer whose pieces of `tool_calls` are these.
async fn answer_of_calls(pieces: &[Value]) -> ModelAnswer {
    let deltas: Vec<Value> = pieces.iter().map(|piece| json!({ "tool_calls": [piece] })).collect();
    // Many say `stop` although there are calls.
    answer(&deltas, "stop").await
}

/// A piece with a name.
fn named(index: impl Into<Value>, id: impl Into<Value>, name: &str, arguments: impl Into<Value>) -> Value {
    let function = json!({ "name": name, "arguments": arguments.into() });
    json!({ "index": index.into(), "id": id.into(), "function": function })
}

/// A piece without a name and an ID.
fn more(index: impl Into<Value>, arguments: &str) -> Value {
    json!({ "index": index.into(), "function": { "arguments": arguments } })
}

const NULL: Value = Value::Null;
const ONE: &str = "{\"n\":1}";
const TWO: &str = "{\"n\":2}";

/// Ways to stream the calls `one` and `two`.
fn servers() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        (
            "OpenAI",
            vec![
                named(0, "a", "one", ""),
                more(0, "{\"n\""),
                more(0, ":1}"),
                named(1, "b", "two", ""),
                more(1, TWO),
            ],
        ),
        (
            "pieces in turn",
            vec![named(0, "a", "one", ""), named(1, "b", "two", ""), more(0, ONE), more(1, TWO)],
        ),
        ("no index", vec![named(NULL, "a", "one", ONE), named(NULL, "b", "two", TWO)]),
        (
            "index 0 for all",
            vec![
                named(0, "a", "one", ONE),
                named(0, "b", "two", "{\"n\""),
                json!({ "index": 0, "id": "", "function": { "name": null, "arguments": ":2}" } }),
            ],
        ),
        ("neither", vec![named(NULL, NULL, "one", ONE), named(NULL, "", "two", TWO)]),
        ("objects", vec![named(0, NULL, "one", json!({ "n": 1 })), named(1, NULL, "two", json!({ "n": 2 }))]),
        ("one ID", vec![named(0, "a", "one", ONE), named(1, "a", "two", TWO)]),
        (
            "name repeated",
            vec![
                named(0, "a", "one", "{\"n\""),
                named(0, "a", "one", ":1}"),
                named(1, "b", "two", TWO),
                named(1, "b", "two", NULL),
            ],
        ),
        (
            "name in fragments, an ID for each piece",
            vec![
                named(0, "a", "o", ""),
                json!({ "index": 0, "function": { "name": "ne" } }),
                json!({ "index": 0, "id": "x", "function": { "arguments": ONE } }),
                named(1, "b", "two", TWO),
                json!({ "function": { "arguments": "" }, "extra_content": { "google": { "sign": "s" } } }),
            ],
        ),
    ]
}

#[tokio::test]
async fn calls_are_told_apart_however_they_are_streamed() {
    for (server, pieces) in servers() {
        let answer = answer_of_calls(&pieces).await;
        assert_eq!(calls(&answer), [("one", ONE), ("two", TWO)], "{server}");
        assert_eq!(answer.finish, Finish::Calls, "{server}");
        let native = answer.native.message["tool_calls"].as_array().unwrap();
        let ids: Vec<&str> = native.iter().map(|call| call["id"].as_str().unwrap()).collect();
        let of_calls: Vec<&str> = answer.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, of_calls, "{server}");
        assert!(ids[0] != ids[1] && ids.iter().all(|id| !id.is_empty()), "{server}: {ids:?}");
        if server.starts_with("name in") {
            assert_eq!(native[1]["extra_content"]["google"]["sign"], "s");
        }
    }
}

#[tokio::test]
async fn equal_calls_are_two_calls() {
    for pieces in [
        vec![named(NULL, NULL, "one", ONE), named(NULL, NULL, "one", ONE)],
        vec![named(0, "a", "one", ONE), named(0, "a", "one", ONE)],
        vec![named(0, "", "one", ONE), named(1, "", "one", ONE)],
    ] {
        let answer = answer_of_calls(&pieces).await;
        assert_eq!(calls(&answer), [("one", ONE), ("one", ONE)], "{pieces:?}");
        assert_ne!(answer.calls[0].id, answer.calls[1].id);
    }
}

#[tokio::test]
async fn members_of_a_call_are_merged() {
    let more = |google: Value| json!({ "index": 0, "extra_content": { "google": google } });
    let answer = answer_of_calls(&[
        named(0, "a", "one", ONE),
        more(json!({ "thought_signature": "TS==", "about": { "a": 1 } })),
        more(json!({ "thought_signature": null, "about": { "b": 2 }, "more": "M" })),
    ])
    .await;
    let google = &answer.native.message["tool_calls"][0]["extra_content"]["google"];
    let expected = json!({ "thought_signature": "TS==", "about": { "a": 1, "b": 2 }, "more": "M" });
    assert_eq!(*google, expected);
}

#[tokio::test]
async fn arguments_are_what_came() {
    for arguments in [NULL, "".into(), " ".into()] {
        let answer = answer_of_calls(&[named(0, "a", "one", arguments)]).await;
        assert_eq!(calls(&answer), [("one", "{}")]);
    }
    let answer = answer_of_calls(&[named(0, "a", "one", "{n: 1")]).await;
    assert_eq!((calls(&answer), answer.finish), (vec![("one", "{n: 1")], Finish::Calls));
    assert_eq!(answer.native.message["tool_calls"][0]["function"]["arguments"], "{n: 1");
}

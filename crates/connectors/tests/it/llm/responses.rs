//! OpenAI's Responses.

use serde_json::{Value, json};
use toolcrib_connectors::llm::{Finish, ModelEvent, ModelFormat, ModelRequest};
use toolcrib_testkit::{FakeModel, LlmAnswer, LlmReply};

use super::{ask, calls, client, request, step, stream, user};

const RESPONSES: ModelFormat = ModelFormat::OpenAiResponses;

fn thoughtful() -> LlmReply {
    LlmReply::answer(LlmAnswer {
        reasoning: "Look first.".to_owned(),
        text: vec!["I ".to_owned(), "look.".to_owned()],
        calls: vec![("call_1".to_owned(), "find".to_owned(), r#"{"q":1}"#.to_owned())],
        ..LlmAnswer::default()
    })
}

#[tokio::test]
async fn all_items_go_back_in_order_without_what_was_not_stored() {
    let fake = FakeModel::start().await;
    fake.script([thoughtful(), LlmReply::text(["Found."]), LlmReply::text(["Again."])]);
    let client = client(&fake, RESPONSES);
    let mut asked = request([]);
    asked.tools = [json!({ "type": "function", "name": "find", "parameters": {} })].into();
    let (answer, shown) = ask(&client, &asked).await;
    let answer = answer.unwrap();
    let events = [
        ModelEvent::Reasoning("Look first.".into()),
        ModelEvent::Text("I ".into()),
        ModelEvent::Text("look.".into()),
    ];
    assert_eq!((shown.as_slice(), answer.text.as_str()), (events.as_slice(), "I look."));
    assert_eq!((calls(&answer), answer.finish), (vec![("find", r#"{"q":1}"#)], Finish::Calls));
    assert_eq!((answer.usage.input_tokens, answer.usage.cached_input_tokens), (100, 40));

    let again = ModelRequest { turns: vec![user("Hello"), step(&answer)], no_calls: true, ..asked };
    assert_eq!(ask(&client, &again).await.0.unwrap().finish, Finish::Stop);
    let without = ModelRequest { keep_reasoning: false, thread: "th_2".to_owned(), ..again };
    ask(&client, &without).await.0.unwrap();
    let sent = fake.requests();
    let body = &sent[0].body;
    assert_eq!(
        (sent[0].path.as_str(), &body["store"], &body["instructions"]),
        ("/v1/responses", &json!(false), &json!("You help."))
    );
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    let summary = json!([{ "type": "summary_text", "text": "Look first." }]);
    let content = json!([{ "type": "output_text", "text": "I look.", "annotations": [] }]);
    let items = json!([
        { "type": "message", "role": "user", "content": "Hello" },
        { "type": "reasoning", "encrypted_content": "gAAAA-1", "summary": summary },
        { "type": "message", "role": "assistant", "content": content },
        { "type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{\"q\":1}" },
        { "type": "function_call_output", "call_id": "call_1", "output": "ok" },
    ]);
    assert_eq!((&sent[1].body["input"], &sent[1].body["tool_choice"]), (&items, &json!("none")));
    let kept: Vec<&Value> =
        items.as_array().unwrap().iter().filter(|item| item["type"] != "reasoning").collect();
    assert_eq!(sent[2].body["input"], json!(kept));
    let keys: Vec<&str> = sent.iter().map(|sent| sent.body["prompt_cache_key"].as_str().unwrap()).collect();
    assert!(
        keys[0] == keys[1] && keys[1] != keys[2] && !keys[0].contains("th_1") && keys[0].len() <= 64,
        "{keys:?}"
    );
}

#[tokio::test]
async fn each_end_is_known() {
    let item = |item: Value| json!({ "type": "response.output_item.done", "item": item });
    let reasoning = item(json!({ "type": "reasoning", "id": "rs_1", "summary": [] }));
    let call = |arguments: &str| {
        item(json!({ "type": "function_call", "call_id": "c", "name": "one", "arguments": arguments }))
    };
    let delta = json!({ "type": "response.output_text.delta", "delta": "half" });
    let end = |kind: &str, reason: &str| {
        let details = json!({ "reason": reason });
        json!({ "type": kind, "response": { "error": null, "incomplete_details": details, "output": [] } })
    };
    let cut = end("response.incomplete", "max_output_tokens");
    for (events, finish, native) in [
        (
            vec![reasoning.clone(), call("{}"), cut.clone()],
            Finish::Length,
            json!(["reasoning", "function_call"]),
        ),
        (vec![call("{\"n\":"), cut.clone()], Finish::Length, json!(["function_call"])),
        (vec![reasoning.clone(), delta, cut.clone()], Finish::Length, json!(["reasoning", "message"])),
        (vec![reasoning, cut], Finish::Length, json!([])),
        (vec![end("response.incomplete", "content_filter")], Finish::ContentFilter, json!([])),
        (vec![call(""), end("response.completed", "")], Finish::Calls, json!(["function_call"])),
    ] {
        let fake = FakeModel::start().await;
        fake.script([LlmReply::stream(stream(&events)), LlmReply::text(["Next"])]);
        let client = client(&fake, RESPONSES);
        let answer = ask(&client, &request([])).await.0.unwrap();
        let items = answer.native.message.as_array().unwrap();
        let kinds: Value = items.iter().map(|item| item["type"].clone()).collect();
        assert_eq!((answer.finish, kinds), (finish, native), "{events:?}");
        assert!(answer.usage.estimated);
        // The provider takes it back.
        ask(&client, &request([step(&answer), user("Go on")])).await.0.unwrap();
    }
    // Some send the whole answer with the end alone.
    let message = json!({ "type": "message", "content": [{ "type": "output_text", "text": "Whole" }] });
    let whole = json!({ "type": "response.completed", "response": { "output": [message], "usage": null } });
    let fake = FakeModel::start().await;
    fake.script([
        LlmReply::stream(stream([
            &json!({ "type": "response.failed", "response": { "error": { "code": "server_error" } } }),
        ])),
        LlmReply::stream(stream([&json!({ "type": "error", "code": "server_error", "message": "x" })])),
        LlmReply::stream(stream([&whole])),
    ]);
    let (answer, shown) = ask(&client(&fake, RESPONSES), &request([])).await;
    assert_eq!((answer.unwrap().text.as_str(), shown), ("Whole", vec![ModelEvent::Text("Whole".into())]));
}

#[tokio::test]
async fn arguments_that_are_an_object_are_taken() {
    let item = json!({ "type": "function_call", "call_id": "c", "name": "one", "arguments": { "limit": 1 } });
    let done = json!({ "type": "response.output_item.done", "item": item });
    let end = json!({ "type": "response.completed", "response": {} });
    let fake = FakeModel::start().await;
    fake.script([LlmReply::stream(stream([&done, &end])), LlmReply::text(["Done."])]);
    let client = client(&fake, RESPONSES);
    let answer = ask(&client, &request([])).await.0.unwrap();
    assert_eq!(calls(&answer), [("one", "{\"limit\":1}")]);
    ask(&client, &request([step(&answer)])).await.0.unwrap();
    assert_eq!(fake.requests()[1].body["input"][1]["arguments"], "{\"limit\":1}");
}

#[tokio::test]
async fn what_a_model_refuses_is_left_out() {
    let fake = FakeModel::start().await;
    fake.script([
        thoughtful(),
        LlmReply::error(400, "invalid_encrypted_content", "The encrypted content could not be verified."),
        LlmReply::text(["Without."]),
        LlmReply::error(400, "invalid", "Encrypted content is not supported with this model."),
        LlmReply::text(["Plain."]),
    ]);
    let client = client(&fake, RESPONSES);
    let answer = ask(&client, &request([])).await.0.unwrap();
    let mut again = request([step(&answer)]);
    assert_eq!(ask(&client, &again).await.0.unwrap().text, "Without.");
    again.thread = "th_2".to_owned();
    assert_eq!(ask(&client, &again).await.0.unwrap().text, "Plain.");
    let sent = fake.requests();
    let reasons =
        |n: usize| sent[n].body["input"].as_array().unwrap().iter().any(|item| item["type"] == "reasoning");
    // The signature is a matter of its thread, the member one of the model.
    assert_eq!((1..5).map(reasons).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(sent[4].body.get("include"), None);
}

//! Anthropic's Messages.

use serde_json::{Value, json};
use toolcrib_connectors::llm::{
    Finish, ModelCall, ModelError, ModelEvent, ModelFormat, ModelRequest, StepTurn, ToolAnswer, Turn,
};
use toolcrib_testkit::{FakeModel, LlmAnswer, LlmReply};

use super::{KEY, ask, calls, client, request, step, stream, user};

const MESSAGES: ModelFormat = ModelFormat::Anthropic;

fn thoughtful() -> LlmReply {
    LlmReply::answer(LlmAnswer {
        reasoning: "Look first.".to_owned(),
        text: vec!["I ".to_owned(), "look.".to_owned()],
        calls: vec![("toolu_1".to_owned(), "find".to_owned(), r#"{"q": 1.50}"#.to_owned())],
        ..LlmAnswer::default()
    })
}

#[tokio::test]
async fn blocks_go_back_as_they_came() {
    let fake = FakeModel::start().await;
    fake.script([thoughtful(), LlmReply::text(["Found."]), LlmReply::text(["Again."])]);
    let client = client(&fake, MESSAGES);
    let mut asked = request([]);
    asked.tools =
        [json!({ "name": "find", "description": "Finds.", "input_schema": { "type": "object" } })].into();
    let (answer, shown) = ask(&client, &asked).await;
    let answer = answer.unwrap();
    let events = [
        ModelEvent::Reasoning("Look first.".into()),
        ModelEvent::Text("I ".into()),
        ModelEvent::Text("look.".into()),
    ];
    assert_eq!((shown.as_slice(), answer.text.as_str()), (events.as_slice(), "I look."));
    assert_eq!((calls(&answer), answer.finish), (vec![("find", r#"{"q": 1.50}"#)], Finish::Calls));
    let usage = answer.usage;
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (100, 40, 10));

    let again = ModelRequest { turns: vec![user("Hello"), step(&answer)], no_calls: true, ..asked };
    assert_eq!(ask(&client, &again).await.0.unwrap().finish, Finish::Stop);
    ask(&client, &ModelRequest { keep_reasoning: false, ..again }).await.0.unwrap();
    let sent = fake.requests();
    let (headers, body) = (&sent[0].headers, &sent[0].body);
    assert_eq!((sent[0].path.as_str(), headers["x-api-key"].to_str().unwrap()), ("/v1/messages", KEY));
    assert_eq!(
        (headers["anthropic-version"].to_str().unwrap(), headers.get("authorization")),
        ("2023-06-01", None)
    );
    let cache = json!({ "type": "ephemeral" });
    assert_eq!((&body["cache_control"], &body["max_tokens"]), (&cache, &json!(16_000)));
    assert_eq!(body["system"], json!([{ "type": "text", "text": "You help.", "cache_control": cache }]));
    assert_eq!(body.get("tool_choice"), None);
    assert_eq!(sent[1].body["tool_choice"], json!({ "type": "none" }));
    let content = [
        json!({ "type": "thinking", "thinking": "Look first.", "signature": "sig-1" }),
        json!({ "type": "text", "text": "I look." }),
        json!({ "type": "tool_use", "id": "toolu_1", "name": "find", "input": { "q": 1.5 } }),
    ];
    let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "ok" });
    let messages = |content: &[Value]| {
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "Hello" }] },
            { "role": "assistant", "content": content },
            { "role": "user", "content": [result] },
        ])
    };
    assert_eq!(sent[1].body["messages"].to_string(), messages(&content).to_string().replace("1.5}", "1.50}"));
    assert_eq!(
        sent[2].body["messages"].to_string(),
        messages(&content[1..]).to_string().replace("1.5}", "1.50}")
    );
}

/// The events of an answer with these blocks and deltas.
fn events(blocks: &[(Value, &[Value])], stop: &str) -> String {
    let mut events = vec![json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5 } } })];
    for (index, (block, deltas)) in blocks.iter().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        for delta in *deltas {
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({ "type": "news", "data": "of no interest" }));
    events.push(
        json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": 3 } }),
    );
    events.push(json!({ "type": "message_stop" }));
    stream(&events)
}

#[tokio::test]
async fn unusual_blocks_and_each_end_are_known() {
    let json_delta = |json: &str| json!({ "type": "input_json_delta", "partial_json": json });
    let call = json!({ "type": "tool_use", "id": "t1", "name": "one", "input": {} });
    let thinking = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let signature = json!({ "type": "signature_delta", "signature": "s/+=" });
    let redacted = json!({ "type": "redacted_thinking", "data": "x" });
    let signed = json!({ "type": "thinking", "thinking": "", "signature": "s/+=" });
    let empty = json!({ "type": "text", "text": "" });
    let blank = json!({ "type": "text", "text": "\n\n" });
    let text = json!({ "type": "text", "text": "Hi" });
    let whole = json!({ "type": "tool_use", "id": "t1", "name": "one", "input": { "n": 1 } });
    for (blocks, stop, finish, native) in [
        (
            vec![(empty.clone(), vec![]), (blank, vec![]), (call.clone(), vec![json_delta("")])],
            "tool_use",
            Finish::Calls,
            vec![call.clone()],
        ),
        (
            vec![(thinking, vec![signature]), (redacted.clone(), vec![]), (text.clone(), vec![])],
            "end_turn",
            Finish::Stop,
            vec![signed, redacted, text.clone()],
        ),
        (
            vec![(call.clone(), vec![json_delta("{\"n\""), json_delta(":1}")])],
            "tool_use",
            Finish::Calls,
            vec![whole.clone()],
        ),
        (vec![(whole.clone(), vec![])], "tool_use", Finish::Calls, vec![whole]),
        (vec![(call.clone(), vec![json_delta("{\"n\":")])], "max_tokens", Finish::Length, vec![call]),
        (vec![(text.clone(), vec![])], "model_context_window_exceeded", Finish::Length, vec![text.clone()]),
        (vec![(text.clone(), vec![])], "stop_sequence", Finish::Stop, vec![text]),
        (vec![], "refusal", Finish::Refusal, vec![]),
    ] {
        let blocks: Vec<(Value, &[Value])> =
            blocks.iter().map(|(block, deltas)| (block.clone(), deltas.as_slice())).collect();
        let fake = FakeModel::start().await;
        fake.script([LlmReply::stream(events(&blocks, stop)), LlmReply::text(["Next"])]);
        let client = client(&fake, MESSAGES);
        let answer = ask(&client, &request([])).await.0.unwrap();
        assert_eq!(
            (answer.finish, &answer.native.message["content"]),
            (finish, &json!(native)),
            "{stop} {blocks:?}"
        );
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (5, 3));
        // The provider takes it back, also as the last turn.
        ask(&client, &request([step(&answer)])).await.0.unwrap();
    }
}

#[tokio::test]
async fn inputs_of_another_type_are_taken() {
    let call = |input: Value| json!({ "type": "tool_use", "id": "t1", "name": "one", "input": input });
    let delta = json!({ "type": "input_json_delta", "partial_json": { "n": 1 } });
    for (block, deltas) in [(call(json!("{\"n\":1}")), vec![]), (call(json!({})), vec![delta])] {
        let fake = FakeModel::start().await;
        fake.script([LlmReply::stream(events(&[(block.clone(), deltas.as_slice())], "tool_use"))]);
        let answer = ask(&client(&fake, MESSAGES), &request([])).await.0.unwrap();
        assert_eq!(calls(&answer), [("one", "{\"n\":1}")], "{block}");
        assert_eq!(answer.native.message["content"][0]["input"], json!({ "n": 1 }));
    }
}

#[tokio::test]
async fn another_models_turns_are_sent_from_neutral_parts() {
    let fake = FakeModel::start().await;
    fake.script([thoughtful(), LlmReply::text(["ok"])]);
    let client = client(&fake, MESSAGES);
    let native = ask(&client, &request([])).await.0.unwrap().native;
    let call =
        |arguments: &str| ModelCall { id: "call_0".into(), name: "one".into(), arguments: arguments.into() };
    let turn = |call: ModelCall| {
        let answers = vec![ToolAnswer { id: call.id.clone(), text: "no".into(), is_error: true }];
        Turn::Step(StepTurn { text: String::new(), calls: vec![call], answers, native: Some(native.clone()) })
    };
    let mut asked = request([turn(call("{\"n\":1}")), turn(call("no JSON"))]);
    asked.model = "large".to_owned();
    ask(&client, &asked).await.0.unwrap();
    let body = &fake.requests()[1].body["messages"];
    let result =
        json!({ "type": "tool_result", "tool_use_id": "c00010000", "content": "no", "is_error": true });
    assert_eq!(
        body[1]["content"],
        json!([{ "type": "tool_use", "id": "c00010000", "name": "one", "input": { "n": 1 } }])
    );
    assert_eq!((&body[2]["content"], &body[3]["content"][0]["input"]), (&json!([result]), &json!({})));
}

#[tokio::test]
async fn thinking_that_is_refused_is_left_out() {
    let fake = FakeModel::start().await;
    fake.script([
        thoughtful(),
        LlmReply::error(
            400,
            "invalid_request_error",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        LlmReply::text(["Without."]),
        LlmReply::error(400, "invalid_request_error", "max_tokens: 16000 > 8192"),
        LlmReply::error(400, "invalid_request_error", "`temperature` is deprecated for this model."),
        LlmReply::text(["Again."]),
        LlmReply::error(400, "invalid_request_error", "thinking must be on"),
    ]);
    let client = client(&fake, MESSAGES);
    let answer = ask(&client, &request([])).await.0.unwrap();
    let mut again = request([step(&answer)]);
    again.temperature = Some(0.2);
    assert_eq!(ask(&client, &again).await.0.unwrap().text, "Without.");
    assert_eq!(ask(&client, &again).await.0.unwrap().text, "Again.");
    // Nothing is left that could be left out.
    assert_eq!(ask(&client, &again).await.0.unwrap_err().status(), Some(400));
    let sent = fake.requests();
    let thinks = |n: usize| sent[n].body.to_string().contains("thinking");
    assert_eq!((1..7).map(thinks).collect::<Vec<_>>(), [true, false, false, false, false, false]);
    assert_eq!((&sent[5].body["max_tokens"], sent[5].body.get("temperature")), (&json!(4_096), None));
}

#[tokio::test]
async fn a_paused_answer_goes_on() {
    let paused = json!({ "type": "server_tool_use", "id": "s1", "name": "search", "input": {} });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let pause = || LlmReply::stream(events(&[(text("One. "), &[]), (paused.clone(), &[])], "pause_turn"));
    let fake = FakeModel::start().await;
    fake.script([
        pause(),
        LlmReply::error(529, "overloaded_error", ""),
        pause(),
        pause(),
        LlmReply::text(["Two."]),
    ]);
    let client = client(&fake, MESSAGES);
    let (answer, shown) = ask(&client, &request([])).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "One. One. Two.");
    assert!(
        shown.iter().position(|event| *event == ModelEvent::Restarted) == Some(2) && shown.len() == 6,
        "{shown:?}"
    );
    assert!(matches!(shown[1], ModelEvent::Used(used) if (used.input_tokens, used.output_tokens) == (5, 3)));
    let content = json!([text("One. "), paused, text("One. "), paused, text("Two.")]);
    assert_eq!(answer.native.message["content"], content);
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (110, 16));
    let messages = fake
        .requests()
        .iter()
        .map(|sent| sent.body["messages"].as_array().unwrap().len())
        .collect::<Vec<_>>();
    assert_eq!(messages, [1, 2, 1, 2, 2]);
    // It does not go on for ever.
    fake.script((0..5).map(|_| pause()));
    assert_eq!(ask(&client, &request([])).await.0.unwrap().finish, Finish::Stop);
    assert_eq!(fake.requests().len(), 9);
}

#[tokio::test]
async fn an_overload_inside_a_success_is_asked_again() {
    let overload =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let fake = FakeModel::start().await;
    fake.always(LlmReply::stream(stream([&overload])));
    let error = ask(&client(&fake, MESSAGES), &request([])).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Status { status: 529, .. }), "{error:?}");
    assert_eq!(fake.requests().len(), 3);
}

/// A provider that says nothing of tokens has used some all the same.
#[tokio::test]
async fn tokens_that_are_not_said_are_estimated() {
    let fake = FakeModel::start().await;
    let events = events(&[(json!({ "type": "text", "text": "Hi" }), &[])], "end_turn");
    let events = events.replace("{\"input_tokens\":5}", "null").replace("{\"output_tokens\":3}", "null");
    fake.script([LlmReply::stream(events)]);
    let usage = ask(&client(&fake, MESSAGES), &request([])).await.0.unwrap().usage;
    assert!(usage.estimated && usage.input_tokens > 10 && usage.output_tokens == 1, "{usage:?}");
}

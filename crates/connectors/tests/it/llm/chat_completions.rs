//! Chat Completions, and the many ways in which servers stream it.

use serde_json::{Value, json};
use toolcrib_connectors::llm::{
    Finish, Model as _, ModelAnswer, ModelCall, ModelEvent, ModelFormat, StepTurn, ToolAnswer, Turn,
};
use toolcrib_testkit::{FakeModel, LlmAnswer, LlmReply};

use super::{KEY, ask, calls, client, request, shown_text, step, stream, user};

fn chunk(delta: Value, finish: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// The answer to a stream of these deltas, which ends with this reason.
pub async fn answer(deltas: &[Value], finish: &str) -> ModelAnswer {
    let mut chunks: Vec<Value> = deltas.iter().map(|delta| chunk(delta.clone(), Value::Null)).collect();
    chunks.push(chunk(json!({}), finish.into()));
    let fake = FakeModel::start().await;
    fake.script([LlmReply::stream(stream(&chunks) + "data: [DONE]\n\n")]);
    ask(&client(&fake, ModelFormat::OpenAi), &request([])).await.0.unwrap()
}

#[tokio::test]
async fn an_answer_is_shown_while_it_comes_and_its_message_goes_back() {
    let fake = FakeModel::start().await;
    fake.script([
        LlmReply::answer(LlmAnswer {
            reasoning: "Look first.".to_owned(),
            text: vec!["I ".to_owned(), "look.".to_owned()],
            calls: vec![("call_0".to_owned(), "find".to_owned(), r#"{"q": 1.50}"#.to_owned())],
            ..LlmAnswer::default()
        }),
        LlmReply::text(["Found."]),
    ]);
    let client = client(&fake, ModelFormat::OpenAi);
    let mut first = request([]);
    first.tools = [json!({ "type": "function", "function": { "name": "find", "parameters": {} } })].into();
    let (answer, shown) = ask(&client, &first).await;
    let answer = answer.unwrap();
    let events = [
        ModelEvent::Reasoning("Look first.".into()),
        ModelEvent::Text("I ".into()),
        ModelEvent::Text("look.".into()),
    ];
    assert_eq!(shown, events);
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("I look.", "Look first."));
    assert_eq!((calls(&answer), answer.finish), (vec![("find", r#"{"q": 1.50}"#)], Finish::Calls));
    let usage = answer.usage;
    assert_eq!(
        (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens, usage.estimated),
        (100, 40, 10, false)
    );
    assert!(answer.first_token_ms.is_some());

    let second = toolcrib_connectors::llm::ModelRequest {
        turns: vec![user("Hello"), step(&answer)],
        no_calls: true,
        ..first
    };
    let answer = ask(&client, &second).await.0.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("Found.", Finish::Stop));
    let sent = fake.requests();
    assert_eq!(
        (sent[0].path.as_str(), sent[0].headers["authorization"].to_str().unwrap()),
        ("/v1/chat/completions", format!("Bearer {KEY}").as_str())
    );
    let mut expected = sent[0].body.clone();
    assert_eq!(expected["stream_options"], json!({ "include_usage": true }));
    assert_eq!(expected.get("max_tokens").or_else(|| expected.get("temperature")), None);
    expected["tool_choice"] = "none".into();
    let function = json!({ "name": "find", "arguments": "{\"q\": 1.50}" });
    expected["messages"].as_array_mut().unwrap().extend([
        json!({
            "role": "assistant", "content": "I look.", "reasoning_content": "Look first.",
            "tool_calls": [{ "id": "call_0", "type": "function", "function": function }],
        }),
        json!({ "role": "tool", "tool_call_id": "call_0", "content": "ok" }),
    ]);
    assert_eq!(sent[1].body, expected);
}

#[tokio::test]
async fn members_that_are_not_known_go_back() {
    let answer = answer(
        &[
            json!({ "role": "assistant", "content": null, "reasoning_content": "" }),
            json!({ "reasoning": "A", "reasoning_details": [{ "type": "reasoning.text", "text": "A" }] }),
            json!({ "reasoning": "B", "reasoning_details": [{ "signature": "s/+=" }], "annotations": null }),
            json!({ "content": "x", "extra_content": { "google": { "thought": "1" } } }),
        ],
        "stop",
    )
    .await;
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("x", "AB"));
    let expected = json!({
        "role": "assistant", "content": "x", "reasoning_content": "", "reasoning": "AB",
        "reasoning_details": [{ "type": "reasoning.text", "text": "A" }, { "signature": "s/+=" }],
        "extra_content": { "google": { "thought": "1" } },
    });
    assert_eq!(answer.native.message, expected);

    let fake = FakeModel::start().await;
    fake.always(LlmReply::text(["ok"]));
    let client = client(&fake, ModelFormat::OpenAi);
    let mut again = request([step(&answer), user("Go on")]);
    ask(&client, &again).await.0.unwrap();
    again.keep_reasoning = false;
    ask(&client, &again).await.0.unwrap();
    again.model = "large".to_owned();
    ask(&client, &again).await.0.unwrap();
    let sent: Vec<Value> =
        fake.requests().iter().map(|request| request.body["messages"][2].clone()).collect();
    let without =
        json!({ "role": "assistant", "content": "x", "extra_content": { "google": { "thought": "1" } } });
    assert_eq!(sent, [expected, without, json!({ "role": "assistant", "content": "x" })]);
}

#[tokio::test]
async fn another_models_turns_are_sent_from_neutral_parts() {
    let fake = FakeModel::start().await;
    fake.always(LlmReply::text(["ok"]));
    let call =
        ModelCall { id: "toolu_01/long".to_owned(), name: "find".to_owned(), arguments: "{}".to_owned() };
    let answers = vec![ToolAnswer { id: call.id.clone(), text: "none".to_owned(), is_error: true }];
    let step = StepTurn { text: String::new(), calls: vec![call], answers, native: None };
    ask(&client(&fake, ModelFormat::OpenAi), &request([Turn::Step(step)])).await.0.unwrap();
    let call =
        json!({ "id": "c00010000", "type": "function", "function": { "name": "find", "arguments": "{}" } });
    let expected = json!([
        { "role": "system", "content": "You help." },
        { "role": "user", "content": "Hello" },
        { "role": "assistant", "content": "", "tool_calls": [call] },
        { "role": "tool", "tool_call_id": "c00010000", "content": "none" },
    ]);
    assert_eq!(fake.requests()[0].body["messages"], expected);
}

#[tokio::test]
async fn each_end_is_known() {
    let text = json!({ "content": "x" });
    for (finish, expected) in [
        ("stop", Finish::Stop),
        ("eos", Finish::Stop),
        ("length", Finish::Length),
        ("content_filter", Finish::ContentFilter),
    ] {
        assert_eq!(answer(std::slice::from_ref(&text), finish).await.finish, expected, "{finish}");
    }
    let function = json!({ "name": "one", "arguments": "{\"n\":" });
    let cut = json!({ "tool_calls": [{ "index": 0, "id": "a", "function": function }] });
    let answer = answer(&[cut], "length").await;
    assert_eq!((calls(&answer), answer.finish), (vec![("one", "{\"n\":")], Finish::Length));
}

#[tokio::test]
async fn unusual_streams_are_read() {
    let chunk = |text: &str| json!({ "choices": [{ "delta": { "content": text } }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let tokens = json!({ "prompt_tokens": 7, "completion_tokens": 2 });
    let usage = |choices: Value| json!({ "choices": choices, "usage": tokens });
    let (a, b) = (chunk("a"), chunk("data: b"));
    let parts = json!({ "choices": [{ "delta": { "content": [
        { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
        { "type": "text", "text": "adata: b" },
    ] } }] });
    let choice = json!({ "message": { "content": "adata: b" }, "finish_reason": "stop" });
    let whole = json!({ "choices": [choice], "usage": tokens });
    for (server, reply, input) in [
        (
            "OpenRouter",
            LlmReply::stream(format!(
                ": OPENROUTER PROCESSING\n\n{}{}",
                stream([&a, &b]),
                stream([&end, &usage(json!([]))])
            )),
            Some(7),
        ),
        ("null choices", LlmReply::stream(stream([&a, &b, &end, &usage(Value::Null)])), Some(7)),
        ("[DONE] alone", LlmReply::stream(stream([&a, &b]) + "data:[DONE]\r\n\r\n"), None),
        (
            "CRLF, no last blank line",
            LlmReply::stream((stream([&a, &b]) + &format!("data: {end}")).replace('\n', "\r\n")),
            None,
        ),
        ("a list as content", LlmReply::stream(stream([&parts, &end])), None),
        ("no stream", LlmReply::body(200, "application/json", whole.to_string()), Some(7)),
        ("usage cut", LlmReply::stream(stream([&a, &b, &end]) + "data: {\"usa"), None),
    ] {
        let fake = FakeModel::start().await;
        fake.script([reply]);
        let (answer, shown) = ask(&client(&fake, ModelFormat::OpenAi), &request([])).await;
        let answer = answer.unwrap_or_else(|error| panic!("{server}: {error}"));
        assert_eq!((answer.text.as_str(), shown_text(&shown).as_str()), ("adata: b", "adata: b"), "{server}");
        assert_eq!(answer.usage.estimated, input.is_none(), "{server}");
        assert!(input.is_none_or(|input| answer.usage.input_tokens == input), "{server}");
        assert!(answer.usage.input_tokens > 0 && !shown.contains(&ModelEvent::Restarted), "{server}");
    }
}

#[tokio::test]
async fn the_models_are_listed() {
    let fake = FakeModel::start().await;
    let client = client(&fake, ModelFormat::OpenAi);
    assert_eq!(client.models().await.unwrap(), ["small", "large"]);
    assert_eq!(client.format(), ModelFormat::OpenAi);
}

/// Some servers parse the arguments of all earlier calls, and refuse a message that says nothing.
#[tokio::test]
async fn what_a_server_would_not_take_back_is_not_sent() {
    let call = |id: &str, arguments: &str| (id.to_owned(), "find".to_owned(), arguments.to_owned());
    let broken = LlmAnswer {
        calls: vec![call("a", "{\"q\": 1"), call("b", "[1]"), call("c", "{\"q\":1}")],
        ..LlmAnswer::default()
    };
    let silent = LlmAnswer { reasoning: "Hm.".to_owned(), ..LlmAnswer::default() };
    for format in [ModelFormat::OpenAi, ModelFormat::OpenAiResponses] {
        let fake = FakeModel::start().await;
        fake.script([LlmReply::answer(broken.clone()), LlmReply::answer(silent.clone())]);
        fake.always(LlmReply::text(["ok"]));
        let client = client(&fake, format);
        let broken = ask(&client, &request([])).await.0.unwrap();
        assert_eq!(calls(&broken)[0], ("find", "{\"q\": 1"));
        let silent = ask(&client, &request([])).await.0.unwrap();
        let mut again = request([step(&broken), user("And?"), step(&silent), user("Well?")]);
        ask(&client, &again).await.0.unwrap();
        again.model = "large".to_owned();
        ask(&client, &again).await.0.unwrap();
        for sent in &fake.requests()[2..] {
            let messages = sent.body.get("messages").or_else(|| sent.body.get("input")).unwrap();
            let messages = messages.as_array().unwrap();
            let sent = messages.iter().flat_map(|message| {
                let calls =
                    message["tool_calls"].as_array().cloned().unwrap_or_else(|| vec![message.clone()]);
                calls.into_iter().filter_map(|call| {
                    let arguments = call.pointer("/function/arguments").or_else(|| call.get("arguments"));
                    arguments.map(|arguments| arguments.as_str().unwrap().to_owned())
                })
            });
            assert_eq!(sent.collect::<Vec<_>>(), ["{}", "{}", "{\"q\":1}"], "{messages:?}");
            let says_nothing =
                |message: &Value| message["content"] == "" && message.get("tool_calls").is_none();
            assert!(!messages.iter().any(says_nothing), "{messages:?}");
        }
    }
}

/// A loop repairs arguments before it makes a call, and the turn has them as they were repaired.
#[tokio::test]
async fn repaired_arguments_go_back() {
    for (format, pointer) in [
        (ModelFormat::OpenAi, "/messages/2/tool_calls/0/function/arguments"),
        (ModelFormat::OpenAiResponses, "/input/1/arguments"),
        (ModelFormat::Anthropic, "/messages/1/content/0/input"),
    ] {
        let fake = FakeModel::start().await;
        let call = ("a".to_owned(), "find".to_owned(), "{\"q\":1,}".to_owned());
        fake.script([LlmReply::answer(LlmAnswer { calls: vec![call], ..LlmAnswer::default() })]);
        fake.always(LlmReply::text(["ok"]));
        let client = client(&fake, format);
        let mut answer = ask(&client, &request([])).await.0.unwrap();
        "{\"q\":1}".clone_into(&mut answer.calls[0].arguments);
        ask(&client, &request([step(&answer)])).await.0.unwrap();
        let sent = fake.requests()[1].body.pointer(pointer).unwrap().clone();
        let sent = sent.as_str().map_or_else(|| sent.to_string(), str::to_owned);
        assert_eq!(sent, "{\"q\":1}", "{format:?}");
    }
}

#[tokio::test]
async fn a_refusal_stands_where_it_came() {
    let answer = answer(&[json!({ "refusal": "no " }), json!({ "content": "yes" })], "stop").await;
    assert_eq!(answer.text, "no yes");
    let expected = json!({ "role": "assistant", "content": "yes", "refusal": "no " });
    assert_eq!(answer.native.message, expected);
}

/// PostgreSQL can't store the character.
#[tokio::test]
async fn nul_characters_are_replaced() {
    let call = json!({ "index": 0, "id": "a\0", "function": { "name": "find\0", "arguments": "{}\0" } });
    let answer = answer(&[json!({ "content": "x\0y" }), json!({ "tool_calls": [call] })], "tool_calls").await;
    assert_eq!((answer.text.as_str(), answer.calls[0].id.as_str()), ("x\u{FFFD}y", "a\u{FFFD}"));
    assert_eq!(calls(&answer), [("find\u{FFFD}", "{}\u{FFFD}")]);
}

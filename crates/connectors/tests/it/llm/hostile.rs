//! Providers that misbehave, in every format.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::{Value, json};
use toolcrib_connectors::llm::{
    Finish, LlmClient, LlmSettings, ModelAnswer, ModelError, ModelEvent, ModelFormat, Provider, Usage,
};
use toolcrib_testkit::{FakeModel, LlmAnswer, LlmReply};

use super::{
    KEY, ask, bearer, calls, client, client_with, provider, quick, request, shown_text, step, stream,
};

/// The events of a format for pieces of an answer.
struct Events {
    format: ModelFormat,
    text: fn(&str) -> Value,
    /// A call with a number.
    call: fn(usize, &str) -> Vec<Value>,
    end: Value,
}

fn all() -> [Events; 3] {
    [
        Events {
            format: ModelFormat::OpenAi,
            text: |text| json!({ "choices": [{ "delta": { "content": text } }] }),
            call: |n, arguments| {
                let function = json!({ "name": "one", "arguments": arguments });
                let call = json!({ "index": n, "id": format!("c{n}"), "function": function });
                vec![json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })]
            },
            end: json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
        },
        Events {
            format: ModelFormat::OpenAiResponses,
            text: |text| json!({ "type": "response.output_text.delta", "delta": text }),
            call: |n, arguments| {
                let mut item = json!({ "type": "function_call", "name": "one", "arguments": arguments });
                item["call_id"] = format!("c{n}").into();
                vec![json!({ "type": "response.output_item.done", "output_index": n, "item": item })]
            },
            end: json!({ "type": "response.completed", "response": {} }),
        },
        Events {
            format: ModelFormat::Anthropic,
            text: |text| {
                let block = json!({ "type": "text", "text": text });
                json!({ "type": "content_block_start", "index": 0, "content_block": block })
            },
            call: |n, arguments| {
                let block = json!({ "type": "tool_use", "id": format!("c{n}"), "name": "one", "input": {} });
                let delta = json!({ "type": "input_json_delta", "partial_json": arguments });
                vec![
                    json!({ "type": "content_block_start", "index": n, "content_block": block }),
                    json!({ "type": "content_block_delta", "index": n, "delta": delta }),
                    json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
                ]
            },
            end: json!({ "type": "message_stop" }),
        },
    ]
}

impl Events {
    /// What becomes of this reply, how often it was asked for, and what was shown.
    async fn outcome(&self, reply: LlmReply) -> (Result<ModelAnswer, ModelError>, usize, Vec<ModelEvent>) {
        let fake = FakeModel::start().await;
        fake.always(reply);
        let (answer, shown) = ask(&client(&fake, self.format), &request([])).await;
        (answer, fake.requests().len(), shown)
    }

    fn stream(&self, events: &[Value]) -> String {
        stream(events) + &stream([&self.end])
    }
}

#[tokio::test]
async fn nothing_runs_from_an_answer_without_a_proper_end() {
    for events in all() {
        let call = (events.call)(0, "{\"n\":1}");
        let whole = events.stream(&call);
        let arguments = whole.find("{\\\"n\\\"").unwrap();
        for broken in [
            stream(&call[..1]),
            whole[..arguments + 4].to_owned(),
            stream(&[(events.text)("Hi")]),
            String::new(),
            "<html><body>data: 502 Bad Gateway</body></html>".to_owned(),
            "data: <html>\n\n".to_owned(),
            format!("data: {}1{}\n\n", "[".repeat(500), "]".repeat(500)),
            format!("data: {}\n\n", "{\"a\":".repeat(100_000)),
        ] {
            let (answer, requests, _) = events.outcome(LlmReply::stream(broken.clone())).await;
            let broken = broken.get(..200).unwrap_or(&broken);
            match answer.unwrap_err() {
                ModelError::Broken => assert_eq!(requests, 3, "{:?}: {broken}", events.format),
                ModelError::TooLarge(_) if broken.contains("{\"a\":{\"a\":") => {}
                error => panic!("{:?}: {broken}: {error:?}", events.format),
            }
        }
        let (answer, requests, _) =
            events.outcome(LlmReply::body(200, "text/html", "<html>hello</html>")).await;
        assert_eq!((answer.unwrap_err(), requests), (ModelError::Broken, 3));
    }
}

/// The tokens of the answers that were broken or refused.
fn used(shown: &[ModelEvent]) -> Vec<Usage> {
    let used = |event: &ModelEvent| if let ModelEvent::Used(usage) = event { Some(*usage) } else { None };
    shown.iter().filter_map(used).collect()
}

#[tokio::test]
async fn what_an_answer_without_an_end_used_is_told() {
    let arguments = format!("{{\"n\":\"{}", "x".repeat(20_000));
    let delta = json!({ "type": "response.function_call_arguments.delta", "delta": arguments });
    let [chat, responses, messages] = all();
    for (events, body) in [
        (&chat, (chat.call)(0, &arguments)),
        (&responses, (responses.call)(0, &arguments)),
        (&responses, vec![delta]),
        (&messages, (messages.call)(0, &arguments)[..2].to_vec()),
    ] {
        let (answer, requests, shown) = events.outcome(LlmReply::stream(stream(&body))).await;
        assert_eq!((answer.unwrap_err(), requests), (ModelError::Broken, 3));
        let used = used(&shown);
        let is_estimate = |used: &Usage| {
            used.estimated && used.input_tokens > 10 && (5_000..5_200).contains(&used.output_tokens)
        };
        assert!(used.len() == 3 && used.iter().all(is_estimate), "{:?}: {used:?}", events.format);
    }
}

#[tokio::test]
async fn what_an_answer_that_is_too_large_used_is_told() {
    for events in all() {
        let call = ("c".to_owned(), "one".to_owned(), "x".repeat(300 * 1024));
        let large = LlmAnswer { calls: vec![call], usage: [50_000, 0, 75_000], ..LlmAnswer::default() };
        let (answer, _, shown) = events.outcome(LlmReply::answer(large)).await;
        assert!(matches!(answer.unwrap_err(), ModelError::TooLarge(_)));
        let told = Usage { input_tokens: 50_000, output_tokens: 75_000, ..Usage::default() };
        assert_eq!(used(&shown), [told], "{:?}", events.format);
    }
}

#[tokio::test]
async fn an_answer_has_at_most_256_calls() {
    for events in all() {
        for count in [256, 257] {
            let call = |n: usize| (format!("c{n}"), "one".to_owned(), "{}".to_owned());
            let many = LlmAnswer { calls: (0..count).map(call).collect(), ..LlmAnswer::default() };
            let (answer, _, shown) = events.outcome(LlmReply::answer(many)).await;
            match answer {
                Ok(answer) => assert_eq!((answer.calls.len(), count), (256, 256)),
                Err(error) => {
                    assert!(count == 257 && matches!(error, ModelError::TooLarge(_)), "{error:?}");
                    assert!(used(&shown)[0].output_tokens > 256, "{shown:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn calls_with_the_same_id_are_told_apart() {
    for format in ModelFormat::ALL {
        let fake = FakeModel::start().await;
        let call = |arguments: &str| ("toolu_1".to_owned(), "one".to_owned(), arguments.to_owned());
        let same = LlmAnswer { calls: vec![call("{\"n\":1}"), call("{\"n\":2}")], ..LlmAnswer::default() };
        fake.script([LlmReply::answer(same), LlmReply::text(["Done."])]);
        let client = client(&fake, *format);
        let answer = ask(&client, &request([])).await.0.unwrap();
        assert_eq!(calls(&answer), [("one", "{\"n\":1}"), ("one", "{\"n\":2}")], "{format:?}");
        let ids: Vec<&str> = answer.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["toolu_1", "toolu_1_1"], "{format:?}");
        ask(&client, &request([step(&answer)])).await.0.unwrap();
        let sent = fake.requests()[1].body.to_string();
        assert_eq!(sent.matches("\"toolu_1_1\"").count(), 2, "{sent}");
    }
}

#[tokio::test]
async fn a_call_that_is_cut_is_no_call() {
    for (events, finish) in all().iter().zip(["length", "max_output_tokens", "max_tokens"]) {
        let call = ("c".to_owned(), "one".to_owned(), "{\"n\":".to_owned());
        let cut = LlmAnswer { calls: vec![call], finish: Some(finish), ..LlmAnswer::default() };
        let (answer, ..) = events.outcome(LlmReply::answer(cut)).await;
        let answer = answer.unwrap();
        assert_eq!((calls(&answer), answer.finish), (vec![("one", "{\"n\":")], Finish::Length));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_ends_soon() {
    const MIB: usize = 1024 * 1024;
    for events in all() {
        let many = (0..10_000).flat_map(|n| (events.call)(n, "{}")).collect::<Vec<_>>();
        let long = (events.call)(0, &format!("{{\"n\":\"{}\"}}", "x".repeat(300 * 1024)));
        let text = stream(&[(events.text)(&"x".repeat(MIB / 4))]);
        for (name, reply, most) in [
            ("calls", LlmReply::stream(events.stream(&many)), 4 * MIB),
            ("arguments", LlmReply::stream(events.stream(&long)), MIB),
            ("text", LlmReply::endless(text), 5 * MIB),
            ("a line", LlmReply::endless("x".repeat(64 * 1024)), 9 * MIB),
            ("an event", LlmReply::endless(format!("data: {}\n", "[".repeat(64 * 1024))), 9 * MIB),
            ("values", LlmReply::stream(format!("data: [{}0]\n\n", "0,".repeat(MIB))), 3 * MIB),
            ("comments", LlmReply::endless(format!(": {}\n\n", "x".repeat(MIB))), 65 * MIB),
        ] {
            if name == "comments" && events.format != ModelFormat::OpenAi {
                // They are read before the formats differ.
                continue;
            }
            let fake = FakeModel::start().await;
            fake.always(reply);
            let settings = LlmSettings { whole: Duration::from_mins(2), ..quick() };
            let error = ask(&client_with(&fake, events.format, settings), &request([])).await.0.unwrap_err();
            assert!(matches!(error, ModelError::TooLarge(_)), "{:?} {name}: {error:?}", events.format);
            // What the sockets hold was sent too.
            let sent = usize::try_from(fake.sent.load(Ordering::SeqCst)).unwrap();
            assert!(sent <= most + 16 * MIB, "{:?} {name}: {sent} bytes", events.format);
            assert_eq!(fake.requests().len(), 1, "{name}");
        }
    }
}

#[tokio::test]
async fn odd_texts_are_texts() {
    for events in all() {
        let odd = "data: {\"error\":1}\n\ndata: [DONE]\u{2028}\u{202e}<b>";
        let mut body = events.stream(&[(events.text)(odd)]).into_bytes();
        if events.format == ModelFormat::Anthropic {
            body = events.stream(&[(events.text)(odd), (events.call)(9, "{}").remove(2)]).into_bytes();
        }
        let (answer, _, shown) = events.outcome(LlmReply::stream(body.clone())).await;
        assert_eq!((answer.unwrap().text.as_str(), shown_text(&shown).as_str()), (odd, odd));
        // Bytes that are not UTF-8, and half of a pair of surrogates.
        let at = body.windows(3).position(|window| window == b"<b>").unwrap();
        for broken in [b"\xff\xfe".as_slice(), b"\\ud800"] {
            let mut body = body.clone();
            body.splice(at..at, broken.iter().copied());
            let (answer, _, shown) = events.outcome(LlmReply::stream(body)).await;
            let text = answer.unwrap().text;
            assert!(text.contains('\u{fffd}') && text.ends_with("<b>"), "{:?}: {text}", events.format);
            assert_eq!(shown_text(&shown), text);
        }
    }
}

#[tokio::test]
async fn the_key_is_shown_nowhere() {
    for events in all() {
        for at in 1..KEY.len() {
            let (begin, end) = KEY.split_at(at);
            let pieces = ["Ask with ", begin, end, ", as I do: ", begin, "."];
            let answer = LlmAnswer {
                reasoning: format!("It is {KEY}."),
                text: pieces.map(str::to_owned).to_vec(),
                calls: vec![(KEY.to_owned(), KEY.to_owned(), format!("{{\"k\":\"{KEY}\"}}"))],
                ..LlmAnswer::default()
            };
            let (answer, _, shown) = events.outcome(LlmReply::answer(answer)).await;
            let answer = answer.unwrap();
            let everything = format!("{answer:?}");
            assert!(!everything.contains(KEY) && answer.text.contains("•••, as I do"), "{everything}");
            let shown = shown_text(&shown);
            assert!(!shown.contains(KEY), "{shown}");
            assert!(shown.ends_with(&format!("•••, as I do: {begin}.")), "{shown}");
            assert!(shown.starts_with("Ask with •••"), "{shown}");
            assert_eq!(answer.calls[0].id, "•••");
        }
        let (answer, ..) = events.outcome(LlmReply::error(400, "bad", &format!("Bad key {KEY}"))).await;
        let error = answer.unwrap_err();
        assert!(error.provider_text().unwrap().contains("Bad key •••"), "{error:?}");
        assert!(!format!("{error} {error:?}").contains(KEY) && !error.to_string().contains("Bad key"));
    }
}

#[tokio::test]
async fn what_is_shown_of_a_key_is_stored() {
    for events in all() {
        let text = format!("a {KEY} b").chars().map(String::from).collect();
        let (answer, _, shown) =
            events.outcome(LlmReply::answer(LlmAnswer { text, ..LlmAnswer::default() })).await;
        assert_eq!(answer.unwrap().text, "a ••• b");
        assert_eq!(shown_text(&shown), "a ••• b");
    }
}

#[tokio::test]
async fn a_word_as_key_stays_a_word() {
    let fake = FakeModel::start().await;
    fake.always(LlmReply::text(["Start ", "ollama."]));
    for format in ModelFormat::ALL {
        let provider = Provider { credential: Some(bearer("ollama")), ..provider(&fake, *format, quick()) };
        let (answer, shown) = ask(&LlmClient::new(provider), &request([])).await;
        assert_eq!(
            (answer.unwrap().text.as_str(), shown_text(&shown).as_str()),
            ("Start ollama.", "Start ollama.")
        );
    }
}

//! When a model is asked again, and when not.

use std::time::{Duration, Instant};

use serde_json::json;
use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, Model as _, ModelError, ModelEvent, ModelFormat, Provider},
    upstream::{UpstreamClient, UpstreamClientSettings},
};
use toolcrib_testkit::{FakeModel, LlmAnswer, LlmReply, eventually};

use super::{ask, client, client_with, provider, quick, request, shown_text, step};

const CHAT: ModelFormat = ModelFormat::OpenAi;

/// What becomes of a request that is answered so, and how many requests there were.
async fn outcome(replies: impl IntoIterator<Item = LlmReply>) -> (Result<String, ModelError>, usize) {
    let fake = FakeModel::start().await;
    fake.script(replies);
    let (answer, _) = ask(&client(&fake, CHAT), &request([])).await;
    (answer.map(|answer| answer.text), fake.requests().len())
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    let inside = |code: &str| {
        LlmReply::stream(format!("data: {{\"error\":{{\"code\":{code},\"message\":\"x\"}}}}\n\n"))
    };
    for passing in [
        LlmReply::error(408, "timeout", ""),
        LlmReply::error(429, "rate_limit_exceeded", ""),
        LlmReply::error(429, "rate_limit_exceeded", "").header("retry-after", "0"),
        LlmReply::error(500, "server_error", ""),
        LlmReply::error(529, "overloaded_error", ""),
        inside("502"),
        inside("\"server_error\""),
        LlmReply::body(200, "application/json", r#"{"error":"no capacity"}"#),
        LlmReply::text(["a", "b"]).cut_after(2),
        LlmReply::text(["a", "b"]).silent_after(2),
        LlmReply::stream("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"),
        LlmReply::stream("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n"),
        LlmReply::stream("data: {\"choices\":\n\n"),
        LlmReply::body(200, "text/html", "<html>data: [DONE]</html>"),
    ] {
        let name = format!("{passing:?}");
        let (answer, requests) = outcome([passing.clone(), passing, LlmReply::text(["fine"])]).await;
        assert_eq!((answer.as_deref(), requests), (Ok("fine"), 3), "{name}");
    }
}

#[tokio::test]
async fn what_stays_is_an_error_at_once() {
    for (reply, expected) in [
        (LlmReply::error(400, "invalid", "bad tools"), "the provider answered with status 400"),
        (
            LlmReply::error(401, "invalid_api_key", "no"),
            "the provider answered with status 401: its key is refused",
        ),
        (
            LlmReply::error(429, "insufficient_quota", "pay"),
            "the provider says that the quota or the credit of its key is used up",
        ),
        (
            LlmReply::error(429, "slow", "").header("retry-after", "31"),
            "the provider answered with status 429: too many requests",
        ),
        (
            LlmReply::error(400, "context_length_exceeded", "big"),
            "the conversation is too long for the model",
        ),
        (
            LlmReply::error(400, "x", "gemma does not support tools"),
            "the provider answered with status 400: the model does not support tools: choose another one",
        ),
        (
            LlmReply::error(307, "x", "").header("location", "/elsewhere"),
            "the provider answered with status 307: a redirect, which is not followed",
        ),
        (
            LlmReply::stream("data: {\"error\":{\"code\":\"insufficient_quota\"}}\n\n"),
            "the provider says that the quota or the credit of its key is used up",
        ),
    ] {
        let (answer, requests) = outcome([reply]).await;
        let error = answer.unwrap_err();
        assert_eq!((error.to_string().as_str(), requests), (expected, 1));
        assert!(error.status().is_some_and(|status| status >= 300), "{error:?}");
    }
    let (answer, requests) = outcome((0..4).map(|_| LlmReply::error(503, "down", "for an hour"))).await;
    let error = answer.unwrap_err();
    assert_eq!((error.status(), requests), (Some(503), 3));
    assert!(error.provider_text().unwrap().contains("for an hour"));
    assert!(!format!("{error} {error:?}").contains("for an hour"), "{error:?}");
}

#[tokio::test]
async fn a_break_after_text_was_shown_is_told() {
    let fake = FakeModel::start().await;
    fake.script([
        LlmReply::text(["Hel", "lo"]).cut_after(2),
        LlmReply::error(500, "x", ""),
        LlmReply::text(["Hello"]),
    ]);
    let (answer, shown) = ask(&client(&fake, CHAT), &request([])).await;
    assert_eq!(answer.unwrap().text, "Hello");
    let [begin, ModelEvent::Used(used), again @ ..] = shown.as_slice() else { panic!("{shown:?}") };
    let events = [ModelEvent::Restarted, ModelEvent::Text("Hello".into())];
    assert_eq!((begin, again), (&ModelEvent::Text("Hel".into()), events.as_slice()));
    assert!(used.estimated && used.input_tokens > 10 && used.output_tokens == 1, "{used:?}");
    assert_eq!(shown_text(&shown), "Hello");
}

#[tokio::test]
async fn a_refused_member_is_left_out_from_then_on() {
    let fake = FakeModel::start().await;
    let refused = |message: &str| LlmReply::error(400, "unsupported_parameter", message);
    fake.script([
        refused("Unsupported parameter: 'temperature'"),
        refused("unknown field `stream_options`"),
        LlmReply::text(["one"]),
        LlmReply::text(["two"]),
        LlmReply::text(["three"]),
        refused("temperature must be 1"),
        LlmReply::text(["four"]),
    ]);
    let settings = quick();
    let mut warm = request([]);
    warm.temperature = Some(0.5);
    for text in ["one", "two"] {
        // Clients with the same settings share what they learned.
        let (answer, _) = ask(&client_with(&fake, CHAT, settings.clone()), &warm).await;
        assert_eq!(answer.unwrap().text, text);
    }
    warm.model = "large".to_owned();
    let client = client_with(&fake, CHAT, settings);
    assert_eq!(ask(&client, &warm).await.0.unwrap().text, "three");
    warm.temperature = None;
    // What was not sent can't be left out.
    assert_eq!(ask(&client, &warm).await.0.unwrap_err().status(), Some(400));
    let sent = fake.requests();
    let has: Vec<(bool, bool)> = sent
        .iter()
        .map(|sent| (sent.body.get("temperature").is_some(), sent.body.get("stream_options").is_some()))
        .collect();
    assert_eq!(
        has,
        [(true, true), (false, true), (false, false), (false, false), (true, true), (false, true)]
    );
    assert_eq!(sent[4].body["temperature"], json!(0.5));
}

/// The value of one request, and the length of one conversation, say nothing of the next request.
#[tokio::test]
async fn what_one_request_is_refused_for_is_not_remembered() {
    let fake = FakeModel::start().await;
    let refused = |message: &str| LlmReply::error(400, "invalid_request_error", message);
    let too_long = "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000";
    fake.script([refused("temperature: range: 0..1"), LlmReply::text(["one"]), refused(too_long)]);
    fake.always(LlmReply::text(["two"]));
    let client = client(&fake, ModelFormat::Anthropic);
    let mut warm = request([]);
    warm.temperature = Some(1.5);
    assert_eq!(ask(&client, &warm).await.0.unwrap().text, "one");
    warm.temperature = Some(0.5);
    let error = ask(&client, &warm).await.0.unwrap_err();
    assert!(matches!(error, ModelError::ContextTooLong { .. }), "{error:?}");
    assert_eq!(ask(&client, &warm).await.0.unwrap().text, "two");
    let sent = fake.requests();
    let sent: Vec<_> =
        sent.iter().map(|sent| (&sent.body["temperature"], &sent.body["max_tokens"])).collect();
    let (half, most) = (json!(0.5), json!(16_000));
    assert_eq!(sent, [(&json!(1.5), &most), (&json!(null), &most), (&half, &most), (&half, &most)]);
}

#[tokio::test]
async fn what_one_upstream_refuses_is_sent_to_another() {
    let fake = FakeModel::start().await;
    fake.script([LlmReply::error(400, "x", "Unsupported parameter: 'temperature'")]);
    fake.always(LlmReply::text(["fine"]));
    let settings = quick();
    let mut warm = request([]);
    warm.temperature = Some(0.5);
    ask(&client_with(&fake, CHAT, settings.clone()), &warm).await.0.unwrap();
    let other = Provider { upstream: "v/models".to_owned(), ..provider(&fake, CHAT, settings) };
    ask(&LlmClient::new(other), &warm).await.0.unwrap();
    assert_eq!(fake.requests()[2].body["temperature"], 0.5);
}

/// Some refuse a message with reasoning, some a call without.
#[tokio::test]
async fn reasoning_is_sent_back_as_the_provider_wants_it() {
    let missing = LlmReply::error(400, "invalid", "Missing `reasoning_content` in the message at index 2");
    let unsupported = LlmReply::error(400, "invalid", "property 'reasoning_content' is unsupported");
    let call = ("a".to_owned(), "find".to_owned(), "{}".to_owned());
    let thoughtful =
        LlmAnswer { reasoning: "Hm.".to_owned(), calls: vec![call.clone()], ..LlmAnswer::default() };
    let plain = LlmAnswer { calls: vec![call], ..LlmAnswer::default() };
    for (answer, refusal, expected) in
        [(plain, missing, [None, Some(" "), Some(" ")]), (thoughtful, unsupported, [Some("Hm."), None, None])]
    {
        let fake = FakeModel::start().await;
        fake.script([LlmReply::answer(answer), refusal]);
        fake.always(LlmReply::text(["fine"]));
        let client = client(&fake, CHAT);
        let answer = ask(&client, &request([])).await.0.unwrap();
        for _ in 0..2 {
            ask(&client, &request([step(&answer)])).await.0.unwrap();
        }
        let requests = fake.requests();
        let sent = requests.iter().skip(1).map(|sent| sent.body["messages"][2]["reasoning_content"].as_str());
        assert_eq!(sent.collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn silence_ends_in_time_and_a_dropped_question_closes_the_connection() {
    let fake = FakeModel::start().await;
    fake.always(LlmReply::text(["a"]).silent_after(0));
    let settings = LlmSettings { idle: Duration::from_millis(100), ..quick() };
    let begun = Instant::now();
    let (answer, _) = ask(&client_with(&fake, CHAT, settings.clone()), &request([])).await;
    assert_eq!(answer.unwrap_err(), ModelError::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(fake.requests().len(), 3);

    // A stream that never pauses ends with the whole time.
    let slow = FakeModel::start().await;
    slow.always(LlmReply::endless(": wait\n\n").pace(Duration::from_millis(20)));
    let settings = LlmSettings { whole: Duration::from_millis(400), ..settings };
    let begun = Instant::now();
    let (answer, _) = ask(&client_with(&slow, CHAT, settings), &request([])).await;
    assert_eq!(answer.unwrap_err(), ModelError::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());

    let fake = FakeModel::start().await;
    fake.always(LlmReply::text(["a", "b"]).silent_after(2));
    let client = client_with(&fake, CHAT, LlmSettings::default());
    let asked = request([]);
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mut on_event = move |event| sender.send(event).unwrap();
    let asking = client.ask(&asked, &mut on_event);
    tokio::select! {
        _ = asking => panic!("it never ends"),
        event = receiver.recv() => assert_eq!(event, Some(ModelEvent::Text("a".into()))),
    }
    eventually("the provider sees it", async || fake.hangups() == 1).await;
}

#[tokio::test]
async fn addresses_are_guarded() {
    let fake = FakeModel::start().await;
    let asked = |allowed: &[&str], own: &[&str], url: &str| {
        let list = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect();
        let client = UpstreamClient::new(UpstreamClientSettings {
            allowed_hosts: list(allowed),
            own_hosts: list(own),
        });
        let provider = Provider {
            client: client.unwrap(),
            upstream: "w/m".to_owned(),
            base_url: url.parse().unwrap(),
            format: CHAT,
            credential: None,
            roots: None,
            settings: quick(),
        };
        async move { ask(&LlmClient::new(provider), &request([])).await.0.unwrap_err() }
    };
    for error in [
        asked(&[], &[], &fake.url).await,
        asked(&[], &[], &fake.url.replace("http:", "https:")).await,
        asked(&["127.0.0.1"], &["127.0.0.1"], &fake.url).await,
    ] {
        assert!(matches!(error, ModelError::AddressRefused(_)), "{error:?}");
    }
    let error = asked(&["127.0.0.1"], &[], "http://127.0.0.1:1").await;
    assert_eq!(error.to_string(), "the provider can't be asked: it refused the connection");
    assert_eq!(fake.requests().len(), 0);
}

//! Readers of a stream that are slow, gone, too many, or at another process.

use axum::body::BodyDataStream;

use super::*;

/// Sends a message, and returns the bytes of the stream as they come.
async fn open(client: &Client<'_>, body: &Value) -> BodyDataStream {
    let body = Body::from(serde_json::to_vec(body).unwrap());
    let response = client.open("POST", CHAT, Some("application/json"), body).await;
    assert_eq!(response.status(), 200);
    response.into_body().into_data_stream()
}

/// Reads a stream until it has a text.
async fn read_until(stream: &mut BodyDataStream, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        read.push_str(std::str::from_utf8(&stream.next().await.unwrap().unwrap()).unwrap());
    }
    read
}

fn in_thread(thread: &str) -> Value {
    let mut body = says("Hello");
    body["id"] = json!(thread);
    body
}

#[both_databases]
async fn a_client_that_hangs_up_comes_back(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    model.script([LlmReply::text(["One ", "two ", "three."]).silent_after(3)]);
    let mut stream = open(&owner, &says("Count")).await;
    read_until(&mut stream, "text-delta").await;
    drop(stream);
    // While it runs, the list ends with the person's message, and the stream gives the rest from its start.
    let thread = owner.get("/v1/assistant/threads/t1").await.ok(200);
    assert_eq!(thread["messages"].as_array().unwrap().len(), 1, "{thread}");
    let response = owner.open("GET", "/v1/assistant/chat/t1/stream", None, Body::empty()).await;
    assert_eq!(response.status(), 200);
    owner.post("/v1/assistant/threads/t1/stop", json!({})).await.ok(200);
    let rest = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let rest = String::from_utf8(rest.to_vec()).unwrap();
    assert!(
        rest.contains("One ") && rest.contains("\"abort\"") && rest.ends_with("data: [DONE]\n\n"),
        "{rest}"
    );
    eventually("the connection is closed", async || model.hangups() == 1).await;
    // What was said before the stop stays.
    let thread = owner.get("/v1/assistant/threads/t1").await.ok(200);
    assert_eq!(thread["messages"][1]["parts"][1]["text"], "One two ", "{thread}");
    assert_eq!(owner.get("/v1/assistant/chat/t1/stream").await.status, 204);
}

/// A run waits for no reader. Who was slow gets the text in larger pieces.
#[both_databases]
async fn a_slow_reader_delays_no_run_and_loses_no_text(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let words: Vec<String> = (0..2_000).map(|n| format!("word {n} ")).collect();
    model.script([LlmReply::text(words.clone()).pace(Duration::from_micros(200))]);
    let mut stream = open(&owner, &says("Talk")).await;
    let begun = read_until(&mut stream, "text-delta").await;
    eventually("the run ends", async || {
        let thread = owner.get("/v1/assistant/threads/t1").await.ok(200);
        thread["messages"].as_array().unwrap().len() == 2
    })
    .await;
    let all = begun + &read_until(&mut stream, "[DONE]").await;
    let data = all.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
    let chunks: Vec<Value> = data.map(|chunk| serde_json::from_str(chunk).unwrap()).collect();
    assert_eq!(text_of(&chunks), words.concat());
    assert!(kinds(&chunks).len() < 1_000, "{}", chunks.len());
}

#[both_databases]
async fn a_message_beyond_the_open_streams_is_not_taken(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    model.always(LlmReply::text(["One ", "two"]).silent_after(3));
    let mut streams = Vec::new();
    for thread in ["a", "b"] {
        let mut stream = open(&owner, &in_thread(thread)).await;
        read_until(&mut stream, "One ").await;
        streams.push(stream);
        for _ in 0..3 {
            let path = format!("/v1/assistant/chat/{thread}/stream");
            let response = owner.open("GET", &path, None, Body::empty()).await;
            assert_eq!(response.status(), 200);
            streams.push(response.into_body().into_data_stream());
        }
    }
    let refused = owner.post(CHAT, in_thread("c")).await.problem(429, "rate_limited");
    assert!(refused["hint"].as_str().unwrap().contains("/v1/assistant/threads/{thread}"), "{refused}");
    owner.get("/v1/assistant/threads/c").await.problem(404, "not_found");
    // Others are not concerned, and a stream that is closed makes room.
    drop(open(&app.as_role(Role::Admin), &in_thread("a")).await);
    streams.clear();
    eventually("there is room", async || {
        let body = Body::from(serde_json::to_vec(&in_thread("c")).unwrap());
        owner.open("POST", CHAT, Some("application/json"), body).await.status() == 200
    })
    .await;
}

#[both_databases]
async fn the_run_of_another_process_is_streamed_and_stopped(db: TestDb) {
    let (app, model) = app(db).await;
    let other = app.process_without_runs();
    let owner = app.owner();
    let owner = owner.of(&other);
    model.script([LlmReply::text(["Good ", "morning."]), LlmReply::text(["One ", "two"]).silent_after(3)]);
    let chunks = send(&owner, says("Hello")).await;
    assert_eq!(text_of(&chunks), "Good morning.");
    assert_eq!(chunks.last().unwrap()["finishReason"], "stop");

    let mut stream = open(&owner, &in_thread("t2")).await;
    eventually("the model is asked", async || model.requests().len() == 2).await;
    owner.post("/v1/assistant/threads/t2/stop", json!({})).await.ok(200);
    let rest = read_until(&mut stream, "[DONE]").await;
    assert!(rest.contains("One ") && rest.contains("\"abort\""), "{rest}");
    eventually("the connection is closed", async || model.hangups() == 1).await;
}

#[both_databases]
async fn a_prompt_that_was_cut_is_told_once(db: TestDb) {
    let model = FakeModel::start().await;
    let app = App::with_context(db, &model, 8_000).await;
    // The tools alone have more than twice the tokens that the provider says it has read.
    model.script([LlmReply::calls([("platform_list_agents", json!({}))]), LlmReply::text(["None."])]);
    let chunks = send(&app.owner(), says("Which agents?")).await;
    let notices: Vec<&Value> = chunks.iter().filter(|chunk| chunk["type"] == "data-notice").collect();
    assert_eq!(notices.len(), 1, "{chunks:?}");
    assert_eq!(notices[0]["data"]["code"], "prompt_cut");
}

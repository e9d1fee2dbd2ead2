//! Events over a real connection.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::binary::{Server, demo, folder};

/// Reads the stream until this text has arrived.
pub async fn until(stream: &mut reqwest::Response, wanted: &str) -> String {
    let mut bytes = Vec::new();
    loop {
        // A chunk may end in the middle of a character.
        if let Ok(text) = std::str::from_utf8(&bytes)
            && text.contains(wanted)
        {
            return text.to_owned();
        }
        let more = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await;
        bytes.extend(more.expect("in time").unwrap().expect("the stream goes on"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_what_happens_and_lets_the_service_stop() {
    let folder = folder();
    let server = Server::start(folder.path(), &["--demo"]);
    let workspace = demo(folder.path())["workspaces"][0].take();
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().to_owned();
    let client = reqwest::Client::new();
    let ask = |request: reqwest::RequestBuilder| {
        request.bearer_auth(text("/owner/token")).header("X-Workspace-Id", text("/id")).send()
    };
    let mut stream = ask(client.get(format!("{}/v1/events", server.base()))).await.unwrap();
    assert_eq!(
        (stream.status().as_u16(), &stream.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    until(&mut stream, ": listening").await;
    let create = client.post(format!("{}/v1/actions/platform_create_agent", server.base()));
    assert_eq!(ask(create.json(&json!({ "name": "Witness" }))).await.unwrap().status(), 200);
    let mut told = until(&mut stream, "\n\n").await;
    while !told.contains(r#""name":"Witness""#) {
        // A heartbeat of the demo was due.
        told += &until(&mut stream, "\n\n").await;
    }
    assert!(told.contains("event: agent.created\n") && told.contains(r#""name":"Witness""#), "{told}");
    // An open stream does not delay the end of the service.
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Another event may have been on its way. The stream ends without an error.
    while stream.chunk().await.unwrap().is_some() {}
}

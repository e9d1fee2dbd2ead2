//! Webhooks of the real binary: three processes on one PostgreSQL, one of which is killed. The receiver
//! verifies signatures with the specification's own library and the real clock.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::net::TcpListener;
use toolcrib_testkit::eventually;

use crate::binary::{Server, demo, folder};

/// Headers and bodies of the requests that were received.
type Got = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// Starts a receiver on this machine. Returns its address and what it receives.
async fn receiver() -> (String, Got) {
    let got = Got::default();
    let kept = got.clone();
    let take = move |head: HeaderMap, body: Bytes| {
        kept.lock().unwrap().push((head, body));
        async { StatusCode::NO_CONTENT }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(take)).await });
    (host, got)
}

struct Owner {
    token: String,
    workspace: String,
    http: reqwest::Client,
}

impl Owner {
    async fn post(&self, base: &str, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{base}{path}")).bearer_auth(&self.token);
        let answer = request.header("X-Workspace-Id", &self.workspace).json(&body).send().await.unwrap();
        let (status, body) = (answer.status(), answer.json::<Value>().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {body}");
        body
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_processes_send_each_event_with_a_valid_signature() {
    let (folder, database) = (folder(), toolcrib_testkit::postgres().await);
    let (host, got) = receiver().await;
    let url = database.url();
    let start = |log: &str| {
        Server::start_as(log, folder.path(), &["--demo", "--database", &url, "--webhook-hosts", &host])
    };
    let (doomed, second, third) = (start("one.txt"), start("two.txt"), start("three.txt"));
    let place = demo(folder.path())["workspaces"][0].take();
    let text = |path: &str| place.pointer(path).unwrap().as_str().unwrap().to_owned();
    let owner = Owner { token: text("/owner/token"), workspace: text("/id"), http: reqwest::Client::new() };
    let hook = json!({ "url": format!("http://{host}/hook"), "types": ["memory.*"] });
    let made = owner.post(&second.base(), "/v1/webhooks", hook).await;
    let remember = |n: usize| json!({ "content": format!("event {n}") });
    for n in 0..10 {
        owner.post(&doomed.base(), "/v1/actions/platform_store_memory", remember(n)).await;
    }
    doomed.kill();
    let mut written = 10;
    for n in 10..20 {
        let base = if n % 2 == 0 { second.base() } else { third.base() };
        let answer =
            owner.http.post(format!("{base}/v1/actions/platform_store_memory")).bearer_auth(&owner.token);
        let answer =
            answer.header("X-Workspace-Id", &owner.workspace).json(&remember(n)).send().await.unwrap();
        assert!(answer.status().is_success() || answer.status() == 429, "{}", answer.status());
        written += usize::from(answer.status().is_success());
    }
    let webhook = Webhook::new(made["secret"].as_str().unwrap()).unwrap();
    let times = eventually("each event comes", async || {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for (head, body) in got.lock().unwrap().iter() {
            webhook.verify(body, head).unwrap();
            *times.entry(head["webhook-id"].to_str().unwrap().to_owned()).or_default() += 1;
        }
        if times.len() < written { Err(format!("{times:?}")) } else { Ok(times) }
    })
    .await;
    // Deliveries that the killed process was sending may be repeated with the same id. No others are.
    let again = times.values().filter(|times| **times > 1).count();
    assert!(again <= 8, "{times:?}");
    println!("{} events verified, {again} of them sent again after the kill", times.len());
}

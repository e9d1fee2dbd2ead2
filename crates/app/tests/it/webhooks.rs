//! Webhooks of the real binary: three processes on one PostgreSQL, one of which is killed. The receiver
//! verifies signatures with the specification's own library and the real clock. The processes are those of
//! `due.rs`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use serde_json::json;
use standardwebhooks::Webhook;
use tokio::net::TcpListener;
use toolcrib_testkit::eventually;

use crate::api::Api;

/// Headers and bodies of the requests that were received.
type Got = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// A receiver on this machine.
pub struct Receiver {
    pub host: String,
    got: Got,
}

impl Receiver {
    pub async fn start() -> Self {
        let got = Got::default();
        let kept = got.clone();
        let take = move |head: HeaderMap, body: Bytes| {
            kept.lock().unwrap().push((head, body));
            async { StatusCode::NO_CONTENT }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(take)).await });
        Self { host, got }
    }

    /// Adds a webhook about memories. Returns what verifies its signatures.
    pub async fn hook(&self, owner: &Api) -> Webhook {
        let hook = json!({ "url": format!("http://{}/hook", self.host), "types": ["memory.*"] });
        let made = owner.post("/v1/webhooks", &hook, 201).await;
        Webhook::new(made["secret"].as_str().unwrap()).unwrap()
    }

    /// Waits until the events of so many memories came.
    pub async fn three_processes_send_each_event_with_a_valid_signature(
        &self,
        webhook: &Webhook,
        written: usize,
    ) {
        let times = eventually("each event comes", async || {
            let mut times: BTreeMap<String, usize> = BTreeMap::new();
            for (head, body) in self.got.lock().unwrap().iter() {
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
}

/// Stores a memory. Returns whether the limit of writes allowed it.
pub async fn remember(owner: &Api, n: usize) -> bool {
    let memory = json!({ "content": format!("event {n}") });
    let (status, answer) =
        owner.ask("POST", "/v1/actions/platform_store_memory", Some(&memory)).await.unwrap();
    assert!(matches!(status, 200 | 429), "{status} {answer}");
    status == 200
}

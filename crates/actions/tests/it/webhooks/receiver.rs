//! A receiver on this machine that keeps what it receives and answers as the test says.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, AtomicUsize, Ordering},
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use serde_json::Value;
use standardwebhooks::Webhook;
use tokio::{net::TcpListener, sync::watch};

/// A message that was received.
#[derive(Clone, Debug)]
pub struct Got {
    head: HeaderMap,
    pub body: String,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.head.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks the signature by signing the body with the specification's own library. Its `verify` uses the
    /// real clock; the test of the binary uses that.
    pub fn verify(&self, secret: &str) -> Result<(), String> {
        let webhook = Webhook::new(secret).map_err(|error| error.to_string())?;
        let at = self.header("webhook-timestamp").parse().unwrap();
        let signed = webhook.sign(self.header("webhook-id"), at, self.body.as_bytes());
        let signed = signed.map_err(|error| error.to_string())?;
        let sent = self.header("webhook-signature");
        if sent.split(' ').any(|one| one == signed) {
            Ok(())
        } else {
            Err(format!("{signed} is none of {sent}"))
        }
    }
}

struct Inner {
    got: Mutex<Vec<Got>>,
    asked: watch::Sender<usize>,
    answered: watch::Sender<usize>,
    status: AtomicU16,
    gate: Mutex<watch::Receiver<bool>>,
    connections: AtomicUsize,
}

/// A receiver, which ends with the test's runtime.
pub struct Receiver {
    pub url: String,
    inner: Arc<Inner>,
}

/// The receiver does not answer while this exists.
pub struct Held(#[expect(dead_code, reason = "dropping it lets go")] watch::Sender<bool>);

impl Receiver {
    pub async fn start() -> Self {
        let inner = Arc::new(Inner {
            got: Mutex::default(),
            asked: watch::channel(0).0,
            answered: watch::channel(0).0,
            status: AtomicU16::new(200),
            gate: Mutex::new(watch::channel(true).1),
            connections: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let serving = inner.clone();
        let app =
            Router::new().fallback(move |head: HeaderMap, body: Bytes| take(serving.clone(), head, body));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, inner }
    }

    /// The messages received so far.
    pub fn got(&self) -> Vec<Got> {
        self.inner.got.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.inner.connections.load(Ordering::SeqCst)
    }

    /// Sets the status of later responses.
    pub fn answers(&self, status: u16) {
        self.inner.status.store(status, Ordering::SeqCst);
    }

    /// Stops answering until the returned value is dropped.
    pub fn hangs(&self) -> Held {
        let (hold, gate) = watch::channel(false);
        *self.inner.gate.lock().unwrap() = gate;
        Held(hold)
    }

    /// Waits until a request has arrived.
    pub async fn reached(&self) {
        self.inner.asked.subscribe().wait_for(|asked| *asked > 0).await.unwrap();
    }

    /// Waits until `count` requests were answered.
    pub async fn has(&self, count: usize) {
        self.inner.answered.subscribe().wait_for(|answered| *answered >= count).await.unwrap();
    }
}

async fn take(inner: Arc<Inner>, head: HeaderMap, body: Bytes) -> StatusCode {
    inner.connections.fetch_add(1, Ordering::SeqCst);
    inner.asked.send_modify(|asked| *asked += 1);
    let mut gate = inner.gate.lock().unwrap().clone();
    // Waits until the gate is open or was dropped.
    drop(gate.wait_for(|open| *open).await);
    inner.got.lock().unwrap().push(Got { head, body: String::from_utf8(body.to_vec()).unwrap() });
    inner.answered.send_modify(|answered| *answered += 1);
    StatusCode::from_u16(inner.status.load(Ordering::SeqCst)).unwrap()
}

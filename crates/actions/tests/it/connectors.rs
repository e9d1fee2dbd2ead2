//! Monitoring through external services: which data a caller gets, and what they are told if a service fails.

mod alerts;
mod faults;
mod logs;
mod metrics;

use std::sync::Arc;

use serde_json::Value;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_connectors::{
    Client, Connectors, Label, RequestLimits,
    alertmanager::Alertmanager,
    embedded::{Journal, Platform},
    loki::{Labels, Loki},
    prometheus::Prometheus,
    railway::{Project, Railway},
};
use toolcrib_testkit::{TestDb, clock, outside};

use crate::harness::App;

fn label() -> Label {
    "workspace".parse().unwrap()
}

fn client(url: &str, token: Option<&str>) -> Client {
    Client::new(url, token.map(Into::into), RequestLimits::USUAL).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn prometheus(url: &str) -> Option<Arc<Prometheus>> {
    Some(Arc::new(Prometheus::new(client(url, None), label())))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn loki(url: &str) -> Option<Arc<Loki>> {
    let labels = Labels { workspace: label(), service: "service_name".parse().unwrap() };
    Some(Arc::new(Loki::new(client(url, Some(outside::Loki::TOKEN)), labels)))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn alertmanager(url: &str) -> Option<Arc<Alertmanager>> {
    Some(Arc::new(Alertmanager::new(client(url, None), label())))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn railway(url: &str) -> Option<Arc<Railway>> {
    let project = Project { id: outside::Railway::PROJECT.into(), environment: "production".into() };
    Some(Arc::new(Railway::new(client(url, Some(outside::Railway::TOKEN)), project)))
}

/// An app with a stopped clock, connectors and an inbox for alerts.
struct Connected {
    app: App,
    inbox: Inbox,
    journal: Arc<Journal>,
}

impl Connected {
    async fn new(db: TestDb, connectors: Connectors, inbox: bool) -> Self {
        let clock = Arc::new(clock());
        let journal = Journal::new(clock.clone(), 10_000);
        let platform = Platform::new(clock.clone(), journal.clone());
        let platform = Arc::new(connectors.watched_by(platform));
        platform.observe().await;
        let kept = Inbox::new((*db).clone(), clock, label());
        let services = Infrastructure {
            platform,
            connectors,
            inbox: inbox.then(|| kept.clone()),
            ..Infrastructure::default()
        };
        Self { app: App::with(db, &services).await, inbox: kept, journal }
    }
}

fn names(data: &Value) -> Vec<&str> {
    let items = data["items"].as_array().unwrap();
    items.iter().map(|item| item["name"].as_str().or(item["message"].as_str()).unwrap()).collect()
}

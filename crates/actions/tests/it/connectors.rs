//! Monitoring through external services: which data a caller gets, and what they are told if a service fails.

mod alerts;
mod faults;
mod logs;
mod metrics;
mod railway;

use std::sync::Arc;

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_connectors::{
    Connectors, Label,
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

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn prometheus(url: &str) -> Option<Arc<Prometheus>> {
    Some(Arc::new(Prometheus::new(url, None, label()).unwrap()))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn loki(url: &str) -> Option<Arc<Loki>> {
    let labels = Labels { workspace: label(), service: "service_name".parse().unwrap() };
    let token = SecretString::from(outside::Loki::TOKEN);
    Some(Arc::new(Loki::new(url, Some(token), labels).unwrap()))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn alertmanager(url: &str) -> Option<Arc<Alertmanager>> {
    Some(Arc::new(Alertmanager::new(url, None, label()).unwrap()))
}

#[expect(clippy::unnecessary_wraps, reason = "what the field takes")]
fn railway(url: &str) -> Option<Arc<Railway>> {
    let project = Project { id: outside::Railway::PROJECT.into(), environment: "production".into() };
    let token = SecretString::from(outside::Railway::TOKEN);
    Some(Arc::new(Railway::new(url, token, project).unwrap()))
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

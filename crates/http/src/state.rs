//! What every handler reaches.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use secrecy::SecretString;
use serde_json::Value;
use toolcrib_engine::{ActionError, Authenticator, Catalog, Engine};

use crate::{
    approve_page::ApprovePage,
    doc_pages::Pages,
    proxies::Proxies,
    requests::RequestSchemas,
    streams::{StreamLimits, Streams},
    tool_lists::ListCache,
};

/// Says whether this process can do its work.
pub trait ReadyCheck: Send + Sync {
    /// An error says in a few words what is missing: the database, the limiter, or time, while it drains.
    fn ready(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// Takes what an Alertmanager delivers.
pub trait AlertInbox: Send + Sync {
    /// Stores the alerts of one message of its webhook, and says how many there were. 400 `malformed_request` where
    /// the body is no such message; 503 where they can't be stored.
    fn deliver(&self, body: Bytes) -> BoxFuture<'_, Result<usize, ActionError>>;
}

/// The route that an Alertmanager delivers to.
#[derive(Clone)]
pub struct AlertHook {
    /// What it must send as its bearer token.
    pub token: SecretString,
    /// Where its alerts go.
    pub inbox: Arc<dyn AlertInbox>,
}

/// What the API is made over.
#[derive(Clone)]
pub struct AppState {
    /// Runs the calls.
    pub engine: Arc<Engine>,
    /// Knows the callers.
    pub auth: Arc<Authenticator>,
    /// Writes the metrics in Prometheus' text format.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Says whether this process can do its work.
    pub ready: Arc<dyn ReadyCheck>,
    /// Where an Alertmanager delivers; without it nobody can.
    pub alerts: Option<AlertHook>,
    /// The metrics have an address of their own: they are not served beside the API.
    pub metrics_apart: bool,
    /// What is asked of every request before anybody looks at what it wants.
    pub edge: EdgeOptions,
}

/// What is asked of every request before anybody looks at what it wants.
#[derive(Clone, Debug)]
pub struct EdgeOptions {
    /// Whose report of a client's address counts.
    pub proxies: Proxies,
    /// With it `/metrics` answers whoever sends it as a bearer token.
    pub metrics_token: Option<SecretString>,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How many event streams there are at a time.
    pub streams: StreamLimits,
    /// People reach the service by https: browsers are told to ask by nothing else.
    pub https: bool,
}

impl Default for EdgeOptions {
    /// No proxies and no token; a minute for a body.
    fn default() -> Self {
        Self {
            proxies: Proxies::default(),
            metrics_token: None,
            body_time: Duration::from_mins(1),
            streams: StreamLimits::default(),
            https: false,
        }
    }
}

/// The state of one router: [`AppState`] and what is made from it once.
pub(crate) struct HttpState {
    pub app: AppState,
    pub schemas: RequestSchemas,
    pub lists: ListCache,
    /// What `openapi` made of the catalogue.
    pub document: Value,
    /// The same as it is sent.
    pub openapi: Bytes,
    pub pages: Pages,
    pub approve_page: ApprovePage,
    /// Those that are open now.
    pub streams: Arc<Streams>,
}

impl HttpState {
    /// `document` is the OpenAPI document of the catalogue.
    pub fn new(app: AppState, document: Value) -> Arc<HttpState> {
        Arc::new(Self {
            schemas: RequestSchemas::default(),
            lists: ListCache::default(),
            openapi: document.to_string().into(),
            pages: Pages::new(&document),
            approve_page: ApprovePage::default(),
            streams: Arc::new(Streams::new(app.edge.streams)),
            document,
            app,
        })
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.app.engine
    }

    pub fn catalog(&self) -> &Catalog {
        self.app.engine.catalog()
    }
}

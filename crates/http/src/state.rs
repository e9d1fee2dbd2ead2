//! The state that all handlers share.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::http::HeaderValue;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use secrecy::SecretString;
use toolcrib_assistant::Assistant;
use toolcrib_auth::{Authenticated, Authenticator};
use toolcrib_engine::{ActionError, Catalog, Engine, lists::ListCache};

use crate::{
    doc_pages::Pages,
    held_requests::{HeldKind, HeldRequests, StreamLimits},
    poll::Waiter,
    proxies::Proxies,
    requests::RequestSchemas,
    tool_lists::ListBody,
};

/// Checks whether this process can serve calls.
pub trait ReadyCheck: Send + Sync {
    /// Returns an error with the reason, such as that the database does not respond or that the process shuts
    /// down.
    fn ready(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// Stores the alerts that an Alertmanager delivers.
pub trait AlertInbox: Send + Sync {
    /// Stores the alerts of one webhook message and returns their number. 400 `malformed_request` if the body
    /// is not such a message, 503 if the alerts cannot be stored.
    fn deliver(&self, body: Bytes) -> BoxFuture<'_, Result<usize, ActionError>>;
}

/// The webhook to which an Alertmanager delivers.
#[derive(Clone)]
pub struct AlertHook {
    /// The bearer token that the Alertmanager must send.
    pub token: SecretString,
    pub inbox: Arc<dyn AlertInbox>,
}

/// The services that the API needs.
#[derive(Clone)]
pub struct AppState {
    /// Runs the calls.
    pub engine: Arc<Engine>,
    /// Verifies credentials.
    pub auth: Arc<Authenticator>,
    /// Returns the metrics in Prometheus' text format.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Checks whether this process can serve calls.
    pub ready: Arc<dyn ReadyCheck>,
    /// The webhook of an Alertmanager. If it is `None`, deliveries are refused.
    pub alerts: Option<AlertHook>,
    /// Takes the runs of the assistant. Without it, runs stay queued until another process takes them.
    pub assistant: Option<Arc<Assistant>>,
    /// The metrics have a separate address and are not served on the API's address.
    pub metrics_apart: bool,
    /// Settings that apply before a request is routed.
    pub edge: EdgeOptions,
}

/// Settings that apply to every request before it is routed.
#[derive(Clone, Debug)]
pub struct EdgeOptions {
    /// The proxies that may report a client's address.
    pub proxies: Proxies,
    /// The bearer token for `/metrics`.
    pub metrics_token: Option<SecretString>,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// The limits of open event streams, and as many requests that wait.
    pub streams: StreamLimits,
    /// Users reach the service by HTTPS: responses have `Strict-Transport-Security`.
    pub https: bool,
    /// Origins whose pages may show confirmations: they may read responses about confirmations and events.
    pub embed_origins: Vec<HeaderValue>,
}

impl Default for EdgeOptions {
    /// No proxies, no token, no HTTPS, and one minute for a body.
    fn default() -> Self {
        Self {
            proxies: Proxies::default(),
            metrics_token: None,
            body_time: Duration::from_mins(1),
            streams: StreamLimits::default(),
            https: false,
            embed_origins: Vec::new(),
        }
    }
}

/// Makes the documents of the API.
type MakePages = Box<dyn FnOnce() -> Pages + Send>;

/// The state of one router: [`AppState`] and what is computed from it once.
pub(crate) struct HttpState {
    pub app: AppState,
    pub schemas: RequestSchemas,
    pub lists: ListCache<ListBody>,
    /// Made at the first request for one of them.
    pub pages: LazyLock<Pages, MakePages>,
    /// The open event streams.
    pub streams: Arc<HeldRequests>,
    pub waits: Arc<HeldRequests>,
}

impl HttpState {
    /// Creates the state. `make_pages` makes the documents of the catalogue.
    pub fn new(app: AppState, make_pages: MakePages) -> Arc<HttpState> {
        Arc::new(Self {
            schemas: RequestSchemas::default(),
            lists: ListCache::default(),
            pages: LazyLock::new(make_pages),
            streams: Arc::new(HeldRequests::new(HeldKind::Stream, app.edge.streams)),
            waits: Arc::new(HeldRequests::new(HeldKind::Wait, app.edge.streams)),
            app,
        })
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.app.engine
    }

    /// Returns what waits up to these seconds for this caller.
    pub fn waiter<'r>(&'r self, authenticated: &'r Authenticated, seconds: u64) -> Waiter<'r> {
        Waiter { engine: &self.app.engine, waits: &self.waits, authenticated, seconds }
    }

    pub fn catalog(&self) -> &Catalog {
        self.app.engine.catalog()
    }
}

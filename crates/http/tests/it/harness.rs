//! The router of the API over a new database with two workspaces.

use std::{ops::Deref, sync::Arc};

use axum::Router;
use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use secrecy::SecretString;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_connectors::embedded::{Journal, Platform};
use toolcrib_engine::{Action, ActionError, Catalog, Engine, auth::issuer::LocalIssuer};
use toolcrib_http::{AlertHook, AlertInbox, AppState, EdgeOptions, ReadyCheck, router, spare_router};
use toolcrib_testkit::{HttpApp, HttpParts, TestDb};
pub use toolcrib_testkit::{HttpClient as Client, openai_call as openai};

/// A limit of writes per minute that no test reaches.
const MANY: i64 = 1_000_000;
/// The secret that an Alertmanager must send.
pub const HOOK_TOKEN: &str = "the-secret-of-an-alertmanager";

/// The router with its engine.
pub struct App {
    http: HttpApp,
    /// The router for connections beyond the limit.
    pub spare: Router,
    pub engine: Arc<Engine>,
}

impl Deref for App {
    type Target = HttpApp;

    fn deref(&self) -> &HttpApp {
        &self.http
    }
}

/// Connects the inbox to the route's trait, as the binary does.
struct Deliveries(Inbox);

impl AlertInbox for Deliveries {
    fn deliver(&self, body: Bytes) -> BoxFuture<'_, Result<usize, ActionError>> {
        Box::pin(async move { self.0.deliver(&body).await })
    }
}

struct Ready;

impl ReadyCheck for Ready {
    fn ready(&self) -> BoxFuture<'_, Result<(), String>> {
        std::future::ready(Ok(())).boxed()
    }
}

impl App {
    /// With limits that no test reaches.
    pub async fn new(db: TestDb) -> Self {
        Self::limited(db, MANY).await
    }

    /// With the route for an Alertmanager.
    pub async fn hooked(db: TestDb) -> Self {
        Self::made(db, MANY, true, Vec::new(), EdgeOptions::default()).await
    }

    /// With this limit of writes per minute.
    pub async fn limited(db: TestDb, writes: i64) -> Self {
        Self::made(db, writes, false, Vec::new(), EdgeOptions::default()).await
    }

    /// With more actions than the product's.
    pub async fn also(db: TestDb, more: Vec<Action>) -> Self {
        Self::made(db, MANY, false, more, EdgeOptions::default()).await
    }

    /// With other edge options, and with the route for an Alertmanager.
    pub async fn edged(db: TestDb, edge: EdgeOptions) -> Self {
        Self::made(db, MANY, true, Vec::new(), edge).await
    }

    async fn made(db: TestDb, writes: i64, hooked: bool, more: Vec<Action>, edge: EdgeOptions) -> Self {
        let parts = HttpParts::new(db, writes).await;
        let clock = parts.clock.clone();
        let label = "workspace".parse().unwrap();
        let inbox = hooked.then(|| Inbox::new((*parts.db).clone(), clock.clone(), label));
        let alerts = inbox.clone().map(|inbox| AlertHook {
            token: SecretString::from(HOOK_TOKEN),
            inbox: Arc::new(Deliveries(inbox)),
        });
        let platform = Platform::new(clock.clone(), Journal::new(clock, 100));
        let services = Infrastructure { platform: Arc::new(platform), inbox, ..Infrastructure::default() };
        let actions = toolcrib_actions::all(&services).into_iter().chain(more).collect();
        let catalog = Catalog::new(actions).map_err(|d| format!("{d:?}")).unwrap();
        let engine = parts.engine(catalog, "http://localhost");
        let state = AppState {
            engine: engine.clone(),
            auth: parts.authenticator(LocalIssuer::settings()),
            metrics: Arc::new(|| "toolcrib_up 1\n".to_owned()),
            ready: Arc::new(Ready),
            alerts,
            metrics_apart: false,
            edge,
        };
        let spare = spare_router(state.clone());
        Self { http: HttpApp::new(parts, router(state)), spare, engine }
    }
}

//! The router of the API over a new database with two workspaces.

use std::{fs, net::Ipv4Addr, ops::Deref, path::Path, sync::Arc, time::Duration};

use axum::Router;
use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use secrecy::SecretString;
use serde_json::json;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_assistant::{Assistant, AssistantSettings, Ceilings, OperatorProvider, Providers};
use toolcrib_auth::{
    Authenticated, Authenticator, RequestedContext, Resource, issuer::LocalIssuer,
    secret_cipher::SecretCipher,
};
use toolcrib_connectors::{
    embedded::{Journal, Platform},
    llm::{LlmSettings, ModelFormat},
};
use toolcrib_engine::{Action, ActionError, Catalog, DatasourceRules, Engine, OperatorRules, Pack};
use toolcrib_http::{AlertHook, AlertInbox, AppState, EdgeOptions, ReadyCheck, router, spare_router};
use toolcrib_model::Clock as _;
use toolcrib_testkit::{FakeModel, HttpApp, HttpParts, TestDb};
pub use toolcrib_testkit::{HttpClient as Client, openai_call as openai};
use toolcrib_toolset::{CheckContext, CheckedToolset, DocumentFormat, ToolsetSource, check, parse};

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
    state: AppState,
}

impl Deref for App {
    type Target = HttpApp;

    fn deref(&self) -> &HttpApp {
        &self.http
    }
}

/// What a test may have otherwise.
struct AppOptions {
    /// The limit of writes per minute.
    writes: i64,
    /// Whether there is a route for an Alertmanager.
    hooked: bool,
    /// Actions beside the product's.
    more: Vec<Action>,
    packs: Vec<Pack>,
    edge: EdgeOptions,
    rules: OperatorRules,
    /// The model of the assistant.
    model: Option<FakeModel>,
    /// The tokens of its context.
    context: usize,
}

impl Default for AppOptions {
    fn default() -> Self {
        Self {
            writes: MANY,
            hooked: false,
            more: Vec::new(),
            packs: Vec::new(),
            edge: EdgeOptions::default(),
            rules: OperatorRules::default(),
            model: None,
            context: 200_000,
        }
    }
}

/// Connects the inbox to the route's trait, as the binary does.
struct Deliveries(Inbox);

impl AlertInbox for Deliveries {
    fn deliver(&self, body: Bytes) -> BoxFuture<'_, Result<usize, ActionError>> {
        Box::pin(async move { self.0.deliver(&body).await })
    }
}

/// A checked file of `examples/toolsets`.
pub fn example(file: &str) -> CheckedToolset {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/toolsets").join(file);
    let document = parse(&fs::read_to_string(path).unwrap(), DocumentFormat::Toml).unwrap();
    check(&document, &CheckContext::new(ToolsetSource::Operator)).map_err(|d| format!("{d:?}")).unwrap()
}

fn provider(model: &FakeModel, context: usize) -> OperatorProvider {
    let client = Arc::new(model.client(ModelFormat::OpenAi));
    OperatorProvider { context_tokens: Some(context), ..OperatorProvider::new("fake", client, &["small"]) }
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
        Self::made(db, AppOptions::default()).await
    }

    /// With the route for an Alertmanager.
    pub async fn hooked(db: TestDb) -> Self {
        Self::made(db, AppOptions { hooked: true, ..AppOptions::default() }).await
    }

    /// With this limit of writes per minute.
    pub async fn limited(db: TestDb, writes: i64) -> Self {
        Self::made(db, AppOptions { writes, ..AppOptions::default() }).await
    }

    /// With more actions than the product's.
    pub async fn also(db: TestDb, more: Vec<Action>) -> Self {
        Self::made(db, AppOptions { more, ..AppOptions::default() }).await
    }

    /// With the pack `game`, which only workspace A has switched on.
    pub async fn with_pack(db: TestDb) -> Self {
        let pack = toolcrib_game::pack();
        db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
        let app = Self::made(db, AppOptions { packs: vec![pack], ..AppOptions::default() }).await;
        app.owner().send("PATCH", "/v1/packs/game", json!({"enabled": true})).await.ok(200);
        app
    }

    /// With other edge options, and with the route for an Alertmanager.
    pub async fn edged(db: TestDb, edge: EdgeOptions) -> Self {
        Self::made(db, AppOptions { hooked: true, edge, ..AppOptions::default() }).await
    }

    /// With an assistant that asks this model.
    pub async fn with_model(db: TestDb, model: &FakeModel) -> Self {
        Self::made(db, AppOptions { model: Some(model.clone()), ..AppOptions::default() }).await
    }

    /// Like [`App::with_model`], with a context of so many tokens.
    pub async fn with_context(db: TestDb, model: &FakeModel, context: usize) -> Self {
        Self::made(db, AppOptions { model: Some(model.clone()), context, ..AppOptions::default() }).await
    }

    /// With a file of `examples/toolsets` and its caller types, as `serve --toolset` has them. Workspace A
    /// has switched the toolset on.
    pub async fn with_example(db: TestDb, file: &str) -> Self {
        let toolset = example(file);
        let mut rules = OperatorRules::default();
        rules.caller_types.extend(toolset.document.caller_types.iter().flatten().cloned());
        let path = format!("/v1/toolsets/{}", toolset.slug);
        rules.toolsets.push(Arc::new(toolset));
        let app = Self::made(db, AppOptions { rules, ..AppOptions::default() }).await;
        app.owner().send("PATCH", &path, json!({"enabled": true})).await.ok(200);
        app
    }

    async fn made(db: TestDb, options: AppOptions) -> Self {
        let AppOptions { writes, hooked, more, packs, edge, mut rules, model, context } = options;
        let parts = HttpParts::new(db, writes).await;
        let secret_cipher = parts.secret_cipher();
        rules.datasources = Arc::new(DatasourceRules { secret_cipher, ..DatasourceRules::default() });
        let clock = parts.clock.clone();
        let label = "workspace".parse().unwrap();
        let inbox = hooked.then(|| Inbox::new((*parts.db).clone(), clock.clone(), label));
        let alerts = inbox.clone().map(|inbox| AlertHook {
            token: SecretString::from(HOOK_TOKEN),
            inbox: Arc::new(Deliveries(inbox)),
        });
        let platform = Platform::new(clock.clone(), Journal::new(clock, 100));
        let models = Arc::new(Providers {
            operator: model.as_ref().map(|model| provider(model, context)),
            public_url: "http://localhost".to_owned(),
            settings: LlmSettings::default(),
            ceilings: Ceilings::default(),
        });
        let (platform, providers) = (Arc::new(platform), models.clone());
        let services = Infrastructure { platform, inbox, models, ..Infrastructure::default() };
        let actions = toolcrib_actions::all(&services).into_iter().chain(more).collect();
        let catalog = Catalog::with_packs(actions, &packs, None).map_err(|d| format!("{d:?}")).unwrap();
        let engine = parts.engine(catalog.under(rules), "http://localhost");
        let assistant = model.map(|_| {
            let settings = AssistantSettings {
                poll_interval: Duration::from_millis(20),
                ..AssistantSettings::default()
            };
            let assistant = Assistant::new(engine.clone(), (*parts.db).clone(), providers, settings);
            tokio::spawn(assistant.clone().serve());
            assistant
        });
        let state = AppState {
            engine: engine.clone(),
            auth: parts.authenticator(LocalIssuer::settings()),
            metrics: Arc::new(|| "toolcrib_up 1\n".to_owned()),
            ready: Arc::new(Ready),
            alerts,
            assistant,
            metrics_apart: false,
            edge,
        };
        let spare = spare_router(state.clone());
        Self { http: HttpApp::new(parts, router(state.clone())), spare, engine, state }
    }

    /// The owner of workspace A, as the engine knows callers.
    pub async fn authenticated_owner(&self) -> Authenticated {
        let header = format!("Bearer {}", self.token("owner"));
        let credential = self
            .state
            .auth
            .authenticate(Resource::Api, Some(&header), Ipv4Addr::LOCALHOST.into())
            .await
            .unwrap();
        let requested =
            RequestedContext { workspace: Some(self.a.to_string()), ..RequestedContext::default() };
        Authenticated { credential, requested }
    }

    /// The router of another process over the same database, whose secrets have this cipher.
    pub fn replica(&self, secret_cipher: Arc<SecretCipher>) -> Router {
        let issuer = LocalIssuer::load_or_create(self.folder(), self.ids.as_ref(), self.clock.now());
        let (db, clock, issuer) = ((*self.db).clone(), self.clock.clone(), Arc::new(issuer.unwrap()));
        let auth = Authenticator::new(db, clock, LocalIssuer::settings(), issuer, secret_cipher);
        router(AppState { auth: Arc::new(auth), ..self.state.clone() })
    }

    /// The router of another process over the same database, which takes no runs of the assistant.
    pub fn process_without_runs(&self) -> Router {
        let settings = AssistantSettings::default();
        let (db, providers) = ((*self.db).clone(), Arc::new(Providers::default()));
        let assistant = Some(Assistant::new(self.engine.clone(), db, providers, settings));
        router(AppState { assistant, ..self.state.clone() })
    }

    /// A router over the same engine whose caches are empty.
    pub fn fresh_router(&self) -> Router {
        router(self.state.clone())
    }
}

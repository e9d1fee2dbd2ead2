//! The router over a fresh database with two workspaces, and short ways to ask it as somebody.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Method, Request, StatusCode},
    response::Response,
};
use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http_body_util::BodyExt;
use secrecy::SecretString;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_connectors::embedded::{Journal, Platform};
use toolcrib_engine::{
    Action, ActionError, Authenticator, Catalog, Engine, EngineSettings,
    auth::issuer::{ISSUER, LocalIssuer, MintRequest},
    grants::LocalGrants,
    limits::LocalLimiter,
};
use toolcrib_http::{AlertHook, AlertInbox, AppState, EdgeOptions, ReadyCheck, router, spare_router};
use toolcrib_model::{CallerType, Clock, Id, IdGen, Role, TestClock};
use toolcrib_store::{StoreError, members, users, workspaces};
use toolcrib_testkit::{NOW, TestDb, TestIds, clock, seed, seed_named};
use tower::ServiceExt;

/// An address that is not this machine's.
const STRANGER: [u8; 4] = [192, 0, 2, 7];

/// The router, the issuer of its tokens, and two workspaces that must not see each other.
pub struct App {
    pub router: Router,
    /// What is served beyond the cap of connections.
    pub spare: Router,
    pub engine: Arc<Engine>,
    pub clock: Arc<TestClock>,
    pub a: Id,
    pub b: Id,
    issuer: LocalIssuer,
    ids: Arc<TestIds>,
    pub db: TestDb,
    _folder: TempDir,
}

/// What an Alertmanager must send.
pub const HOOK_TOKEN: &str = "the-secret-of-an-alertmanager";

/// The inbox behind the route's trait, as the binary joins them.
struct Kept(Inbox);

impl AlertInbox for Kept {
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
        Self::limited(db, 1_000_000).await
    }

    /// With a route that an Alertmanager delivers to.
    pub async fn hooked(db: TestDb) -> Self {
        Self::made(db, 1_000_000, true, Vec::new(), EdgeOptions::default()).await
    }

    /// With so many writes a minute.
    pub async fn limited(db: TestDb, writes: i64) -> Self {
        Self::made(db, writes, false, Vec::new(), EdgeOptions::default()).await
    }

    /// With more actions than the product's.
    pub async fn also(db: TestDb, more: Vec<Action>) -> Self {
        Self::made(db, 1_000_000, false, more, EdgeOptions::default()).await
    }

    /// With other bounds at the edge.
    pub async fn edged(db: TestDb, edge: EdgeOptions) -> Self {
        Self::made(db, 1_000_000, true, Vec::new(), edge).await
    }

    async fn made(db: TestDb, writes: i64, hooked: bool, more: Vec<Action>, edge: EdgeOptions) -> Self {
        let (clock, ids) = (Arc::new(clock()), Arc::new(TestIds::default()));
        let a = seed(&db, clock.as_ref(), ids.as_ref()).await.workspace;
        let b = seed_named(&db, clock.as_ref(), ids.as_ref(), "b-").await.workspace;
        people(&db, &ids, a, "", writes).await;
        people(&db, &ids, b, "b-", writes).await;
        let folder = tempfile::tempdir().unwrap();
        let label = "workspace".parse().unwrap();
        let inbox = hooked.then(|| Inbox::new((*db).clone(), clock.clone(), label));
        let alerts = inbox
            .clone()
            .map(|inbox| AlertHook { token: SecretString::from(HOOK_TOKEN), inbox: Arc::new(Kept(inbox)) });
        let platform = Platform::new(clock.clone(), Journal::new(clock.clone(), 100));
        let services = Infrastructure { platform: Arc::new(platform), inbox, ..Infrastructure::default() };
        let issuer = || LocalIssuer::load_or_create(folder.path(), ids.as_ref(), clock.now()).unwrap();
        let actions = toolcrib_actions::all(&services).into_iter().chain(more).collect();
        let catalog = Catalog::new(actions).map_err(|d| format!("{d:?}")).unwrap();
        let settings = EngineSettings {
            caller_types: CallerType::BUILT_IN.iter().map(|&name| name.to_owned()).collect(),
            public_url: "http://localhost".into(),
            lists_per_minute: 1_200,
            confirmation_seconds: 900,
        };
        let limiter = Arc::new(LocalLimiter::new(clock.clone()));
        let grants = Arc::new(LocalGrants::new(clock.clone()));
        let catalog = Arc::new(catalog);
        let engine =
            Engine::new((*db).clone(), catalog, clock.clone(), ids.clone(), limiter, grants, settings);
        let auth =
            Authenticator::new((*db).clone(), clock.clone(), LocalIssuer::settings(), Arc::new(issuer()));
        let state = AppState {
            engine: engine.clone(),
            auth: Arc::new(auth),
            metrics: Arc::new(|| "toolcrib_up 1\n".to_owned()),
            ready: Arc::new(Ready),
            alerts,
            metrics_apart: false,
            edge,
        };
        let issuer = issuer();
        let spare = spare_router(state.clone());
        Self { router: router(state), spare, engine, clock, a, b, issuer, ids, db, _folder: folder }
    }

    /// Somebody of workspace A.
    pub fn as_role(&self, role: Role) -> Client<'_> {
        self.client(role.as_str(), Some(self.a))
    }

    /// Somebody of workspace B.
    pub fn as_role_b(&self, role: Role) -> Client<'_> {
        self.client(&format!("b-{role}"), Some(self.b))
    }

    pub fn owner(&self) -> Client<'_> {
        self.as_role(Role::Owner)
    }

    /// Nobody.
    pub fn anonymous(&self) -> Client<'_> {
        Client { app: self, head: Vec::new(), peer: STRANGER }
    }

    /// A token of the person with this subject.
    pub fn token(&self, subject: &str) -> String {
        let request =
            MintRequest { subject: subject.to_owned(), ttl_seconds: 3600, ..MintRequest::default() };
        let now = self.clock.now();
        self.issuer.mint(&request, now, self.ids.new_id(now)).unwrap()
    }

    fn client(&self, subject: &str, workspace: Option<Id>) -> Client<'_> {
        let token = self.token(subject);
        let mut head = vec![("Authorization".to_owned(), format!("Bearer {token}"))];
        head.extend(workspace.map(|id| ("X-Workspace-Id".to_owned(), id.to_string())));
        Client { app: self, head, peer: STRANGER }
    }
}

/// Members whose tokens the local issuer signs.
async fn people(db: &TestDb, ids: &Arc<TestIds>, workspace: Id, prefix: &'static str, writes: i64) {
    let ids = ids.clone();
    db.write::<_, StoreError, _>(workspace, move |tx| {
        Box::pin(async move {
            for role in Role::ALL {
                let person = users::UserRow {
                    id: ids.new_id(NOW),
                    issuer: ISSUER.into(),
                    subject: format!("{prefix}{role}"),
                    display_name: None,
                    created_at: NOW,
                };
                let id = users::ensure(tx, &person).await?;
                members::insert(tx, id, role.as_str(), None, NOW).await?;
            }
            let mut row = workspaces::get(tx).await?.expect("the workspace was seeded");
            row.write_per_minute = writes;
            row.default_model = Some("gpt-4o-mini".into());
            workspaces::update(tx, &row, NOW).await
        })
    })
    .await
    .unwrap();
}

/// One caller.
#[derive(Clone)]
pub struct Client<'a> {
    app: &'a App,
    head: Vec<(String, String)>,
    peer: [u8; 4],
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Client<'_> {
    /// The same caller with one header more.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.head.push((name.to_owned(), value.to_owned()));
        other
    }

    /// The same caller without a header.
    pub fn without(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.head.retain(|(known, _)| known != name);
        other
    }

    /// The same caller from another address.
    pub fn from(&self, peer: [u8; 4]) -> Self {
        Self { peer, ..self.clone() }
    }

    /// Sends bytes as they are; the answer may still be on its way.
    pub async fn open(
        &self,
        method: &str,
        path: &str,
        kind: Option<&str>,
        body: impl Into<Body>,
    ) -> Response {
        let mut request = Request::builder().method(Method::from_bytes(method.as_bytes()).unwrap()).uri(path);
        for (name, value) in &self.head {
            request = request.header(name, value);
        }
        if let Some(kind) = kind {
            request = request.header("Content-Type", kind);
        }
        let peer = ConnectInfo(SocketAddr::from((self.peer, 40_000)));
        let request = request.extension(peer).body(body.into()).unwrap();
        self.app.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends bytes as they are. Of a stream, which has no end, the head is taken.
    pub async fn raw(&self, method: &str, path: &str, kind: Option<&str>, body: impl Into<Body>) -> Reply {
        let (head, body) = self.open(method, path, kind, body).await.into_parts();
        let endless = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if endless { Body::empty() } else { body };
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Reply { status: head.status, headers: head.headers, text, body }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.raw("GET", path, None, Body::empty()).await
    }

    pub async fn send(&self, method: &str, path: &str, body: Value) -> Reply {
        self.raw(method, path, Some("application/json"), body.to_string()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, body).await
    }

    /// Runs an action; the prefix may be left out.
    pub async fn run(&self, action: &str, arguments: Value) -> Reply {
        self.post(&format!("/v1/actions/platform_{action}"), arguments).await
    }

    /// One turn of tool calls, each as `(id, name, arguments)`, in OpenAI's shape.
    pub async fn calls(&self, calls: &[(&str, &str, Value)]) -> Reply {
        let calls: Vec<Value> =
            calls.iter().map(|(id, name, arguments)| openai(id, name, arguments)).collect();
        self.post("/v1/tools/calls", json!({ "tool_calls": calls })).await
    }
}

/// A call in OpenAI's shape; a text is passed on as it is.
pub fn openai(id: &str, name: &str, arguments: &Value) -> Value {
    let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": text } })
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// It must have this status; the body comes back.
    #[track_caller]
    pub fn ok(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self.body
    }

    /// It must be a problem of this status and code, complete; the body comes back.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!((self.status.as_u16(), self.body["code"].as_str()), (status, Some(code)), "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["type"], format!("/docs/errors/{code}"));
        assert_eq!(self.body["request_id"], self.header("x-request-id"));
        for field in ["title", "detail"] {
            assert!(self.body[field].as_str().is_some_and(|text| !text.is_empty()), "{}", self.text);
        }
        self.body
    }
}

//! The API and the MCP endpoint over a fresh database, and short ways to speak to both as somebody.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Request},
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib_actions::Infrastructure;
use toolcrib_connectors::embedded::{Journal, Platform};
use toolcrib_engine::{
    Authenticator, Engine, EngineSettings,
    auth::{
        TokenSettings,
        issuer::{ISSUER, LocalIssuer, MintRequest},
    },
    grants::LocalGrants,
    limits::LocalLimiter,
    secret_cipher::SecretCipher,
};
use toolcrib_http::{AppState, EdgeOptions, ReadyCheck, router_with};
use toolcrib_mcp::{McpSettings, routes};
use toolcrib_model::{CallerType, Clock, Id, IdGen, Role, TestClock};
use toolcrib_store::{StoreError, members, users, workspaces};
use toolcrib_testkit::{NOW, TestDb, TestIds, clock, seed, seed_named};
use tower::ServiceExt;

pub const NEW: &str = "2026-07-28";
pub const OLD: &str = "2025-11-25";

/// The router, and two workspaces that must not see each other.
pub struct App {
    pub router: Router,
    pub clock: Arc<TestClock>,
    pub a: Id,
    pub b: Id,
    issuer: LocalIssuer,
    ids: Arc<TestIds>,
    _db: TestDb,
    _folder: TempDir,
}

struct Ready;

impl ReadyCheck for Ready {
    fn ready(&self) -> futures_util::future::BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

impl App {
    pub async fn new(db: TestDb) -> Self {
        Self::judged(db, LocalIssuer::settings()).await
    }

    /// Where the tokens of these tests are judged by these settings.
    pub async fn judged(db: TestDb, tokens: TokenSettings) -> Self {
        let (clock, ids) = (Arc::new(clock()), Arc::new(TestIds::default()));
        let a = seed(&db, clock.as_ref(), ids.as_ref()).await.workspace;
        let b = seed_named(&db, clock.as_ref(), ids.as_ref(), "b-").await.workspace;
        people(&db, &ids, a, "").await;
        people(&db, &ids, b, "b-").await;
        let folder = tempfile::tempdir().unwrap();
        let platform = Platform::new(clock.clone(), Journal::new(clock.clone(), 100));
        let services = Infrastructure { platform: Arc::new(platform), ..Infrastructure::default() };
        let catalog = toolcrib_actions::catalog(&services).map_err(|d| format!("{d:?}")).unwrap();
        let settings = EngineSettings {
            caller_types: CallerType::BUILT_IN.iter().map(|&name| name.to_owned()).collect(),
            public_url: "https://tools.example".into(),
            lists_per_minute: 1_200,
            confirmation_seconds: 900,
        };
        let limiter = Arc::new(LocalLimiter::new(clock.clone()));
        let grants = Arc::new(LocalGrants::new(clock.clone()));
        let engine = Engine::new(
            (*db).clone(),
            Arc::new(catalog),
            clock.clone(),
            ids.clone(),
            limiter,
            grants,
            settings,
        );
        let issuer = || LocalIssuer::load_or_create(folder.path(), ids.as_ref(), clock.now()).unwrap();
        let auth = Authenticator::new((*db).clone(), clock.clone(), tokens, Arc::new(issuer()));
        let state = AppState {
            engine: engine.clone(),
            auth: Arc::new(auth),
            metrics: Arc::new(String::new),
            ready: Arc::new(Ready),
            alerts: None,
            metrics_apart: false,
            edge: EdgeOptions::default(),
        };
        let rules = McpSettings {
            hosts: vec!["crib.internal".into()],
            origins: vec!["https://app.example:443".into()],
            issuer: Some("https://issuer.example".into()),
            hold: 0,
            secret_cipher: Arc::new(SecretCipher::in_folder(folder.path())),
            ids: ids.clone(),
        };
        let router = router_with(state, vec![routes(engine, &rules)]);
        let issuer = issuer();
        Self { router, clock, a, b, issuer, ids, _db: db, _folder: folder }
    }

    /// Somebody of workspace A.
    pub fn as_role(&self, role: Role) -> Client<'_> {
        self.client(role.as_str(), self.a)
    }

    /// Somebody of workspace B.
    pub fn as_role_b(&self, role: Role) -> Client<'_> {
        self.client(&format!("b-{role}"), self.b)
    }

    pub fn owner(&self) -> Client<'_> {
        self.as_role(Role::Owner)
    }

    fn client(&self, subject: &str, workspace: Id) -> Client<'_> {
        let request =
            MintRequest { subject: subject.to_owned(), ttl_seconds: 86_400, ..MintRequest::default() };
        let now = self.clock.now();
        let token = self.issuer.mint(&request, now, self.ids.new_id(now)).unwrap();
        let head = [
            ("Host", "localhost:8787".to_owned()),
            ("Authorization", format!("Bearer {token}")),
            ("X-Workspace-Id", workspace.to_string()),
        ];
        Client {
            app: self,
            head: head.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            able: json!({"elicitation": {"url": {}}}),
        }
    }
}

/// Members whose tokens the local issuer signs.
async fn people(db: &TestDb, ids: &Arc<TestIds>, workspace: Id, prefix: &'static str) {
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
            row.write_per_minute = 1_000_000;
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
    /// What it says it is able to do.
    able: Value,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Client<'_> {
    /// With a header in place of what it had.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.without(name);
        other.head.push((name.to_owned(), value.to_owned()));
        other
    }

    pub fn without(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.head.retain(|(known, _)| known != name);
        other
    }

    /// With other abilities.
    pub fn able(&self, able: Value) -> Self {
        Self { able, ..self.clone() }
    }

    pub async fn raw(&self, method: &str, path: &str, head: &[(&str, &str)], body: String) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in
            self.head.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(head.iter().copied())
        {
            request = request.header(name, value);
        }
        if !body.is_empty() {
            request = request.header("Content-Type", "application/json");
        }
        let peer = ConnectInfo(SocketAddr::from(([192, 0, 2, 7], 40_000)));
        let request = request.extension(peer).body(Body::from(body)).unwrap();
        let (head, body) = self.app.router.clone().oneshot(request).await.unwrap().into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Reply { status: head.status.as_u16(), headers: head.headers, text, body }
    }

    /// The API's answer, which must have this status.
    pub async fn api(&self, method: &str, path: &str, body: Value, status: u16) -> Value {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let reply = self.raw(method, path, &[], text).await;
        assert_eq!(reply.status, status, "{method} {path}: {}", reply.text);
        reply.body
    }

    /// A message to the endpoint as it is.
    pub async fn post(&self, head: &[(&str, &str)], message: &Value) -> Reply {
        let mut all = vec![("Accept", "application/json, text/event-stream")];
        all.extend(head);
        self.raw("POST", "/mcp", &all, message.to_string()).await
    }

    /// The message and the headers of a request of the newest revision.
    pub fn message(&self, method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Value) {
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.able,
        });
        let mut head = vec![("MCP-Protocol-Version", NEW.to_owned()), ("Mcp-Method", method.to_owned())];
        head.extend(name.map(|name| ("Mcp-Name", name)));
        (head, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// A request of the newest revision.
    pub async fn ask(&self, method: &str, params: Value) -> Reply {
        let (head, message) = self.message(method, params);
        let head: Vec<(&str, &str)> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.post(&head, &message).await
    }

    /// A request of the revision before.
    pub async fn ask_old(&self, method: &str, params: Value) -> Reply {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&[("MCP-Protocol-Version", OLD)], &message).await
    }

    /// The result of a call; the prefix may be left out.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": format!("platform_{tool}"), "arguments": arguments}))
            .await
            .result()
    }

    /// The same with what an earlier round gave.
    pub async fn retry(&self, tool: &str, arguments: Value, state: &str, responses: Value) -> Reply {
        let name = format!("platform_{tool}");
        let params =
            json!({"name": name, "arguments": arguments, "requestState": state, "inputResponses": responses});
        self.ask("tools/call", params).await
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// It must be a result.
    #[track_caller]
    pub fn result(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert!(self.body["result"].is_object(), "{}", self.text);
        self.body["result"].clone()
    }

    /// It must be an error of the protocol with this code.
    #[track_caller]
    pub fn error(self, code: i64) -> Value {
        assert_eq!(self.body["error"]["code"], code, "{} {}", self.status, self.text);
        self.body["error"].clone()
    }
}

/// What a model reads of a result.
pub fn told(result: &Value) -> Value {
    assert_eq!(result["content"][0]["type"], "text", "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

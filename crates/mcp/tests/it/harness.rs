//! The API and the MCP endpoint over a new database, and clients that send requests to both as a member.

use std::{ops::Deref, sync::Arc};

use serde_json::{Value, json};
use toolcrib_actions::Infrastructure;
use toolcrib_auth::{TokenSettings, issuer::LocalIssuer, secret_cipher::SecretCipher};
use toolcrib_connectors::embedded::{Journal, Platform};
use toolcrib_engine::Pack;
use toolcrib_http::{AppState, EdgeOptions, ReadyCheck, router_with};
use toolcrib_mcp::{McpSettings, routes};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{HttpApp, HttpClient, HttpParts, HttpReply, TestDb};

pub const NEW: &str = "2026-07-28";
pub const OLD: &str = "2025-11-25";

/// The router of the API with the MCP endpoint.
pub struct App(HttpApp);

impl Deref for App {
    type Target = HttpApp;

    fn deref(&self) -> &HttpApp {
        &self.0
    }
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

    /// With these settings for tokens.
    pub async fn judged(db: TestDb, tokens: TokenSettings) -> Self {
        Self::made(db, tokens, &[]).await
    }

    /// With the pack `game`, which only workspace A has switched on.
    pub async fn with_pack(db: TestDb) -> Self {
        let pack = toolcrib_game::pack();
        db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
        let app = Self::made(db, LocalIssuer::settings(), &[pack]).await;
        app.owner().api("PATCH", "/v1/packs/game", json!({"enabled": true}), 200).await;
        app
    }

    async fn made(db: TestDb, tokens: TokenSettings, packs: &[Pack]) -> Self {
        let parts = HttpParts::new(db, 1_000_000).await;
        let clock = parts.clock.clone();
        let platform = Platform::new(clock.clone(), Journal::new(clock, 100));
        let services = Infrastructure { platform: Arc::new(platform), ..Infrastructure::default() };
        let catalog = toolcrib_actions::catalog_with_packs(&services, packs, None);
        let catalog = catalog.map_err(|d| format!("{d:?}")).unwrap();
        let engine = parts.engine(catalog, "https://tools.example");
        let state = AppState {
            engine: engine.clone(),
            auth: parts.authenticator(tokens),
            metrics: Arc::new(String::new),
            ready: Arc::new(Ready),
            alerts: None,
            assistant: None,
            metrics_apart: false,
            edge: EdgeOptions::default(),
        };
        let settings = McpSettings {
            hosts: vec!["crib.internal".into()],
            origins: vec!["https://app.example:443".into()],
            issuer: Some("https://issuer.example".into()),
            hold: 0,
            secret_cipher: Arc::new(SecretCipher::in_folder(parts.folder())),
            ids: parts.ids.clone(),
        };
        let router = router_with(state, vec![routes(engine, &settings)]);
        Self(HttpApp::new(parts, router))
    }

    /// The member of workspace A with this role.
    pub fn as_role(&self, role: Role) -> Client<'_> {
        Client::new(self.0.as_role(role))
    }

    /// The member of workspace B with this role.
    pub fn as_role_b(&self, role: Role) -> Client<'_> {
        Client::new(self.0.as_role_b(role))
    }

    pub fn owner(&self) -> Client<'_> {
        self.as_role(Role::Owner)
    }

    /// A client token of a key of workspace A.
    pub fn client_token(&self, key: &str, user: Id, session: &str) -> String {
        self.0.client_token(key, user, session)
    }
}

/// A client of the endpoint with one member's token.
#[derive(Clone)]
pub struct Client<'a> {
    http: HttpClient<'a>,
    /// The client capabilities that its requests declare.
    able: Value,
}

/// A response of the server.
#[derive(Debug)]
pub struct Reply(HttpReply);

impl Deref for Reply {
    type Target = HttpReply;

    fn deref(&self) -> &HttpReply {
        &self.0
    }
}

impl<'a> Client<'a> {
    fn new(http: HttpClient<'a>) -> Self {
        Self { http: http.with("Host", "localhost:8787"), able: json!({"elicitation": {"url": {}}}) }
    }

    /// The same client with a header added or replaced.
    pub fn with(&self, name: &str, value: &str) -> Self {
        Self { http: self.http.without(name).with(name, value), ..self.clone() }
    }

    pub fn without(&self, name: &str) -> Self {
        Self { http: self.http.without(name), ..self.clone() }
    }

    /// The same client with other capabilities.
    pub fn able(&self, able: Value) -> Self {
        Self { able, ..self.clone() }
    }

    pub async fn raw(&self, method: &str, path: &str, head: &[(&str, &str)], body: String) -> Reply {
        let add = |client: HttpClient<'a>, (name, value): &(&str, &str)| client.with(name, value);
        let client = head.iter().fold(self.http.clone(), add);
        let content_type = (!body.is_empty()).then_some("application/json");
        Reply(client.raw(method, path, content_type, body).await)
    }

    /// The body of the API's response, which must have this status.
    pub async fn api(&self, method: &str, path: &str, body: Value, status: u16) -> Value {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let reply = self.raw(method, path, &[], text).await;
        assert_eq!(reply.status, status, "{method} {path}: {}", reply.text);
        reply.body.clone()
    }

    /// Posts a message to the endpoint without changing it.
    pub async fn post(&self, head: &[(&str, &str)], message: &Value) -> Reply {
        let mut all = vec![("Accept", "application/json, text/event-stream")];
        all.extend(head);
        self.raw("POST", "/mcp", &all, message.to_string()).await
    }

    /// Headers and message of a request in the newest protocol revision.
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

    /// Sends a request in the newest protocol revision.
    pub async fn ask(&self, method: &str, params: Value) -> Reply {
        let (head, message) = self.message(method, params);
        let head: Vec<(&str, &str)> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.post(&head, &message).await
    }

    /// Sends a request in the previous protocol revision.
    pub async fn ask_old(&self, method: &str, params: Value) -> Reply {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&[("MCP-Protocol-Version", OLD)], &message).await
    }

    /// The result of a call. `tool` is the action's name without its prefix.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": format!("platform_{tool}"), "arguments": arguments}))
            .await
            .result()
    }

    /// Repeats a call with the state and the responses to an earlier result.
    pub async fn retry(&self, tool: &str, arguments: Value, state: &str, responses: Value) -> Reply {
        let name = format!("platform_{tool}");
        let params =
            json!({"name": name, "arguments": arguments, "requestState": state, "inputResponses": responses});
        self.ask("tools/call", params).await
    }
}

impl Reply {
    /// The result; panics if the reply is an error.
    #[track_caller]
    pub fn result(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert!(self.body["result"].is_object(), "{}", self.text);
        self.body["result"].clone()
    }

    /// The protocol error; panics if its code is not `code`.
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

//! The API with the console over a new database, and browsers that sign in to it.

use std::{ops::Deref, sync::Arc};

use axum::Router;
use serde_json::{Map, Value};
use toolcrib_actions::Infrastructure;
use toolcrib_auth::{
    Authenticator, Login, TokenSettings,
    issuer::{ISSUER, LocalIssuer, MintRequest},
    secret_cipher::SecretCipher,
};
use toolcrib_connectors::{
    embedded::{Journal, Platform},
    oidc::OidcClient,
};
use toolcrib_console::{ConsoleSettings, DemoPerson, ProviderSignIn, routes};
use toolcrib_engine::Engine;
use toolcrib_http::{AppState, EdgeOptions, ReadyCheck, router_with};
use toolcrib_model::{Clock as _, IdGen as _};
use toolcrib_store::users;
use toolcrib_testkit::{HttpApp, HttpClient, HttpParts, HttpReply, TestDb};

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
    /// Users reach it by HTTPS.
    pub async fn new(db: TestDb) -> Self {
        Self::made(db, true).await
    }

    /// A demo over plain HTTP.
    pub async fn demo(db: TestDb) -> Self {
        Self::made(db, false).await
    }

    async fn made(db: TestDb, https: bool) -> Self {
        let parts = HttpParts::new(db, 1_000_000).await;
        let router = router(&parts, https).await;
        Self(HttpApp::new(parts, router))
    }

    /// A client of this provider, whose tokens count. Users reach it by HTTPS.
    pub async fn with_provider(db: TestDb, provider: &str) -> Self {
        let parts = HttpParts::new(db, 1_000_000).await;
        let router = provider_router(&parts, provider);
        Self(HttpApp::new(parts, router))
    }

    /// The router of another process over the same database.
    pub async fn second(&self) -> Router {
        router(self, true).await
    }

    /// The router of another process that is a client of the same provider.
    pub fn second_with_provider(&self, provider: &str) -> Router {
        provider_router(self, provider)
    }

    /// A page of the console over HTTPS, which has no session yet.
    pub fn browser(&self) -> HttpClient<'_> {
        self.anonymous().with("Sec-Fetch-Site", "same-origin")
    }

    /// A page of the console on this machine over plain HTTP.
    pub fn local(&self) -> HttpClient<'_> {
        self.browser().from([127, 0, 0, 1]).with("Host", "127.0.0.1:8787")
    }

    /// A browser that is signed in with a token of this member.
    pub async fn signed_in(&self, subject: &str) -> HttpClient<'_> {
        signed_in(&self.browser(), &self.token(subject)).await
    }

    /// Signs claims with the key that the service trusts.
    pub fn signed(&self, claims: &Map<String, Value>) -> String {
        self.issuer().sign_claims(claims).unwrap()
    }

    fn issuer(&self) -> LocalIssuer {
        LocalIssuer::load_or_create(self.folder(), self.ids.as_ref(), self.clock.now()).unwrap()
    }

    /// A code that signs in once.
    pub fn code(&self, subject: &str) -> String {
        let now = self.clock.now();
        self.issuer().mint_login_code(subject, now, self.ids.new_id(now)).unwrap()
    }

    /// A token of a system admin, for a day.
    pub fn admin_token(&self) -> String {
        let request = MintRequest {
            subject: "root".into(),
            system_role: Some("admin".into()),
            ttl_seconds: 86_400,
            ..MintRequest::default()
        };
        let now = self.clock.now();
        self.issuer().mint(&request, now, self.ids.new_id(now)).unwrap()
    }
}

async fn router(parts: &HttpParts, https: bool) -> Router {
    let mut people = Vec::new();
    if !https {
        let user_id = users::find(&parts.db, ISSUER, "viewer").await.unwrap().unwrap();
        let (role, workspace) = ("viewer".to_owned(), "Test".to_owned());
        let (issuer, subject) = (ISSUER.to_owned(), "viewer".to_owned());
        people.push(DemoPerson { user_id, name: None, role, workspace, packs: Vec::new(), issuer, subject });
    }
    let auth = parts.authenticator(LocalIssuer::settings());
    let settings = ConsoleSettings { auth: auth.clone(), ids: parts.ids.clone(), people, provider: None };
    router_of(engine_of(parts), auth, settings, https)
}

fn provider_router(parts: &HttpParts, provider: &str) -> Router {
    let tokens = TokenSettings { audience: Some("api".into()), ..TokenSettings::new(provider) };
    let auth = parts.authenticator(tokens);
    let cipher = Arc::new(SecretCipher::in_folder(parts.folder()));
    let redirect_uri = "https://tools.example/console/login/done".to_owned();
    let client = OidcClient::new(provider, "console", Some("s3cret".into()));
    let engine = engine_of(parts);
    let login = Login::new(client, redirect_uri, cipher, parts.ids.clone(), engine.clone());
    let public_url = "https://tools.example".to_owned();
    let provider = Some(ProviderSignIn { login, public_url, clock: parts.clock.clone() });
    let settings =
        ConsoleSettings { auth: auth.clone(), ids: parts.ids.clone(), people: Vec::new(), provider };
    router_of(engine, auth, settings, true)
}

fn engine_of(parts: &HttpParts) -> Arc<Engine> {
    let clock = parts.clock.clone();
    let platform = Platform::new(clock.clone(), Journal::new(clock, 100));
    let services = Infrastructure { platform: Arc::new(platform), ..Infrastructure::default() };
    let catalog = toolcrib_actions::catalog(&services).map_err(|d| format!("{d:?}")).unwrap();
    parts.engine(catalog, "https://tools.example")
}

fn router_of(
    engine: Arc<Engine>,
    auth: Arc<Authenticator>,
    settings: ConsoleSettings,
    https: bool,
) -> Router {
    let state = AppState {
        engine,
        auth,
        metrics: Arc::new(String::new),
        ready: Arc::new(Ready),
        alerts: None,
        assistant: None,
        metrics_apart: false,
        edge: EdgeOptions { https, ..EdgeOptions::default() },
    };
    router_with(state, vec![routes(settings)])
}

/// Signs in with a token or code.
pub async fn sign_in(browser: &HttpClient<'_>, token: &str) -> HttpReply {
    let asking = browser.bearer(token);
    asking.raw("POST", "/console/session", None, "").await
}

/// The same browser with the cookie that it got.
pub async fn signed_in<'a>(browser: &HttpClient<'a>, token: &str) -> HttpClient<'a> {
    let reply = sign_in(browser, token).await;
    assert_eq!(reply.status, 204, "{}", reply.text);
    with_cookie(browser, &reply)
}

/// The same browser with the cookie of a response.
pub fn with_cookie<'a>(browser: &HttpClient<'a>, reply: &HttpReply) -> HttpClient<'a> {
    let cookie = reply.header("set-cookie").split(';').next().unwrap();
    browser.without("Cookie").with("Cookie", cookie)
}

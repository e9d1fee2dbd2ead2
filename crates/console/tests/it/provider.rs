//! An identity provider for tests, and browsers that sign in through it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolcrib_model::Clock as _;
use toolcrib_testkit::{HttpClient, HttpReply};

use crate::harness::{App, with_cookie};

/// What the provider knows.
#[derive(Default)]
pub struct Known {
    base: String,
    /// By code: the challenge that the browser brought, and the ID token.
    pub codes: HashMap<String, (String, String)>,
    /// The `Authorization` headers of requests for tokens.
    pub clients: Vec<String>,
    /// What the token endpoint answers instead of a token: a status and a body.
    pub token_error: Option<(u16, Value)>,
    /// What the userinfo endpoint answers.
    pub userinfo: Option<Value>,
    /// Whether authorization requests are answered with 400.
    pub refuses: bool,
    /// The issuer in the metadata, if it is another one.
    pub issuer: Option<String>,
}

/// An identity provider. It gives a code's token as often as it is asked.
#[derive(Clone, Default)]
pub struct Provider(pub Arc<Mutex<Known>>);

impl Provider {
    pub async fn start() -> (Self, String) {
        let provider = Self::default();
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/token", post(token))
            .route("/userinfo", get(userinfo))
            .route("/authorize", get(authorize))
            .with_state(provider.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        provider.0.lock().unwrap().base.clone_from(&base);
        (provider, base)
    }
}

async fn metadata(State(provider): State<Provider>) -> Json<Value> {
    let known = provider.0.lock().unwrap();
    let base = &known.base;
    Json(json!({
        "issuer": known.issuer.as_ref().unwrap_or(base),
        "userinfo_endpoint": format!("{base}/userinfo"),
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "authorization_response_iss_parameter_supported": true,
    }))
}

async fn authorize(State(provider): State<Provider>) -> StatusCode {
    if provider.0.lock().unwrap().refuses { StatusCode::BAD_REQUEST } else { StatusCode::OK }
}

async fn userinfo(State(provider): State<Provider>, headers: HeaderMap) -> (StatusCode, Json<Value>) {
    assert_eq!(headers["authorization"], "Bearer of-the-user");
    match &provider.0.lock().unwrap().userinfo {
        Some(claims) => (StatusCode::OK, Json(claims.clone())),
        None => (StatusCode::FORBIDDEN, Json(Value::Null)),
    }
}

async fn token(
    State(provider): State<Provider>,
    headers: HeaderMap,
    form: String,
) -> (StatusCode, Json<Value>) {
    let form: HashMap<String, String> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
    let mut known = provider.0.lock().unwrap();
    known.clients.push(headers["authorization"].to_str().unwrap().to_owned());
    if let Some((status, body)) = &known.token_error {
        return (StatusCode::from_u16(*status).unwrap(), Json(body.clone()));
    }
    let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    match known.codes.get(&form["code"]) {
        Some((challenge, token)) if *challenge == proof && form["grant_type"] == "authorization_code" => (
            StatusCode::OK,
            Json(json!({ "id_token": token, "access_token": "of-the-user", "token_type": "Bearer" })),
        ),
        _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))),
    }
}

/// A sign-in that the browser has begun: the provider's parameters, and the browser with its cookie.
pub struct Begun<'a> {
    pub asked: HashMap<String, String>,
    pub browser: HttpClient<'a>,
}

pub async fn begin<'a>(app: &'a App, next: &str) -> Begun<'a> {
    let browser = app.browser();
    let reply = browser.get(&format!("/console/login/start?next={next}")).await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    begun(&browser, &reply, reply.header("location"))
}

/// Begins a sign-in with the code of an invitation.
pub async fn begin_invited<'a>(app: &'a App, code: &str) -> Begun<'a> {
    let browser = app.browser();
    let reply = browser.post("/console/login/start", json!({ "invitation": code })).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    begun(&browser, &reply, reply.body["location"].as_str().unwrap())
}

fn begun<'a>(browser: &HttpClient<'a>, reply: &HttpReply, location: &str) -> Begun<'a> {
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("__Secure-toolcrib-login="), "{cookie}");
    assert!(cookie.ends_with("; Path=/console/login/done; HttpOnly; SameSite=Lax; Max-Age=600; Secure"));
    let query = location.split_once("/authorize?").unwrap().1.to_owned();
    let asked = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    // The provider sends the browser back from its own site.
    let browser = with_cookie(browser, reply).without("Sec-Fetch-Site").with("Sec-Fetch-Site", "cross-site");
    Begun { asked, browser }
}

impl Begun<'_> {
    pub fn claims(&self, app: &App, base: &str) -> Map<String, Value> {
        let now = app.clock.now().as_seconds();
        let claims = json!({ "iss": base, "aud": "console", "sub": "owner", "nonce": self.asked["nonce"],
            "iat": now, "exp": now + 300, "name": "The Owner" });
        claims.as_object().unwrap().clone()
    }

    /// The provider gives a code, and sends the browser back with it.
    pub async fn end(&self, provider: &Provider, token: String, changed: &[(&str, &str)]) -> HttpReply {
        let base = provider.0.lock().unwrap().base.clone();
        let challenge = self.asked["code_challenge"].clone();
        provider.0.lock().unwrap().codes.insert("c-1".into(), (challenge, token));
        self.back(&base, changed).await
    }

    pub async fn back(&self, base: &str, changed: &[(&str, &str)]) -> HttpReply {
        let mut answer = HashMap::from([("code", "c-1"), ("state", &self.asked["state"]), ("iss", base)]);
        answer.extend(changed.iter().copied());
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(answer).finish();
        self.browser.get(&format!("/console/login/done?{query}")).await
    }
}

//! Sign-in through an identity provider: one that is right, and each thing that a hostile one does wrong.

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
use toolcrib_testkit::{HttpClient, HttpReply, TestDb, both_databases};

use crate::harness::{App, with_cookie};

/// What the provider knows.
#[derive(Default)]
struct Known {
    base: String,
    /// By code: the challenge that the browser brought, and the ID token.
    codes: HashMap<String, (String, String)>,
    /// The `Authorization` headers of requests for tokens.
    clients: Vec<String>,
}

/// An identity provider. It gives a code's token as often as it is asked.
#[derive(Clone, Default)]
struct Provider(Arc<Mutex<Known>>);

impl Provider {
    async fn start() -> (Self, String) {
        let provider = Self::default();
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/token", post(token))
            .with_state(provider.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        provider.0.lock().unwrap().base.clone_from(&base);
        (provider, base)
    }
}

async fn metadata(State(provider): State<Provider>) -> Json<Value> {
    let base = provider.0.lock().unwrap().base.clone();
    Json(json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "authorization_response_iss_parameter_supported": true,
    }))
}

async fn token(
    State(provider): State<Provider>,
    headers: HeaderMap,
    form: String,
) -> (StatusCode, Json<Value>) {
    let form: HashMap<String, String> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
    let mut known = provider.0.lock().unwrap();
    known.clients.push(headers["authorization"].to_str().unwrap().to_owned());
    let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    match known.codes.get(&form["code"]) {
        Some((challenge, token)) if *challenge == proof && form["grant_type"] == "authorization_code" => (
            StatusCode::OK,
            Json(json!({ "id_token": token, "access_token": "unused", "token_type": "Bearer" })),
        ),
        _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))),
    }
}

/// A sign-in that the browser has begun: the provider's parameters, and the browser with its cookie.
struct Begun<'a> {
    asked: HashMap<String, String>,
    browser: HttpClient<'a>,
}

async fn begin<'a>(app: &'a App, next: &str) -> Begun<'a> {
    let browser = app.browser();
    let reply = browser.get(&format!("/console/login/start?next={next}")).await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("__Secure-toolcrib-login="), "{cookie}");
    assert!(cookie.ends_with("; Path=/console/login/done; HttpOnly; SameSite=Lax; Max-Age=600; Secure"));
    let query = reply.header("location").split_once("/authorize?").unwrap().1.to_owned();
    let asked = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    // The provider sends the browser back from its own site.
    let browser =
        with_cookie(&browser, &reply).without("Sec-Fetch-Site").with("Sec-Fetch-Site", "cross-site");
    Begun { asked, browser }
}

impl Begun<'_> {
    fn claims(&self, app: &App, base: &str) -> Map<String, Value> {
        let now = app.clock.now().as_seconds();
        let claims = json!({ "iss": base, "aud": "console", "sub": "owner", "nonce": self.asked["nonce"],
            "iat": now, "exp": now + 300, "name": "The Owner" });
        claims.as_object().unwrap().clone()
    }

    /// The provider gives a code, and sends the browser back with it.
    async fn end(&self, provider: &Provider, token: String, changed: &[(&str, &str)]) -> HttpReply {
        let base = provider.0.lock().unwrap().base.clone();
        let challenge = self.asked["code_challenge"].clone();
        provider.0.lock().unwrap().codes.insert("c-1".into(), (challenge, token));
        self.back(&base, changed).await
    }

    async fn back(&self, base: &str, changed: &[(&str, &str)]) -> HttpReply {
        let mut answer = HashMap::from([("code", "c-1"), ("state", &self.asked["state"]), ("iss", base)]);
        answer.extend(changed.iter().copied());
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(answer).finish();
        self.browser.get(&format!("/console/login/done?{query}")).await
    }
}

fn refused(reply: &HttpReply, what: &str) {
    let location = reply.header("location");
    assert_eq!((reply.status.as_u16(), location), (303, "/console/login?problem=unauthenticated"), "{what}");
    assert!(reply.header("set-cookie").contains("-login=; "), "{what}: no session, and the sign-in is over");
}

#[both_databases]
async fn the_provider_signs_a_user_in(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let ways = app.browser().get("/console/session").await.ok(200);
    assert_eq!(ways, json!({ "signed_in": false, "ways": ["oidc", "token"] }));
    let begun = begin(&app, "/console/account").await;
    let asked = |name: &str| begun.asked[name].as_str();
    assert_eq!((asked("response_type"), asked("client_id")), ("code", "console"));
    assert_eq!((asked("scope"), asked("code_challenge_method")), ("openid profile", "S256"));
    assert_eq!(asked("redirect_uri"), "https://tools.example/console/login/done");
    let token = app.signed(&begun.claims(&app, &base));
    let reply = begun.end(&provider, token.clone(), &[]).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("location")),
        (303, "/console/account"),
        "{}",
        reply.text
    );
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("__Host-toolcrib=") && cookie.contains("SameSite=Strict"), "{cookie}");
    let signed_in = with_cookie(&app.browser(), &reply);
    let shown = signed_in.get("/console/session").await.ok(200);
    assert_eq!((&shown["user"]["subject"], &shown["user"]["name"]), (&json!("owner"), &json!("The Owner")));
    assert_eq!(provider.0.lock().unwrap().clients, ["Basic Y29uc29sZTpzM2NyZXQ="]);
    // An ID token is no credential of the API, and nothing of the provider is kept.
    let bearer = app.anonymous().with("Authorization", &format!("Bearer {token}"));
    bearer.get("/v1/me").await.problem(401, "unauthenticated");
    let stored = app.db.everything().await;
    assert!(!stored.windows(token.len()).any(|bytes| bytes == token.as_bytes()));
    refused(&begun.back(&base, &[]).await, "the callback, a second time");
}

#[both_databases]
async fn each_wrong_answer_is_refused(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let wrong: [(&str, Value); 7] = [
        ("iss", json!("https://evil.example")),
        ("aud", json!("api")),
        ("nonce", json!("another")),
        ("nonce", Value::Null),
        ("exp", json!(1_000)),
        ("azp", json!("another-client")),
        ("sub", Value::Null),
    ];
    for (claim, value) in wrong {
        let begun = begin(&app, "/console/").await;
        let mut claims = begun.claims(&app, &base);
        claims.insert(claim.into(), value.clone());
        refused(&begun.end(&provider, app.signed(&claims), &[]).await, &format!("{claim} {value}"));
    }
    let begun = begin(&app, "/console/").await;
    let token = app.signed(&begun.claims(&app, &base));
    let unsigned = format!("{}.{}", token.rsplit_once('.').unwrap().0, "A".repeat(86));
    refused(&begun.end(&provider, unsigned, &[]).await, "signature");
    let answers: [(&str, &str); 4] =
        [("state", "another"), ("iss", "https://evil.example"), ("error", "access_denied"), ("code", "c-0")];
    for changed in answers {
        let begun = begin(&app, "/console/").await;
        let token = app.signed(&begun.claims(&app, &base));
        refused(&begun.end(&provider, token, &[changed]).await, changed.0);
    }
    assert_eq!(app.db.number("SELECT count(*) FROM sessions").await, 0);
}

#[both_databases]
async fn a_sign_in_ends_in_the_browser_that_began_it(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let (mine, theirs) = (begin(&app, "/console/").await, begin(&app, "/console/").await);
    let token = app.signed(&mine.claims(&app, &base));
    let elsewhere = Begun { asked: mine.asked.clone(), browser: theirs.browser.clone() };
    refused(&elsewhere.end(&provider, token.clone(), &[]).await, "another browser's cookie");
    let bare = Begun { asked: mine.asked.clone(), browser: mine.browser.without("Cookie") };
    refused(&bare.end(&provider, token.clone(), &[]).await, "no cookie");
    // Another verifier: the provider refuses the code.
    let mut claims = mine.claims(&app, &base);
    claims.insert("nonce".into(), theirs.asked["nonce"].clone().into());
    provider.0.lock().unwrap().codes.insert("c-1".into(), (mine.asked["code_challenge"].clone(), token));
    refused(&theirs.back(&base, &[]).await, "the code of another request");
    let late = begin(&app, "/console/").await;
    app.clock.advance(600);
    let token = app.signed(&late.claims(&app, &base));
    refused(&late.end(&provider, token, &[]).await, "ten minutes are over");
}

#[both_databases]
async fn another_process_finishes_a_sign_in(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let second = app.second_with_provider(&base);
    let begun = begin(&app, "/console/").await;
    let browser = begun.browser.of(&second);
    let there = Begun { asked: begun.asked.clone(), browser };
    let token = app.signed(&begun.claims(&app, &base));
    let reply = there.end(&provider, token, &[]).await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/console/"));
    with_cookie(&app.browser(), &reply).get("/v1/me").await.ok(200);
    refused(&begun.back(&base, &[]).await, "the first process, after the second");
}

#[both_databases]
async fn a_sign_in_leads_to_this_service_only(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    for evil in ["//evil.example", "https://evil.example", "/console//evil.example", "/v1/me"] {
        let begun = begin(&app, evil).await;
        let token = app.signed(&begun.claims(&app, &base));
        let reply = begun.end(&provider, token, &[]).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/console/"), "{evil}");
    }
}

#[both_databases]
async fn without_a_provider_that_answers_the_page_says_so(db: TestDb) {
    let app = App::with_provider(db, "http://127.0.0.1:9").await;
    let reply = app.browser().get("/console/login/start").await;
    let location = reply.header("location");
    assert_eq!((reply.status.as_u16(), location), (303, "/console/login?problem=authorization_unavailable"));
}

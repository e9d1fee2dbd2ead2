//! Wrong settings of the sign-in through a provider: each answer names the setting to change.

use serde_json::{Value, json};
use toolcrib_model::Clock as _;
use toolcrib_testkit::{HttpReply, TestDb, both_databases};

use crate::{
    harness::{App, sign_in},
    provider::{Provider, begin},
};

fn named(reply: &HttpReply, problem: &str) {
    let location = reply.header("location");
    let expected = format!("/console/login?problem={problem}");
    assert_eq!((reply.status.as_u16(), location), (303, &*expected), "{}", reply.text);
}

#[both_databases]
async fn a_token_that_does_not_fit_names_the_setting(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let now = app.clock.now().as_seconds();
    let wrong: [(&str, Value, &str); 7] = [
        ("iss", json!("https://evil.example"), "issuer"),
        ("aud", json!("api"), "console_client_id"),
        ("azp", json!("another-client"), "console_client_id"),
        ("exp", json!(now - 61), "clock"),
        ("iat", json!(now + 61), "clock"),
        ("nbf", json!(now + 61), "clock"),
        ("nonce", json!("another"), "unauthenticated"),
    ];
    for (claim, value, problem) in wrong {
        let begun = begin(&app, "/console/").await;
        let mut claims = begun.claims(&app, &base);
        claims.insert(claim.into(), value);
        named(&begun.end(&provider, app.signed(&claims), &[]).await, problem);
    }
    let begun = begin(&app, "/console/").await;
    let token = app.signed(&begun.claims(&app, &base));
    let unsigned = format!("{}.{}", token.rsplit_once('.').unwrap().0, "A".repeat(86));
    named(&begun.end(&provider, unsigned, &[]).await, "jwks_url");
    let begun = begin(&app, "/console/").await;
    named(&begun.end(&provider, token, &[("iss", "https://evil.example")]).await, "issuer");
}

#[both_databases]
async fn a_client_that_the_provider_does_not_know_names_the_setting(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let answers = [
        (401, json!({ "error": "invalid_client" }), "console_client_secret"),
        (401, json!({ "error": "unauthorized_client" }), "console_client_secret"),
        (401, Value::Null, "console_client_secret"),
        (
            400,
            json!({ "error": "invalid_grant", "error_description": "Incorrect redirect_uri" }),
            "redirect_uri",
        ),
        (400, json!({ "error": "invalid_grant" }), "unauthenticated"),
        (400, json!({ "error": ["invalid_client"] }), "unauthenticated"),
        (500, json!({ "error": "invalid_client" }), "authorization_unavailable"),
    ];
    for answer in answers {
        let (status, body, problem) = answer;
        provider.0.lock().unwrap().token_error = Some((status, body));
        let begun = begin(&app, "/console/").await;
        let token = app.signed(&begun.claims(&app, &base));
        named(&begun.end(&provider, token, &[]).await, problem);
    }
}

#[both_databases]
async fn a_provider_that_refuses_the_address_names_the_setting_before_the_browser_leaves(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    provider.0.lock().unwrap().refuses = true;
    named(&app.browser().get("/console/login/start").await, "redirect_uri");
    provider.0.lock().unwrap().refuses = false;
    begin(&app, "/console/").await;
    // It is asked until it took the client once.
    provider.0.lock().unwrap().refuses = true;
    begin(&app, "/console/").await;
}

#[both_databases]
async fn metadata_of_another_issuer_names_the_setting(db: TestDb) {
    let (provider, base) = Provider::start().await;
    provider.0.lock().unwrap().issuer = Some("https://id.example".into());
    let app = App::with_provider(db, &base).await;
    named(&app.browser().get("/console/login/start").await, "issuer");
    let nothing = app.second_with_provider(&format!("{base}/realms/none"));
    named(&app.browser().of(&nothing).get("/console/login/start").await, "issuer");
}

#[both_databases]
async fn a_pasted_token_names_the_setting(db: TestDb) {
    let (_provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let now = app.clock.now().as_seconds();
    let good = json!({ "iss": base, "aud": "api", "sub": "owner", "exp": now + 300 });
    let wrong = [
        ("iss", json!("https://evil.example"), "`issuer`"),
        ("aud", json!("console"), "`audience`"),
        ("iat", json!(now + 61), "`token_leeway_seconds`"),
    ];
    for (claim, value, setting) in wrong {
        let mut claims = good.as_object().unwrap().clone();
        claims.insert(claim.into(), value);
        let problem = sign_in(&app.browser(), &app.signed(&claims)).await.problem(401, "unauthenticated");
        let hint = problem["hint"].as_str().unwrap();
        assert!(hint.contains(setting), "{claim}: {hint}");
    }
    let problem = sign_in(&app.browser(), "not-a-token").await.problem(401, "unauthenticated");
    assert_eq!(problem["detail"], "the token is not valid");
}

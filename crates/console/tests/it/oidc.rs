//! Sign-in through an identity provider: one that is right, and each thing that a hostile one does wrong.

use serde_json::{Value, json};
use toolcrib_testkit::{HttpReply, TestDb, both_databases};

use crate::{
    harness::{App, with_cookie},
    provider::{Begun, Provider, begin},
};

fn refused(reply: &HttpReply, what: &str) {
    let location = reply.header("location");
    assert_eq!(
        (reply.status.as_u16(), location.split('=').next()),
        (303, Some("/console/login?problem")),
        "{what}"
    );
    assert!(reply.header("set-cookie").contains("-login=; "), "{what}: no session, and the sign-in is over");
}

#[both_databases]
async fn the_provider_signs_a_user_in(db: TestDb) {
    let (provider, base) = Provider::start().await;
    let app = App::with_provider(db, &base).await;
    let ways = app.browser().get("/console/session").await.ok(200);
    assert_eq!(
        ways,
        json!({ "signed_in": false, "ways": ["oidc", "token"], "public_url": "https://tools.example" })
    );
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
    let bearer = app.anonymous().bearer(&token);
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

//! User tokens: signature, header and claims.

use std::{net::IpAddr, sync::atomic::Ordering};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};
use toolcrib_auth::Resource;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::users;
use toolcrib_testkit::{ISSUER, NOW, TestDb, both_databases, eventually, write};

use crate::bench::{Bench, PEER, Signer, claims, ed, es256, jwk, key_set, rs256, sign, token};

/// The maximum length of a token, in bytes.
const MAX_TOKEN: usize = 16 << 10;

#[tokio::test]
async fn a_good_token_names_its_user_and_nothing_else() {
    let bench = Bench::new().await;
    let user = bench.user(&token(&json!({"workspace": "acme"}))).await;
    assert_eq!(user.user_id, Some(bench.world.owner));
    assert_eq!((&*user.issuer, &*user.subject, user.workspace.as_deref()), (ISSUER, "owner", Some("acme")));
    assert!(!user.system_admin);
    assert_eq!(user.expires_at, NOW.plus_seconds(3600));
    assert_eq!(bench.user(&token(&json!({"sub": "stranger"}))).await.user_id, None);
}

#[tokio::test]
async fn a_missing_header_and_another_scheme_say_so() {
    let bench = Bench::new().await;
    for (header, detail) in [
        (None, "the `Authorization` header is missing"),
        (Some("  "), "the `Authorization` header is missing"),
        (Some("Basic b3duZXI6"), "the `Authorization` header has no bearer token"),
        (Some("Bearer"), "the `Authorization` header has no bearer token"),
        (Some("Bearer a b"), "the `Authorization` header has no bearer token"),
    ] {
        let error = bench.authenticate(header, PEER).await.unwrap_err();
        assert_eq!((error.code, error.detail.as_str()), (ErrorCode::Unauthenticated, detail), "{header:?}");
    }
    let lower = format!("bearer {}", token(&json!({})));
    assert!(bench.authenticate(Some(&lower), PEER).await.is_ok());
}

#[tokio::test]
async fn each_accepted_algorithm_verifies_with_its_own_key_alone() {
    let bench = Bench::new().await;
    let signers = [("ed", ed(1)), ("es", es256()), ("rs", rs256())];
    let set: Vec<(&str, &Signer)> = signers.iter().map(|(kid, signer)| (*kid, signer)).collect();
    bench.issuer.answers(&String::from_utf8(key_set(&set)).unwrap());
    let body = claims(&json!({})).to_string();
    for (kid, signer) in &signers {
        for (other, _) in &signers {
            let text = sign(&json!({"alg": format!("{:?}", signer.1), "kid": other}), &body, signer);
            assert_eq!(bench.call(&text).await.is_ok(), kid == other, "{kid} as {other}");
            bench.clock.advance(1);
        }
    }
    // With several keys, a token must name one.
    bench.refused(&sign(&json!({"alg": "EdDSA"}), &body, &ed(1))).await;
}

#[tokio::test]
async fn a_token_without_kid_fits_an_issuer_with_one_key() {
    let bench = Bench::new().await;
    let body = claims(&json!({})).to_string();
    assert!(bench.call(&sign(&json!({"alg": "EdDSA"}), &body, &ed(1))).await.is_ok());
}

#[tokio::test]
async fn forged_signatures_are_refused() {
    let bench = Bench::new().await;
    let body = claims(&json!({})).to_string();
    let public = jwk("ed", &ed(1))["x"].as_str().unwrap().to_owned();
    let raw = URL_SAFE_NO_PAD.decode(&public).unwrap();
    for secret in [EncodingKey::from_secret(&raw), EncodingKey::from_secret(public.as_bytes())] {
        bench.refused(&sign(&json!({"alg": "HS256", "kid": "ed"}), &body, &(secret, Algorithm::HS256))).await;
    }
    for alg in ["none", "None", "", "RS256", "ES256", "EdDSA ", "HS256"] {
        bench.refused(&sign(&json!({"alg": alg, "kid": "ed"}), &body, &ed(1))).await;
    }
    let good = token(&json!({}));
    let (message, signature) = good.rsplit_once('.').unwrap();
    let mut parts = message.split('.');
    let (header, payload) = (parts.next().unwrap(), parts.next().unwrap());
    let admin = URL_SAFE_NO_PAD.encode(claims(&json!({"system_role": "admin"})).to_string());
    for forged in [
        format!("{message}."),
        message.to_owned(),
        format!("{header}.{admin}.{signature}"),
        format!("{good}.{signature}"),
        format!("{header}.{payload}.{}", &signature[1..]),
        format!("{header}.{payload}.{signature}="),
        "..".to_owned(),
        "a.b.c".to_owned(),
        "x".repeat(20_000),
    ] {
        bench.refused(&forged).await;
    }
    bench.refused(&sign(&json!({"alg": "EdDSA", "kid": "ed"}), &body, &ed(2))).await;
    assert!(bench.call(&good).await.is_ok());
}

#[tokio::test]
async fn a_token_of_16_kib_is_read_and_a_longer_one_is_not() {
    let bench = Bench::new().await;
    // Base64 has no text of some lengths. With this header, a token of 16 KiB is possible.
    let header = json!({"alg": "EdDSA", "kid": "ed", "n": 10});
    let padded = |letters| sign(&header, &claims(&json!({"pad": "x".repeat(letters)})).to_string(), &ed(1));
    let fits = (12_000..12_200).map(padded).find(|text| text.len() == MAX_TOKEN).unwrap();
    assert!(bench.call(&fits).await.is_ok());
    for longer in [format!("{fits}A"), "x".repeat(20_000)] {
        assert!(bench.refused(&longer).await.contains("longer than 16 KiB"));
    }
}

#[tokio::test]
async fn a_key_of_another_algorithm_is_no_reason_to_ask_the_issuer() {
    let bench = Bench::new().await;
    assert!(bench.call(&token(&json!({}))).await.is_ok());
    let before = bench.issuer.fetches.load(Ordering::SeqCst);
    bench.clock.advance(60);
    let body = claims(&json!({})).to_string();
    for header in [json!({"alg": "ES256", "kid": "ed"}), json!({"alg": "ES256"})] {
        assert!(bench.refused(&sign(&header, &body, &es256())).await.contains("for another algorithm"));
    }
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), before);
    bench.refused(&sign(&json!({"alg": "ES256", "kid": "new"}), &body, &es256())).await;
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), before + 1, "an unknown one is");
}

#[tokio::test]
async fn keys_that_a_token_brings_along_are_not_looked_at() {
    let bench = Bench::new().await;
    let body = claims(&json!({})).to_string();
    let mut header = json!({
        "alg": "EdDSA", "kid": "ed", "jwk": jwk("ed", &ed(2)),
        "jku": "https://elsewhere.test/keys", "x5u": "https://elsewhere.test/cert",
    });
    bench.refused(&sign(&header, &body, &ed(2))).await;
    assert!(bench.call(&sign(&header, &body, &ed(1))).await.is_ok());
    header["crit"] = json!(["b64"]);
    bench.refused(&sign(&header, &body, &ed(1))).await;
    for kid in
        [json!("../../etc/keys"), json!("' OR 1=1 --"), json!(["ed"]), json!(1), json!(null), json!("")]
    {
        bench.refused(&sign(&json!({"alg": "EdDSA", "kid": kid}), &body, &ed(1))).await;
    }
}

#[tokio::test]
async fn only_tokens_for_access_are_accepted() {
    let bench = Bench::new().await;
    let typed = |typ: Value| {
        let header = json!({"alg": "EdDSA", "kid": "ed", "typ": typ});
        sign(&header, &claims(&json!({})).to_string(), &ed(1))
    };
    for good in ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "Application/JWT"] {
        assert!(bench.call(&typed(json!(good))).await.is_ok(), "{good}");
    }
    for bad in
        ["logout+jwt", "application/logout+jwt", "dpop+jwt", "secevent+jwt", "JWT ", "", "application/", "at"]
    {
        assert!(bench.refused(&typed(json!(bad))).await.contains("no token for access"), "{bad}");
    }
    for odd in [json!(null), json!(["JWT"]), json!(1)] {
        bench.refused(&typed(odd)).await;
    }
    let events = json!({"http://schemas.openid.net/event/backchannel-logout": {}});
    for events in [events, json!({}), json!(false)] {
        assert!(bench.refused(&token(&json!({ "events": events }))).await.contains("logout token"));
    }
}

#[tokio::test]
async fn times_are_whole_seconds_and_hold() {
    let bench = Bench::new().await;
    let raw = |name: &str, value: &str| {
        let mut body = claims(&json!({ name: null })).to_string();
        body.truncate(body.len() - 1);
        sign(&json!({"alg": "EdDSA", "kid": "ed"}), &format!("{body},\"{name}\":{value}}}"), &ed(1))
    };
    let odd = [
        "\"1768474800\"",
        "-1",
        "9223372036854775808",
        "18446744073709551616",
        "1e400",
        "true",
        "[1768474800]",
        "{}",
    ];
    for name in ["exp", "nbf", "iat"] {
        for value in odd {
            bench.refused(&raw(name, value)).await;
        }
        // The same claim with a valid value is accepted, so the value was the reason for the refusal.
        let good = NOW.as_seconds() + if name == "exp" { 3600 } else { 0 };
        for good in [good.to_string(), format!("{good}.0"), format!("{good}.5"), format!("{good}e0")] {
            assert!(bench.call(&raw(name, &good)).await.is_ok(), "{name} {good}");
        }
    }
    assert!(bench.refused(&token(&json!({"exp": null}))).await.contains("no exp"));
    bench.refused(&raw("sub", "\"owner\",\"sub\":\"admin\"")).await;
}

/// By default, and as the operator sets it.
#[tokio::test]
async fn a_difference_between_clocks_is_forgiven() {
    for (bench, leeway) in
        [(Bench::new().await, 60), (Bench::with(|settings| settings.leeway_seconds = 5).await, 5)]
    {
        let now = NOW.as_seconds();
        assert!(bench.call(&token(&json!({"exp": now - leeway + 1}))).await.is_ok());
        let with_fraction: Value = serde_json::from_str(&format!("{}.5", now - leeway)).unwrap();
        assert!(bench.call(&token(&json!({"exp": with_fraction}))).await.is_ok());
        let error = bench.call(&token(&json!({"exp": now - leeway}))).await.unwrap_err();
        assert_eq!(error.detail, "the token is expired");
        assert!(bench.call(&token(&json!({"nbf": now + leeway, "iat": now + leeway}))).await.is_ok());
        let error = bench.call(&token(&json!({"nbf": now + leeway + 1}))).await.unwrap_err();
        assert_eq!(error.detail, "the token is not valid yet");
        assert_eq!(bench.code(&token(&json!({"iat": now + leeway + 1}))).await, ErrorCode::Unauthenticated);
    }
}

#[tokio::test]
async fn issuer_subject_and_audience_must_be_there_and_right() {
    let bench = Bench::with(|settings| settings.authorized_parties = vec!["https://app.test".into()]).await;
    for bad in [
        json!({"iss": null}),
        json!({"iss": "https://other.test"}),
        json!({"iss": [ISSUER]}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": 7}),
        json!({"sub": "x".repeat(256)}),
        json!({"aud": null}),
        json!({"aud": "them"}),
        json!({"aud": ["them"]}),
        json!({"aud": ["us", 1]}),
        json!({"aud": {"us": true}}),
        json!({"aud": null, "azp": "https://evil.test"}),
        json!({"aud": null, "azp": ["https://app.test"]}),
        json!({"aud": "them", "azp": "https://app.test"}),
        json!({"workspace": ["acme"]}),
        json!({"workspace": ""}),
        json!({"workspace": 1}),
    ] {
        bench.refused(&token(&bad)).await;
    }
    for good in [json!({"aud": ["them", "us"]}), json!({"aud": null, "azp": "https://app.test"})] {
        assert!(bench.call(&token(&good)).await.is_ok());
    }
    let nobody = Bench::with(|settings| settings.audience = None).await;
    nobody.refused(&token(&json!({}))).await;
}

#[tokio::test]
async fn a_token_for_mcp_is_good_over_mcp_alone() {
    let bench = Bench::with(|settings| settings.mcp_audience = Some("https://tools.test/mcp".into())).await;
    let over_mcp = async |text: &str| {
        bench.clock.advance(1);
        bench.auth.authenticate(Resource::Mcp, Some(&format!("Bearer {text}")), PEER).await
    };
    for aud in [json!("https://tools.test/mcp"), json!(["them", "https://tools.test/mcp"])] {
        let text = token(&json!({ "aud": aud }));
        // In this order, because a token that was verified for MCP is cached.
        assert!(over_mcp(&text).await.is_ok(), "{aud}");
        assert!(bench.refused(&text).await.ends_with("the audience of MCP"), "{aud}");
    }
    for aud in [json!("us"), json!(["us", "https://tools.test/mcp"])] {
        let text = token(&json!({ "aud": aud }));
        assert!(over_mcp(&text).await.is_ok() && bench.call(&text).await.is_ok(), "{aud}");
    }
    assert!(over_mcp(&token(&json!({ "aud": "them" }))).await.is_err());
    let without = Bench::new().await;
    without.refused(&token(&json!({ "aud": "https://tools.test/mcp" }))).await;
}

#[tokio::test]
async fn only_the_literal_at_the_configured_place_makes_a_system_admin() {
    let bench = Bench::with(|settings| settings.system_role_claim = "metadata.role".into()).await;
    for other in [
        json!({"metadata": {"role": ["admin"]}}),
        json!({"metadata": {"role": "Admin"}}),
        json!({"metadata": {"role": "admin "}}),
        json!({"metadata": {"role": true}}),
        json!({"metadata": {"inner": {"role": "admin"}}}),
        json!({"metadata": "admin"}),
        json!({"metadata.role": "admin"}),
        json!({"role": "admin", "system_role": "admin", "user_metadata": {"role": "admin"}}),
    ] {
        assert!(!bench.user(&token(&other)).await.system_admin, "{other}");
    }
    assert!(bench.user(&token(&json!({"metadata": {"role": "admin"}}))).await.system_admin);
}

#[tokio::test]
async fn a_remembered_token_ends_with_its_exp() {
    let bench = Bench::new().await;
    let text = token(&json!({}));
    assert!(bench.call(&text).await.is_ok());
    bench.clock.advance(3599);
    assert!(bench.call(&text).await.is_ok());
    bench.clock.advance(61);
    bench.refused(&text).await;
}

#[tokio::test]
async fn a_valid_token_is_never_refused_for_its_neighbours_failures() {
    let bench = Bench::new().await;
    let known = token(&json!({}));
    assert!(bench.call(&known).await.is_ok());
    for _ in 0..100 {
        assert!(bench.authenticate(None, PEER).await.is_err(), "no credential is no attempt");
    }
    for n in 0..60 {
        assert_eq!(bench.code(&format!("{n}.x.y")).await, ErrorCode::Unauthenticated);
    }
    let error = bench.call("60.x.y").await.unwrap_err();
    assert_eq!((error.code, error.retry_after), (ErrorCode::RateLimited, Some(1)));
    assert!(error.internal.is_some(), "the log is told why");
    for n in 0..10 {
        assert!(bench.call(&known).await.is_ok());
        assert!(bench.call(&token(&json!({"jti": n}))).await.is_ok(), "a new one");
        assert_eq!(bench.code(&format!("{n}.x.z")).await, ErrorCode::RateLimited);
    }
    let elsewhere = IpAddr::from([192, 0, 2, 9]);
    let error = bench.authenticate(Some("Bearer x.y.z"), elsewhere).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Unauthenticated);
}

#[both_databases]
async fn a_user_without_a_name_gets_the_tokens(db: TestDb) {
    let bench = Bench::over(db, |_| ()).await;
    let name_of = async |user: Id| {
        let mut tx = bench.db.read(Id::nil()).await.unwrap();
        let row = users::get(&mut tx, user).await.unwrap().unwrap();
        tx.end().await.unwrap();
        row.display_name
    };
    // None of these is a name, and none refuses the token.
    let long = json!("x".repeat(256));
    for (subject, name) in
        [("viewer", json!("+49 170 1234567")), ("member", json!(5)), ("editor", json!(" ")), ("admin", long)]
    {
        bench.user(&token(&json!({ "sub": subject, "name": name }))).await;
    }
    bench.user(&token(&json!({"name": " The Owner "}))).await;
    let owner = bench.world.owner;
    let name = eventually("the owner has a name", async || name_of(owner).await).await;
    assert_eq!(name, "The Owner");
    for other in [bench.world.viewer, bench.world.member, bench.world.editor, bench.world.admin] {
        assert_eq!(name_of(other).await, None);
    }
    // A name that is set stays.
    let named = write(&bench.db, Id::nil(), async |tx| users::name_unnamed(tx, owner, "Somebody Else").await)
        .await
        .unwrap();
    assert!(!named);
    assert_eq!(name_of(owner).await.as_deref(), Some("The Owner"));
}

//! The issuer's keys: rotation, floods and bad answers.

use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use serde_json::json;
use toolcrib_auth::{JwksSource as _, jwks::MAX_AGE};
use toolcrib_model::ErrorCode;
use toolcrib_testkit::eventually;

use crate::bench::{Bench, claims, ed, jwk, key_set, sign};

fn by(kid: &str, seed: u8, jti: u32) -> String {
    sign(
        &json!({"alg": "EdDSA", "kid": kid}),
        &claims(&json!({"jti": jti, "exp": 1_800_000_000})).to_string(),
        &ed(seed),
    )
}

#[tokio::test]
async fn a_flood_of_unknown_keys_fetches_once_a_cooldown_and_a_rotation_is_found() {
    let bench = Bench::new().await;
    assert!(bench.call(&by("ed", 1, 0)).await.is_ok());
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), 1);
    for n in 0..40 {
        assert_eq!(bench.code(&by(&format!("k{n}"), 9, n)).await, ErrorCode::Unauthenticated);
    }
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), 1);
    bench.issuer.answers(&String::from_utf8(key_set(&[("ed", &ed(1)), ("new", &ed(2))])).unwrap());
    bench.clock.advance(29);
    assert!(bench.call(&by("new", 2, 0)).await.is_err());
    bench.clock.advance(1);
    assert!(bench.call(&by("new", 2, 0)).await.is_ok());
    assert!(bench.call(&by("ed", 1, 1)).await.is_ok());
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_key_that_the_issuer_took_back_ends_its_remembered_tokens() {
    let bench = Bench::new().await;
    let text = by("ed", 1, 0);
    assert!(bench.call(&text).await.is_ok());
    bench.issuer.answers(&String::from_utf8(key_set(&[("ed", &ed(2))])).unwrap());
    bench.clock.advance(30);
    assert!(bench.call(&text).await.is_ok());
    bench.keys.renew().await;
    bench.refused(&text).await;
    assert!(bench.call(&by("ed", 2, 0)).await.is_ok());
}

#[tokio::test]
async fn bad_answers_keep_the_keys_until_they_are_too_old() {
    let huge = format!(r#"{{"keys":[{}]}}"#, vec!["{}"; 100].join(","));
    let hmac = r#"{"keys":[{"kty":"oct","kid":"ed","k":"c2VjcmV0","alg":"HS256"}]}"#;
    let bad = [r#"{"keys":[]}"#, "<html></html>", "", "[]", r#"{"keys":{}}"#, &huge, hmac];
    for answer in bad.into_iter().map(Some).chain([None]) {
        let bench = Bench::new().await;
        assert!(bench.call(&by("ed", 1, 0)).await.is_ok());
        match answer {
            Some(body) => bench.issuer.answers(body),
            None => *bench.issuer.answer.lock().unwrap() = Err("status 500".into()),
        }
        bench.clock.advance(MAX_AGE.cast_signed() - 1);
        bench.keys.renew().await;
        assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), 2);
        assert!(bench.call(&by("ed", 1, 0)).await.is_ok(), "remembered, {answer:?}");
        assert!(bench.call(&by("ed", 1, 1)).await.is_ok(), "verified, {answer:?}");
        bench.clock.advance(1);
        for jti in [0, 2] {
            let error = bench.call(&by("ed", 1, jti)).await.unwrap_err();
            assert_eq!((error.code, error.retry_after), (ErrorCode::AuthorizationUnavailable, Some(30)));
        }
        bench.issuer.answers(&String::from_utf8(key_set(&[("ed", &ed(1))])).unwrap());
        bench.clock.advance(30);
        assert!(bench.call(&by("ed", 1, 0)).await.is_ok(), "recovers, {answer:?}");
    }
}

#[tokio::test]
async fn an_issuer_that_hangs_is_given_up_and_known_keys_never_wait_for_it() {
    let bench = Bench::new().await;
    assert!(bench.call(&by("ed", 1, 0)).await.is_ok());
    bench.issuer.hangs.store(1, Ordering::SeqCst);
    bench.clock.advance(30);
    let token = by("ed", 1, 1);
    let (renewing, known) = (bench.keys.renew(), bench.call(&token));
    tokio::pin!(renewing);
    tokio::select! {
        biased;
        () = &mut renewing => panic!("nobody answered"),
        answer = known => assert!(answer.is_ok()),
    }
    renewing.await;
    assert!(bench.call(&by("ed", 1, 2)).await.is_ok());
}

#[tokio::test]
async fn tokens_of_unknown_keys_do_not_close_the_lane_while_the_issuer_hangs() {
    let bench = Bench::new().await;
    assert!(bench.call(&by("ed", 1, 0)).await.is_ok());
    bench.issuer.hangs.store(1, Ordering::SeqCst);
    bench.clock.advance(30);
    let junk: Vec<String> = (0..20).map(|n| by(&format!("unknown-{n}"), 9, n)).collect();
    let mut waiting: Vec<_> = junk.iter().map(|text| Box::pin(bench.call(text))).collect();
    for call in &mut waiting {
        assert!(call.as_mut().now_or_never().is_none(), "waits for the issuer");
    }
    let new = by("ed", 1, 1);
    assert!(bench.call(&new).await.is_ok());
    for call in &mut waiting {
        assert!(call.as_mut().now_or_never().is_none(), "the issuer still hangs");
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_does_not_waste_the_fetch() {
    let bench = Bench::new().await;
    let token = by("ed", 1, 0);
    let call = bench.call(&token);
    // Polled once, then dropped, while the fetch has only begun.
    assert!(call.now_or_never().is_none());
    eventually("the keys are fetched", async || bench.keys.current().knows("ed")).await;
    assert!(bench.call(&token).await.is_ok());
    assert_eq!(bench.issuer.fetches.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn keys_for_other_purposes_are_left_out() {
    let bench = Bench::new().await;
    let mut keys = vec![jwk("ed", &ed(1)); 5];
    for (key, (name, value)) in keys.iter_mut().zip([
        ("use", json!("enc")),
        ("alg", json!("RS256")),
        ("key_ops", json!(["encrypt"])),
        ("crv", json!("Ed448")),
        ("x", json!("AAAA")),
    ]) {
        key[name] = value;
    }
    keys.push(jwk("good", &ed(3)));
    bench.issuer.answers(&json!({ "keys": keys }).to_string());
    assert!(bench.call(&by("ed", 1, 0)).await.is_err());
    assert!(bench.call(&by("good", 3, 0)).await.is_ok());
}

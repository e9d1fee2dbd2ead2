//! Every connector against a service that misbehaves in every way.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use futures_util::future::{BoxFuture, join_all};
use secrecy::SecretString;
use toolcrib_connectors::{
    Client, Connectors, RequestLimits, UpstreamError,
    alertmanager::Alertmanager,
    embedded::{DataScope, Journal, LogQuery, Platform},
    loki::{Labels, Loki},
    prometheus::{Prometheus, QueryError, When},
    railway::{Project, Railway},
};
use toolcrib_testkit::{
    NOW, clock,
    outside::{self, Hostile, Wrong},
};

use crate::{client, label};

/// The error that each connector reports about a service at this URL.
async fn every(url: &str) -> Vec<(&'static str, UpstreamError)> {
    let prometheus = Prometheus::new(client(url, None), label());
    let alertmanager = Alertmanager::new(client(url, None), label());
    let labels = Labels { workspace: label(), service: "app".parse().unwrap() };
    let loki = Loki::new(client(url, None), labels);
    let project = Project { id: "p".into(), environment: "e".into() };
    let railway = Railway::new(client(url, Some("t")), project);
    let (reach, now) = (DataScope::Platform, When::At(NOW));
    let over = When::Over { from: NOW.plus_seconds(-60), to: NOW, step_seconds: 15 };
    let lines = LogQuery { reach, service: None, level: None, search: None, from: NOW, limit: 1 };
    let scoped = prometheus.scope("up", reach).unwrap();
    let metrics = |asked: Result<_, QueryError>| match asked.map(drop) {
        Err(QueryError::Upstream(error)) => error,
        other => panic!("{other:?}"),
    };
    let asked: Vec<BoxFuture<'_, (&'static str, UpstreamError)>> = vec![
        Box::pin(async { ("prometheus", metrics(prometheus.query(&scoped, now).await)) }),
        Box::pin(async { ("prometheus range", metrics(prometheus.query(&scoped, over).await)) }),
        Box::pin(async { ("alertmanager", alertmanager.alerts(reach).await.unwrap_err()) }),
        Box::pin(async { ("loki", loki.lines(&lines, NOW).await.unwrap_err()) }),
        Box::pin(async { ("railway", railway.services().await.unwrap_err()) }),
        Box::pin(async { ("railway logs", railway.logs("s", "d", 1).await.unwrap_err()) }),
    ];
    join_all(asked).await
}

async fn all_say(wrong: Wrong, expected: impl Fn(&UpstreamError) -> bool) -> Hostile {
    let hostile = Hostile::start(wrong).await;
    for (name, error) in every(&hostile.url).await {
        assert!(expected(&error), "{name} of {wrong:?}: {error:?}");
        let told = error.public_text();
        assert!(!told.contains(Hostile::SECRET), "{name} of {wrong:?}: {told}");
    }
    hostile
}

#[tokio::test]
async fn refusals_and_rubbish_are_faults_and_show_nothing() {
    for status in [400, 401, 403, 404, 418, 429, 500, 502, 503] {
        all_say(
            Wrong::Status(status),
            |error| matches!(error, UpstreamError::Status { status: is, .. } if *is == status),
        )
        .await;
    }
    all_say(Wrong::Html, |error| matches!(error, UpstreamError::Malformed(_))).await;
    all_say(Wrong::OtherJson, |error| matches!(error, UpstreamError::Malformed(_))).await;
}

#[tokio::test]
async fn redirects_are_never_followed() {
    for status in [301, 302, 303, 307, 308] {
        let is_it = |error: &UpstreamError| match error {
            UpstreamError::Status { status: is, .. } => *is == status,
            _ => false,
        };
        let hostile = all_say(Wrong::Moved(status), is_it).await;
        assert_eq!(hostile.followed.load(Ordering::SeqCst), 0, "{status}");
    }
}

/// Of a body of 1 GiB, a connector reads no more than the limit and what is buffered on the way.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_cut_at_the_limit() {
    let most = RequestLimits::USUAL.bytes;
    let is_it = |error: &UpstreamError| {
        let told = error.public_text().contains("more than 8388608 bytes");
        told && matches!(error, UpstreamError::TooLarge(at) if *at == most)
    };
    let hostile = all_say(Wrong::Huge, is_it).await;
    let sent = hostile.sent.load(Ordering::SeqCst);
    // There are six requests, and the socket buffers of each hold a few MiB.
    let bound = 6 * (most as u64 + 16 * 1024 * 1024);
    assert!(sent >= 6 * most as u64 && sent < bound, "{sent} bytes were sent, not below {bound}");
}

#[tokio::test]
async fn an_answer_that_trickles_ends_in_time() {
    let begun = Instant::now();
    all_say(Wrong::Slow, |error| matches!(error, UpstreamError::Timeout)).await;
    let took = begun.elapsed();
    assert!(took < RequestLimits::USUAL.timeout + Duration::from_secs(4), "{took:?}");
}

#[tokio::test]
async fn an_unreachable_service_is_an_error_without_its_address() {
    for (name, error) in every("http://user:hunter2@127.0.0.1:1").await {
        assert!(matches!(error, UpstreamError::Unreachable(_)), "{name}: {error:?}");
        assert!(!format!("{error} {error:?} {}", error.logged()).contains("hunter2"), "{name}: {error:?}");
        assert_eq!(error.public_text(), "can't be reached");
    }
}

#[test]
fn only_web_addresses_and_sendable_tokens_are_taken() {
    let new = |url: &str, token: &str| {
        Client::new(url, Some(SecretString::from(token.to_owned())), RequestLimits::USUAL)
    };
    assert!(new("https://metrics.test/prefix/", "a-token").is_ok());
    for url in ["file:///etc/passwd", "gopher://x", "metrics.test", "", "http://"] {
        assert!(matches!(new(url, "t"), Err(UpstreamError::Settings(_))), "{url}");
    }
    for token in ["a\nb", "a\0b"] {
        let refused = new("http://metrics.test", token).unwrap_err();
        assert!(!format!("{refused} {refused:?}").contains(token));
    }
    assert!(!format!("{:?}", new("http://metrics.test", "hunter2")).contains("hunter2"));
}

#[tokio::test]
async fn health_shows_each_configured_connector_with_what_is_wrong() {
    let hostile = Hostile::start(Wrong::Status(503)).await;
    let good = outside::Railway::start().await;
    let clock = Arc::new(clock());
    let project = Project { id: outside::Railway::PROJECT.into(), environment: "production".into() };
    let railway = Railway::new(client(&good.url, Some(outside::Railway::TOKEN)), project);
    let connectors = Connectors {
        prometheus: Some(Arc::new(Prometheus::new(client(&hostile.url, None), label()))),
        railway: Some(Arc::new(railway)),
        ..Connectors::default()
    };
    let platform = connectors.watched_by(Platform::new(clock.clone(), Journal::new(clock.clone(), 10)));
    platform.observe().await;
    let seen: Vec<(String, Option<bool>, bool)> = platform
        .components()
        .into_iter()
        .skip(1)
        .map(|one| (one.name, one.ok, one.latency_ms.is_some()))
        .collect();
    assert_eq!(seen, [("prometheus".into(), Some(false), false), ("railway".into(), Some(true), true)]);
    assert_eq!(platform.components()[1].error.as_deref(), Some("it answered with status 503"));
    // Railway counts requests to its public API, so the probe asks it only once in five minutes.
    for _ in 0..59 {
        clock.advance(5);
        platform.observe().await;
    }
    assert_eq!(good.requests().len(), 1);
    clock.advance(5);
    platform.observe().await;
    assert_eq!(good.requests().len(), 2);
}

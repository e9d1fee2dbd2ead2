//! Tests of the service's monitoring of itself.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::{BoxFuture, ready};
use toolcrib_model::{Clock, Id, TestClock, Ts};
use tracing_subscriber::layer::SubscriberExt;

use super::*;

const NOW: Ts = Ts::from_micros(1_768_471_200_000_000);

fn world(capacity: usize) -> (Arc<TestClock>, Arc<Journal>, Platform) {
    let clock = Arc::new(TestClock::new(NOW));
    let journal = Journal::new(clock.clone(), capacity);
    let platform = Platform::new(clock.clone(), journal.clone());
    (clock, journal, platform)
}

fn logging<T>(journal: &Arc<Journal>, run: impl FnOnce() -> T) -> T {
    tracing::subscriber::with_default(tracing_subscriber::registry().with(journal.layer()), run)
}

fn all(reach: DataScope) -> LogQuery<'static> {
    LogQuery { reach, service: None, level: None, search: None, from: NOW.plus_days(-1), limit: 100 }
}

fn call(workspace: Id, status: u64, duration_ms: f64) {
    tracing::info!(target: "toolcrib::calls", workspace_id = %workspace, status, duration_ms, "[tool-trace]");
}

#[test]
fn lines_are_kept_with_their_workspace_and_the_oldest_go() {
    let (_, journal, _) = world(3);
    let (a, b) = (Id::from_u128(1), Id::from_u128(2));
    logging(&journal, || {
        tracing::info!("goes");
        tracing::warn!(workspace_id = %a, table = "agents", "slow query");
        let span = tracing::info_span!("call", workspace_id = tracing::field::Empty);
        span.record("workspace_id", tracing::field::display(b));
        span.in_scope(|| tracing::info!(target: "toolcrib_http::routes", "inside"));
        tracing::error!("nobody's");
        tracing::trace!("not kept");
    });
    let texts = |reach| journal.lines(&all(reach)).into_iter().map(|line| line.message).collect::<Vec<_>>();
    assert_eq!(texts(DataScope::Platform), ["nobody's", "inside", "slow query"]);
    assert_eq!(texts(DataScope::Workspace(a)), ["slow query"]);
    assert_eq!(texts(DataScope::Workspace(b)), ["inside"]);
    assert_eq!(texts(DataScope::Workspace(Id::from_u128(3))), [""; 0]);
    let found = journal.lines(&LogQuery { search: Some("AGENTS"), ..all(DataScope::Platform) });
    assert_eq!(
        (found.len(), found[0].level, found[0].service.as_str()),
        (1, LogLevel::Warning, "connectors")
    );
    assert_eq!(journal.lines(&LogQuery { service: Some("http"), ..all(DataScope::Platform) }).len(), 1);
    assert_eq!(journal.lines(&LogQuery { limit: 1, ..all(DataScope::Platform) })[0].message, "nobody's");
    assert!(journal.lines(&LogQuery { from: NOW.plus_seconds(1), ..all(DataScope::Platform) }).is_empty());
    let services = |reach| journal.services(reach).into_iter().collect::<Vec<_>>();
    assert_eq!(services(DataScope::Platform), ["connectors", "http"]);
    assert_eq!(services(DataScope::Workspace(b)), ["http"]);
    logging(&journal, || (0..2).for_each(|_| tracing::info!(workspace_id = %a, "later")));
    assert_eq!(services(DataScope::Platform), ["connectors"]);
    assert_eq!(services(DataScope::Workspace(a)), ["connectors"]);
    assert_eq!(services(DataScope::Workspace(b)), [""; 0]);
}

#[test]
fn targets_are_services() {
    for (target, service) in [
        ("toolcrib_http::a", "http"),
        ("toolcrib::calls", "calls"),
        ("toolcrib", "app"),
        ("sqlx::query", "database"),
    ] {
        assert_eq!(layer::service(target), service);
    }
}

#[test]
fn calls_are_counted_by_minute_and_workspace() {
    let (clock, journal, platform) = world(10);
    let (a, b) = (Id::from_u128(1), Id::from_u128(2));
    logging(&journal, || {
        // Three calls take 10 to 20 ms, one 200 to 500 ms. The median is at rank 2 of 3 in the first bucket:
        // 10 + 10 × 2/3 = 16.67. The 95th percentile is at rank 3.8, 0.8 into the other bucket: 200 + 300 ×
        // 0.8 = 440.
        for (status, duration) in [(200, 15.0), (500, 12.0), (429, 18.0), (404, 300.0)] {
            call(a, status, duration);
        }
        clock.advance(60);
        call(b, 200, 1.0);
    });
    let now = NOW.plus_seconds(60);
    let own = platform.calls(DataScope::Workspace(a), NOW, now);
    assert_eq!((own.total, own.errors, own.limited, own.refused), (4, 1, 1, 1));
    assert!((own.quantile(0.5).unwrap() - 16.667).abs() < 0.001);
    assert!((own.quantile(0.95).unwrap() - 440.0).abs() < 0.001);
    assert_eq!(platform.calls(DataScope::Platform, NOW, now).total, 5);
    assert_eq!(platform.calls(DataScope::Platform, now, now).total, 1);
    let none = platform.calls(DataScope::Workspace(Id::nil()), NOW, now);
    assert_eq!((none.total, none.quantile(0.5), none.share(0)), (0, None, None));
    clock.advance(86_400);
    logging(&journal, || call(b, 200, 1.0));
    assert_eq!(platform.calls(DataScope::Workspace(a), NOW, clock.now()).total, 0);
}

#[test]
fn too_many_failed_calls_are_an_alert_of_that_workspace_until_they_stop() {
    let (clock, journal, platform) = world(100);
    let (a, b) = (Id::from_u128(1), Id::from_u128(2));
    logging(&journal, || {
        // 6 of 30 is 20 %, which is above 5 and not above 20: a warning. Together with the 30 calls of b it
        // is 10 %.
        (0..30).for_each(|n| call(a, if n < 6 { 503 } else { 200 }, 5.0));
        (0..30).for_each(|_| call(b, 200, 5.0));
    });
    let from = NOW.plus_days(-1);
    let alerts = platform.alerts(DataScope::Workspace(a), from);
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert_eq!((alerts[0].rule, alerts[0].severity), ("high_error_rate", Severity::Warning));
    assert_eq!(alerts[0].summary, "6 of 30 calls failed in 5 minutes");
    assert!(platform.alerts(DataScope::Workspace(b), from).is_empty());
    assert_eq!(platform.alerts(DataScope::Platform, from).len(), 2);
    clock.advance(60);
    assert_eq!(platform.alerts(DataScope::Workspace(a), from)[0].since, NOW);
    clock.advance(600);
    let ended = platform.alerts(DataScope::Workspace(a), from);
    assert_eq!((ended.len(), ended[0].since, ended[0].ended), (1, NOW, Some(NOW.plus_seconds(660))));
    assert!(platform.alerts(DataScope::Workspace(a), NOW.plus_seconds(661)).is_empty());
}

struct Switch(Arc<AtomicBool>);

impl Probe for Switch {
    fn name(&self) -> &'static str {
        "limiter"
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Limiter
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        let up = self.0.load(Ordering::SeqCst);
        Box::pin(ready(if up { Ok(()) } else { Err("connection refused".into()) }))
    }
}

#[tokio::test]
async fn a_component_says_since_when_it_is_as_it_is() {
    let (clock, _, platform) = world(10);
    let up = Arc::new(AtomicBool::new(true));
    let platform = platform.watch(Switch(up.clone()));
    assert_eq!(platform.components()[1].ok, None);
    clock.advance(10);
    platform.observe().await;
    let seen = platform.components()[1].clone();
    assert_eq!((seen.ok, seen.since, seen.latency_ms.is_some()), (Some(true), NOW, true));
    up.store(false, Ordering::SeqCst);
    clock.advance(10);
    platform.observe().await;
    clock.advance(10);
    platform.observe().await;
    let seen = platform.components()[1].clone();
    assert_eq!((seen.ok, seen.since, seen.latency_ms), (Some(false), NOW.plus_seconds(20), None));
    assert_eq!(seen.error.as_deref(), Some("connection refused"));
    let alerts = platform.alerts(DataScope::Platform, NOW);
    assert_eq!((alerts[0].rule, alerts[0].since), ("component_down", NOW.plus_seconds(20)));
    assert!(platform.alerts(DataScope::Workspace(Id::nil()), NOW).is_empty());
}

struct Seldom(Arc<std::sync::atomic::AtomicUsize>);

impl Probe for Seldom {
    fn name(&self) -> &'static str {
        "far"
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Connector
    }

    fn every_seconds(&self) -> i64 {
        30
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(ready(Ok(())))
    }
}

#[tokio::test]
async fn a_component_is_asked_no_more_often_than_it_wants() {
    let (clock, _, platform) = world(10);
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let platform = platform.watch(Seldom(asked.clone()));
    for _ in 0..13 {
        platform.observe().await;
        clock.advance(5);
    }
    // The checks run at 0, 30 and 60 seconds.
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    assert_eq!(platform.components()[1].checked_at, Some(NOW.plus_seconds(60)));
}

#[test]
fn the_text_format_is_read() {
    let text = "# TYPE a counter\na{x=\"1\",y=\"q\\\"\\\\ \"} 3\n\nb 0.5 1700000000\n\
        c{quantile=\"0.5\"} NaN\nrubbish\n";
    let found = samples(text);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].labels, [("x".to_owned(), "1".to_owned()), ("y".to_owned(), "q\"\\ ".to_owned())]);
    assert_eq!((found[1].name.as_str(), found[1].value), ("b", 0.5));
}

#[test]
fn a_process_status_is_read() {
    let process = Process::of("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t7\n");
    assert_eq!(
        process,
        Process { resident_bytes: Some(1_048_576), peak_bytes: Some(2_097_152), threads: Some(7) }
    );
    assert_eq!(Process::of(""), Process::default());
}

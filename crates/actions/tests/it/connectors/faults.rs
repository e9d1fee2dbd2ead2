//! Every monitoring action with every kind of failure of a service.

use serde_json::{Value, json};
use toolcrib_connectors::{
    Connectors,
    embedded::{DataScope, LogLevel, LogQuery},
};
use toolcrib_testkit::{
    NOW,
    outside::{Hostile, Wrong},
};
use tracing_subscriber::{layer::SubscriberExt, registry};

use super::{Connected, alertmanager, loki, prometheus, railway};

/// The error code tells what failed, and the error has no text of the service.
#[tokio::test]
async fn upstream_errors_hide_the_services_text() {
    for (wrong, code, word) in [
        (Wrong::Status(401), "upstream_error", "status 401"),
        (Wrong::OtherJson, "upstream_error", "can't be read"),
        (Wrong::Slow, "timeout", "in time"),
    ] {
        fail(wrong, code, word).await;
    }
}

fn questions() -> [(&'static str, Value); 6] {
    [
        ("query_prometheus", json!({})),
        ("query_prometheus", json!({"query": "up", "range_minutes": 5})),
        ("query_loki_logs", json!({})),
        ("get_alerts", json!({})),
        ("list_services", json!({})),
        ("get_logs", json!({"service": "api"})),
    ]
}

async fn fail(wrong: Wrong, code: &str, word: &str) {
    let asked = questions();
    let hostile = Hostile::start(wrong).await;
    let connectors = Connectors {
        prometheus: prometheus(&hostile.url),
        loki: loki(&hostile.url),
        alertmanager: alertmanager(&hostile.url),
        railway: railway(&hostile.url),
    };
    let connected = Connected::new(toolcrib_testkit::sqlite().await, connectors, false).await;
    let _logging = tracing::subscriber::set_default(registry().with(connected.journal.layer()));
    let admin = connected.app.system_admin();
    let problems = futures_util::future::join_all(
        asked.iter().map(|(action, given)| admin.problem(action, given.clone())),
    );
    for (problem, (action, _)) in problems.await.into_iter().zip(&asked) {
        assert_eq!(problem.code.as_str(), code, "{action} of {wrong:?}: {problem:?}");
        let whole = format!("{problem:?}");
        assert!(problem.detail.contains(word) && !whole.contains(Hostile::SECRET), "{action}: {whole}");
        assert!(!whole.contains("127.0.0.1"), "{action}: {whole}");
    }
    // The service's text is in the log on the level DEBUG alone, and in no workspace's log.
    let all = LogQuery {
        reach: DataScope::Platform,
        service: None,
        level: None,
        search: Some(Hostile::SECRET),
        from: NOW,
        limit: 100,
    };
    let told = connected.journal.lines(&all);
    assert!(told.iter().all(|line| line.level == LogLevel::Debug && line.workspace.is_none()), "{told:?}");
    assert!(!connected.journal.lines(&LogQuery { search: None, ..all }).is_empty(), "nothing was logged");
    health(&connected).await;
}

async fn health(connected: &Connected) {
    let admin = connected.app.system_admin();
    let health = admin.done("get_system_health", json!({})).await;
    let connectors: Vec<(&str, &str)> = health["components"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["kind"] == "connector")
        .map(|one| (one["name"].as_str().unwrap(), one["state"].as_str().unwrap()))
        .collect();
    let found = connectors.iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(found, ["prometheus", "alertmanager", "loki", "railway"]);
    assert!(!health.to_string().contains(Hostile::SECRET), "{health}");
    // A workspace's admin does not see the errors of the operator's services.
    let own = connected.app.owner().done("get_system_health", json!({})).await;
    assert!(own["components"].as_array().unwrap().iter().all(|one| one["error"].is_null()), "{own}");
    assert!(own["components"].as_array().unwrap().iter().all(|one| one["since"].is_string()), "{own}");
}

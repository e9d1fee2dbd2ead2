//! The Loki connector against a small server with its own parser of `LogQL`.

use toolcrib_connectors::{
    UpstreamError,
    embedded::{DataScope, LogLevel, LogQuery},
    loki::{Labels, Loki},
};
use toolcrib_testkit::{
    NOW,
    outside::{self, Comparison, LogQl},
};

use crate::{A, B, REACH_A, label};

fn client(url: &str, token: &str) -> Loki {
    let labels = Labels { workspace: label(), service: "service_name".parse().unwrap() };
    Loki::new(crate::client(url, Some(token)), labels)
}

fn all(reach: DataScope) -> LogQuery<'static> {
    LogQuery { reach, service: None, level: None, search: None, from: NOW.plus_seconds(-3_600), limit: 100 }
}

#[tokio::test]
async fn a_workspace_sees_its_own_lines_and_a_system_admin_all() {
    let server = outside::Loki::start().await;
    let (a, b) = (A.to_string(), B.to_string());
    let of = |workspace: &str, level: &str, seconds: i64, line: &str| {
        let labels = [("service_name", "api"), ("workspace", workspace), ("detected_level", level)];
        server.push(NOW.plus_seconds(-seconds), &labels, line);
    };
    of(&a, "warn", 30, "slow (a.b) of A");
    of(&a, "info", 20, "well");
    of(&b, "error", 10, "canary of b");
    of(&a, "info", 3_601, "too old");
    server.push(NOW, &[("service_name", "node"), ("level", "CRITICAL")], "disk of everybody");
    let loki = client(&server.url, outside::Loki::TOKEN);
    let texts = async |query: LogQuery<'_>| -> Vec<String> {
        loki.lines(&query, NOW).await.unwrap().into_iter().map(|line| line.message).collect()
    };
    assert_eq!(texts(all(REACH_A)).await, ["well", "slow (a.b) of A"]);
    assert_eq!(
        texts(all(DataScope::Platform)).await,
        ["disk of everybody", "canary of b", "well", "slow (a.b) of A"]
    );
    assert_eq!(texts(LogQuery { limit: 1, ..all(REACH_A) }).await, ["well"]);
    assert_eq!(texts(LogQuery { search: Some("(A.B)"), ..all(REACH_A) }).await, ["slow (a.b) of A"]);
    assert_eq!(texts(LogQuery { search: Some("a.*b"), ..all(REACH_A) }).await, [""; 0]);
    assert_eq!(texts(LogQuery { level: Some(LogLevel::Warning), ..all(REACH_A) }).await, ["slow (a.b) of A"]);
    let errors = LogQuery { level: Some(LogLevel::Error), ..all(DataScope::Platform) };
    assert_eq!(texts(errors).await, ["disk of everybody", "canary of b"]);
    assert_eq!(texts(LogQuery { service: Some("node"), ..all(REACH_A) }).await, [""; 0]);
    let line =
        &loki.lines(&LogQuery { search: Some("canary"), ..all(DataScope::Platform) }, NOW).await.unwrap()[0];
    assert_eq!((line.service.as_str(), line.level, line.workspace), ("api", LogLevel::Error, Some(B)));
    assert_eq!(line.at, NOW.plus_seconds(-10));
    // The connector drops lines of other workspaces, even if the server returns them.
    server.ignore_selectors();
    assert_eq!(texts(all(REACH_A)).await, ["well", "slow (a.b) of A"]);
    let refused = client(&server.url, "another").lines(&all(REACH_A), NOW).await;
    assert!(matches!(refused, Err(UpstreamError::Status { status: 401, .. })));
}

#[tokio::test]
async fn a_callers_text_stays_in_its_quotes() {
    let server = outside::Loki::start().await;
    let loki = client(&server.url, outside::Loki::TOKEN);
    let long = "x\"".repeat(32 * 1024);
    let is = |label: &str, value: &str| Comparison {
        label: label.to_owned(),
        operator: "=".to_owned(),
        value: value.to_owned(),
    };
    let hostile = [
        "\"",
        "\\",
        "`",
        "\n",
        "\r\n\t",
        "\"} or {a=\"",
        "{{.}}",
        "\\\"} | json | line_format \"",
        "\u{7}\u{1b}",
        ".*",
        "(?-i)",
        "ü",
        &long,
    ];
    for value in hostile {
        let query = LogQuery { service: Some(value), search: Some(value), ..all(REACH_A) };
        let read = LogQl::read(loki.logql(&query).as_str());
        let read = read.unwrap_or_else(|why| panic!("{value:?}: {why}"));
        assert_eq!(read.selector, [is("service_name", value), is("workspace", &A.to_string())], "{value:?}");
        assert!(read.labels.is_empty() && read.lines.len() == 1, "{value:?}");
        if value.len() < 1_000 {
            // The expression matches exactly this text.
            let labels =
                [("service_name".into(), value.to_owned()), ("workspace".into(), A.to_string())].into();
            assert!(read.finds(&labels, &format!("before {value} after")), "{value:?}");
            assert!(!read.finds(&labels, "anything else"), "{value:?}");
            loki.lines(&query, NOW).await.unwrap();
            assert_eq!(server.queries().last(), Some(&read), "{value:?}");
        }
    }
}

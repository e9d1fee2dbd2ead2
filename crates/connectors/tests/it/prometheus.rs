//! The Prometheus connector against a real Prometheus, over the samples below.

use std::{collections::BTreeMap, fmt::Write as _};

use toolcrib_connectors::{
    embedded::DataScope,
    prometheus::{Prometheus, QueryError, SeriesResult, When},
};
use toolcrib_testkit::{NOW, outside};

use crate::{A, B, REACH_A, client, label};

/// A counter that grows for an hour and a gauge: for workspace A by 1 a minute, for workspace B by 10, and
/// without a workspace by 100.
fn samples() -> String {
    let mut text = String::from("# TYPE calls counter\n");
    let owners =
        [(format!("workspace=\"{A}\""), 1), (format!("workspace=\"{B}\""), 10), ("job=\"node\"".into(), 100)];
    for (labels, step) in &owners {
        for minute in 0..=60_i64 {
            let at = NOW.as_seconds() - (60 - minute) * 60;
            writeln!(text, "calls_total{{{labels}}} {} {at}", minute * step).unwrap();
        }
    }
    text.push_str("# TYPE secret gauge\n");
    for (labels, step) in &owners {
        writeln!(text, "secret{{{labels},path=\"a\\\"b\\\\c\"}} {} {}", step * 7, NOW.as_seconds()).unwrap();
    }
    text + "# EOF\n"
}

async fn start() -> (outside::Server, Prometheus) {
    let server = outside::prometheus(&samples()).await;
    let client = Prometheus::new(client(&server.url(), None), label());
    (server, client)
}

async fn ask(prometheus: &Prometheus, reach: DataScope, promql: &str, when: When) -> SeriesResult {
    let scoped = prometheus.scope(promql, reach).unwrap();
    prometheus.query(&scoped, when).await.unwrap_or_else(|error| panic!("{promql}: {error}"))
}

fn values(found: &SeriesResult) -> Vec<f64> {
    let mut values: Vec<f64> = found.series.iter().map(|series| series.points[0].1).collect();
    values.sort_by(f64::total_cmp);
    values
}

#[tokio::test]
async fn a_workspace_sees_only_its_own_series_in_any_query() {
    let (_server, prometheus) = start().await;
    let now = When::At(NOW);
    // The last value of the workspace's own series is 60. All series together have 60, 600 and 6000.
    assert_eq!(values(&ask(&prometheus, REACH_A, "calls_total", now).await), [60.0]);
    assert_eq!(
        values(&ask(&prometheus, DataScope::Platform, "calls_total", now).await),
        [60.0, 600.0, 6_000.0]
    );
    // Each query with the values that the workspace's own series give.
    let own: &[(&str, &[f64])] = &[
        ("sum(calls_total)", &[60.0]),
        ("count({__name__=~\".+\"})", &[2.0]),
        ("increase(calls_total[10m])", &[10.0]),
        ("max_over_time(calls_total[5m:1m] offset 10m)", &[50.0]),
        ("calls_total or secret", &[7.0, 60.0]),
        ("sum(calls_total) + scalar(sum(secret))", &[67.0]),
        ("topk(scalar(sum(secret)), calls_total)", &[60.0]),
        // The parameter is scoped too: it is 7 / 14 of the workspace's own series, not 777 / 14 of all
        // series.
        ("quantile(scalar(sum(secret)) / 14, calls_total)", &[60.0]),
        ("label_replace(calls_total, \"workspace\", \"x\", \"\", \"\")", &[60.0]),
        ("calls_total @ end()", &[60.0]),
        ("secret{path=\"a\\\"b\\\\c\"}", &[7.0]),
        ("secret{path='a\"b\\\\c'}", &[7.0]),
        ("vector(1)", &[1.0]),
        ("calls_total{job=\"node\"}", &[]),
        ("absent(calls_total{job=\"node\"})", &[1.0]),
    ];
    for (promql, expected) in own {
        assert_eq!(values(&ask(&prometheus, REACH_A, promql, now).await), *expected, "{promql}");
    }
    for foreign in [
        format!("calls_total{{workspace=\"{B}\"}}"),
        "calls_total{workspace!=\"\",workspace=~\".*b\"}".to_owned(),
        format!("secret{{workspace=\"{B}\"}} or calls_total{{workspace=\"{B}\"}}"),
        format!("calls_total{{workspace=~\"{A}|{B}\"}} > 60"),
    ] {
        assert_eq!(values(&ask(&prometheus, REACH_A, &foreign, now).await), [0.0; 0], "{foreign}");
    }
}

/// Prometheus runs the query that the connector writes anew from what it parsed, so it doesn't matter if the
/// two would read the caller's text differently. Prometheus understands every query that passes, and no query
/// returns another workspace's values.
#[tokio::test]
async fn texts_that_try_to_leave_their_quotes_give_nobody_elses_values() {
    let (_server, prometheus) = start().await;
    let mut asked = 0;
    for value in [
        "\"",
        "\\",
        "`",
        "\n",
        "\"} or secret{a=\"",
        "{{.}}",
        "} or secret{",
        "#\n or secret",
        "\u{2028}",
        "ü",
    ] {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        for query in [
            format!("calls_total{{a=\"{value}\"}}"),
            format!("calls_total{{a=\"{escaped}\"}}"),
            format!("calls_total{{a='{value}'}}"),
            format!("calls_total{{a=`{value}`}}"),
            format!("calls_total{{\"{value}\"=\"1\"}}"),
            format!("sum by (\"{value}\") (secret)"),
            format!("calls_total # {value}"),
            format!("label_replace(calls_total, \"a\", \"{escaped}\", \"\", \"\")"),
        ] {
            let Ok(scoped) = prometheus.scope(&query, REACH_A) else { continue };
            match prometheus.query(&scoped, When::At(NOW)).await {
                Ok(found) => {
                    let own = values(&found).into_iter().all(|value| [60.0, 7.0].contains(&value));
                    assert!(own, "{query} became {} and gave {found:?}", scoped.as_str());
                    asked += 1;
                }
                // Names in quotes are for newer ones.
                Err(QueryError::Query(_)) => {
                    assert!(query.contains("{\"") || query.contains("(\""), "{query}");
                }
                Err(error) => panic!("{query}: {error}"),
            }
        }
    }
    assert!(asked >= 25, "{asked}");
}

#[tokio::test]
async fn a_range_has_its_points_and_what_can_not_be_computed_is_the_querys_fault() {
    let (_server, prometheus) = start().await;
    let over = When::Over { from: NOW.plus_seconds(-600), to: NOW, step_seconds: 300 };
    let found = ask(&prometheus, REACH_A, "calls_total", over).await;
    let points: Vec<(i64, f64)> = found.series[0]
        .points
        .iter()
        .map(|(at, value)| (NOW.micros_since(*at) / 1_000_000, *value))
        .collect();
    assert_eq!(points, [(600, 50.0), (300, 55.0), (0, 60.0)]);
    assert_eq!(
        found.series[0].labels,
        BTreeMap::from([("__name__".into(), "calls_total".into()), ("workspace".into(), A.to_string())])
    );
    let scoped = prometheus.scope("calls_total + on () secret", DataScope::Platform).unwrap();
    let error = prometheus.query(&scoped, When::At(NOW)).await.unwrap_err();
    assert!(matches!(&error, QueryError::Query(_)), "{error}");
}

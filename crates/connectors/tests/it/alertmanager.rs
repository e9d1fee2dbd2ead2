//! The Alertmanager connector against a real Alertmanager.

use std::collections::BTreeSet;

use toolcrib_connectors::{alertmanager::Alertmanager, embedded::DataScope};
use toolcrib_testkit::outside;

use crate::{A, B, REACH_A, client, label};

#[tokio::test]
async fn a_workspace_sees_its_own_alerts_and_a_system_admin_all() {
    let server = outside::alertmanager(None).await;
    let alert = |name: &str, more: &str| {
        format!(
            r#"{{"labels":{{"alertname":"{name}","severity":"critical"{more}}},
            "annotations":{{"summary":"of {name}"}}}}"#
        )
    };
    let body = [
        alert("Mine", &format!(r#","job":"api","workspace":"{A}""#)),
        alert("Theirs", &format!(r#","workspace":"{B}""#)),
        alert("Nobodys", r#","instance":"host-1""#),
        alert("Odd", r#","workspace":"\"} or {a=\"""#),
    ];
    assert_eq!(server.post("/api/v2/alerts", &format!("[{}]", body.join(","))).await.0, 200);
    let silence = format!(
        r#"{{"matchers":[{{"name":"alertname","value":"Nobodys","isRegex":false,"isEqual":true}}],
        "startsAt":"2020-01-01T00:00:00Z","endsAt":"2999-01-01T00:00:00Z",
        "createdBy":"test","comment":"{A}"}}"#
    );
    assert_eq!(server.post("/api/v2/silences", &silence).await.0, 200);
    let client = Alertmanager::new(client(&server.url(), None), label());

    let own = client.alerts(REACH_A).await.unwrap();
    assert_eq!(own.len(), 1, "{own:?}");
    assert_eq!((own[0].name.as_str(), own[0].subject.as_str()), ("Mine", "api"));
    assert_eq!((own[0].summary.as_str(), own[0].severity.as_deref()), ("of Mine", Some("critical")));
    assert_eq!((own[0].workspace, own[0].ended, own[0].silenced), (Some(A), None, false));

    let all = client.alerts(DataScope::Platform).await.unwrap();
    let names: BTreeSet<&str> = all.iter().map(|alert| alert.name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["Mine", "Nobodys", "Odd", "Theirs"]));
    let silenced: Vec<&str> =
        all.iter().filter(|alert| alert.silenced).map(|alert| alert.name.as_str()).collect();
    assert_eq!(silenced, ["Nobodys"]);
    assert!(client.alerts(DataScope::Workspace(toolcrib_model::Id::from_u128(1))).await.unwrap().is_empty());
}

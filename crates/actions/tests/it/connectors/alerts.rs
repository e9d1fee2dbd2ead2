//! Alerts from a real Alertmanager, and from its webhook.

use serde_json::{Value, json};
use toolcrib_connectors::Connectors;
use toolcrib_model::Id;
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, outside};

use super::{Connected, alertmanager, names};

#[both_databases]
async fn alerts_come_from_the_api_and_the_webhook(db: TestDb) {
    let server = outside::alertmanager(None).await;
    let connectors = Connectors { alertmanager: alertmanager(&server.url()), ..Connectors::default() };
    let connected = Connected::new(db, connectors, true).await;
    let (a, b) = (connected.app.a.workspace, connected.app.b.workspace);
    let fires = |name: &str, workspace: Id| {
        json!({
            "labels": {"alertname": name, "severity": "critical", "workspace": workspace},
            "annotations": {"summary": "now"}
        })
    };
    let body = json!([fires("ApiMine", a), fires("ApiTheirs", b)]).to_string();
    assert_eq!(server.post("/api/v2/alerts", &body).await.0, 200);
    deliver(
        &connected,
        &[
            told("Ended", Some(a), 60, Some(30)),
            told("EndedTheirs", Some(b), 60, Some(30)),
            told("Nobodys", None, 60, Some(10)),
            told("Fires", Some(a), 60, None),
        ],
    )
    .await;
    let owner = connected.app.owner();
    let own = owner.done("get_alerts", json!({})).await;
    // Whether an alert fires is what the Alertmanager's API says now.
    assert_eq!((own["source"].as_str(), names(&own)), (Some("alertmanager"), vec!["ApiMine", "Ended"]));
    assert_eq!((own["firing"].as_u64(), own["items"][1]["status"].as_str()), (Some(1), Some("resolved")));
    assert_eq!(names(&owner.done("get_alerts", json!({"status": "firing"})).await), ["ApiMine"]);
    assert_eq!(names(&owner.done("get_alerts", json!({"severity": "warning"})).await), ["Ended"]);
    let mut all = connected.app.system_admin().done("get_alerts", json!({})).await;
    assert_eq!(all["items"].as_array().unwrap().len(), 5, "{all}");
    assert_eq!(all["items"][2].take()["name"], "Nobodys");
}

#[both_databases]
async fn without_the_api_delivered_alerts_fire_until_they_end(db: TestDb) {
    let connected = Connected::new(db, Connectors::default(), true).await;
    let (a, b) = (connected.app.a.workspace, connected.app.b.workspace);
    let owner = connected.app.owner();
    assert_eq!(owner.done("get_alerts", json!({})).await["items"], json!([]));
    deliver(&connected, &[told("Mine", Some(a), 60, None), told("Theirs", Some(b), 50, None)]).await;
    let own = owner.done("get_alerts", json!({})).await;
    assert_eq!((own["firing"].as_u64(), names(&own)), (Some(1), vec!["Mine"]));
    assert_has(&own["items"][0], json!({"severity": "warning", "scope": "workspace"}));
    // The alert is delivered as firing again, then as ended, then as firing once more. It stays ended.
    for ended in [None, Some(5), None] {
        deliver(&connected, &[told("Mine", Some(a), 60, ended)]).await;
    }
    let own = owner.done("get_alerts", json!({})).await;
    assert_eq!((own["firing"].as_u64(), own["items"][0]["status"].as_str()), (Some(0), Some("resolved")));
    for body in ["", "{}", r#"{"version":"4"}"#, "[1]"] {
        let refused = connected.inbox.deliver(body.as_bytes()).await.unwrap_err();
        assert_eq!(refused.code.as_str(), "malformed_request", "{body}");
    }
}

/// An alert as the webhook delivers it. The times are in seconds before now.
fn told(name: &str, workspace: Option<Id>, started: i64, ended: Option<i64>) -> Value {
    let mut labels = json!({"alertname": name, "severity": "warning"});
    if let Some(id) = workspace {
        labels["workspace"] = json!(id);
    }
    json!({
        "status": if ended.is_some() { "resolved" } else { "firing" },
        "labels": labels,
        "annotations": {"summary": "told"},
        "startsAt": NOW.plus_seconds(-started),
        "endsAt": ended.map_or_else(|| json!("0001-01-01T00:00:00Z"), |ago| json!(NOW.plus_seconds(-ago))),
        "generatorURL": "http://prometheus",
        "fingerprint": name,
    })
}

async fn deliver(connected: &Connected, alerts: &[Value]) {
    let message = json!({"version": "4", "status": "firing", "receiver": "toolcrib", "alerts": alerts});
    assert_eq!(connected.inbox.deliver(message.to_string().as_bytes()).await.unwrap(), alerts.len());
}

//! The binary with a real Prometheus and a real Alertmanager.

use std::path::Path;

use serde_json::{Value, json};
use toolcrib_store::Db;
use toolcrib_testkit::{change_workspace, eventually, outside};

use crate::binary::{Server, demo, folder, refused};

const TOKEN: &str = "the-secret-of-an-alertmanager";

struct Asking {
    base: String,
    http: reqwest::Client,
}

impl Asking {
    async fn run(&self, person: &Value, workspace: &Value, action: &str, arguments: Value) -> Value {
        let request = self
            .http
            .post(format!("{}/v1/actions/{action}", self.base))
            .bearer_auth(person["token"].as_str().unwrap())
            .header("X-Workspace-Id", workspace.as_str().unwrap())
            .json(&arguments);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["status"], "completed", "{action}: {answer}");
        answer["data"].clone()
    }

    /// Requests the alerts until they are as wanted.
    async fn until(&self, person: &Value, workspace: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually("the alerts are as wanted", async || {
            let alerts = self.run(person, workspace, "platform_get_alerts", json!({})).await;
            if wanted(&alerts) { Ok(alerts) } else { Err(alerts) }
        })
        .await
    }
}

/// Raises these workspaces' limit of calls to external services, because the test polls.
async fn often(folder: &Path, workspaces: &[&Value]) {
    let db = Db::open_sqlite(&folder.join("data/toolcrib.db")).await.unwrap();
    for workspace in workspaces {
        let id = workspace["id"].as_str().unwrap().parse().unwrap();
        change_workspace(&db, id, |row| row.settings.external_per_minute = 1_000_000).await;
    }
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_join_the_real_services() {
    let folder = folder();
    let prometheus = outside::prometheus("# TYPE x gauge\nx 1 1768471200\n# EOF\n").await;
    let url = prometheus.url();
    let arguments = ["--demo", "--prometheus-url", &url, "--alertmanager-webhook-token", TOKEN];
    let server = Server::start(folder.path(), &arguments);
    let asking = Asking { base: server.base(), http: reqwest::Client::new() };
    let hook = format!("{}/v1/hooks/alertmanager", asking.base);
    let alertmanager = outside::alertmanager(Some((&hook, TOKEN))).await;
    let demo = demo(folder.path());
    let [ours, theirs] = [0, 1].map(|n| &demo["workspaces"][n]);
    often(folder.path(), &[ours, theirs]).await;
    let alert = |workspace: &Value, ends: Value| {
        json!({
            "labels": {"alertname": "Slow", "severity": "critical", "workspace": workspace["id"]},
            "annotations": {"summary": "too slow"}, "startsAt": "2020-01-01T00:00:00Z", "endsAt": ends,
        })
    };
    let later = json!("2999-01-01T00:00:00Z");
    let fire = json!([alert(ours, later.clone()), alert(theirs, later)]).to_string();
    assert_eq!(alertmanager.post("/api/v2/alerts", &fire).await.0, 200);
    let firing = |alerts: &Value| alerts["firing"] == 1;
    let seen = asking.until(&ours["owner"], &ours["id"], firing).await;
    assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
    assert_eq!((&seen["items"][0]["name"], &seen["source"]), (&json!("Slow"), &json!("alertmanager")));
    asking.until(&theirs["owner"], &theirs["id"], firing).await;
    let all = asking.until(&demo["system_admin"], &ours["id"], |alerts| alerts["firing"] == 2).await;
    assert_eq!(all["scope"], "platform");
    let over = json!([alert(ours, json!("2020-06-01T00:00:00Z"))]).to_string();
    assert_eq!(alertmanager.post("/api/v2/alerts", &over).await.0, 200);
    asking.until(&ours["owner"], &ours["id"], |alerts| alerts["firing"] == 0).await;

    let asked = json!({"query": "vector(7)"});
    let metrics = asking.run(&ours["owner"], &ours["id"], "platform_query_prometheus", asked).await;
    assert_eq!((&metrics["series"][0]["value"], &metrics["source"]), (&json!(7.0), &json!("prometheus")));
    let health = asking.run(&ours["owner"], &ours["id"], "platform_get_system_health", json!({})).await;
    let components = health["components"].as_array().unwrap();
    let connector = components.iter().find(|one| one["name"] == "prometheus").unwrap();
    assert_eq!((&connector["kind"], &connector["state"]), (&json!("connector"), &json!("up")), "{health}");
    assert!(connector["latency_ms"].is_number() && connector["since"].is_string());
}

#[test]
fn a_connector_with_wrong_settings_is_reported_in_one_line() {
    let folder = folder();
    let data = folder.path().to_str().unwrap();
    let text = refused(&["serve", "--data-dir", data, "--prometheus-url", "http://["], 2);
    assert!(text.contains("`--prometheus-url` can't be used: it is no URL"), "{text}");
    let text = refused(&["serve", "--data-dir", data, "--alertmanager-webhook-token", "hunter2"], 2);
    assert!(text.contains("16 characters") && !text.contains("hunter2"), "{text}");
}

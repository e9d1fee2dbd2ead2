//! Services and their logs from a small server that speaks Railway's protocol.

use serde_json::{Value, json};
use toolcrib_connectors::Connectors;
use toolcrib_testkit::{TestDb, both_databases, outside};

use super::{Connected, names, railway};

#[both_databases]
async fn railway_answers_system_admins_alone(db: TestDb) {
    let server = outside::Railway::start().await;
    let connectors = Connectors { railway: railway(&server.url), ..Connectors::default() };
    let connected = Connected::new(db, connectors, false).await;
    let before = server.requests().len();
    for (action, given) in [("list_services", json!({})), ("get_logs", json!({"service": "api"}))] {
        let problem = connected.app.owner().problem(action, given).await;
        assert_eq!(problem.code.as_str(), "permission_denied");
        assert!(problem.detail.contains("only system admins may query Railway"), "{problem:?}");
    }
    assert_eq!(server.requests().len(), before, "Railway was asked for somebody who may not know");
    let admin = connected.app.system_admin();
    let services = admin.done("list_services", json!({})).await;
    assert_eq!(
        (services["source"].as_str(), names(&services)),
        (Some("railway"), vec!["api", "web", "worker"])
    );
    let states: Vec<&Value> = services["items"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["up", "unknown", "down"]);
    assert_eq!(services["items"][2]["error"], "deployment crashed");
    let logs = admin.done("get_logs", json!({"service": "API", "lines": 2})).await;
    assert_eq!((logs["service"].as_str(), names(&logs)), (Some("api"), vec!["listening", "Out of Memory"]));
    let found = admin.done("get_logs", json!({"service": "api", "lines": 1, "filter": "memory"})).await;
    assert_eq!(names(&found), ["Out of Memory"]);
    assert_eq!(admin.done("get_logs", json!({"service": "web"})).await["items"], json!([]));
    let problem = admin.problem("get_logs", json!({"service": "wep"})).await;
    assert_eq!(problem.code.as_str(), "not_found");
    assert!(problem.hint.unwrap().contains("`web`"));
    // `query_loki_logs` reads the embedded log here, which can be limited to a workspace, so workspaces may
    // call it.
    connected.app.owner().done("query_loki_logs", json!({})).await;
}

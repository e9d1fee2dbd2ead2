//! A simple Railway with one project, which answers in GraphQL as Railway does.

use std::{collections::BTreeSet, sync::Arc};

use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::serve;

/// A simple Railway with the services `api` (running), `worker` (crashed) and `web` (never deployed) in the
/// environment `production`, and only `api` in `staging`.
#[derive(Clone)]
pub struct Railway {
    /// The URL of the GraphQL endpoint.
    pub url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Railway {
    /// The bearer token that requests must have.
    pub const TOKEN: &'static str = "token-of-railway";
    pub const PROJECT: &'static str = "p-1";

    pub async fn start() -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let app = Router::new().route("/graphql/v2", post(answer)).with_state(requests.clone());
        Self { url: format!("{}/graphql/v2", serve(app).await), requests }
    }

    /// Returns the bodies of the requests that were received.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().clone()
    }
}

async fn answer(
    State(requests): State<Arc<Mutex<Vec<Value>>>>,
    headers: HeaderMap,
    Json(question): Json<Value>,
) -> Json<Value> {
    requests.lock().push(question.clone());
    let refuse = |why: &str| Json(json!({ "errors": [{ "message": why }], "data": null }));
    if headers.get("authorization").is_none_or(|value| value != &format!("Bearer {}", Railway::TOKEN)) {
        return refuse("Not Authorized");
    }
    let query = question["query"].as_str().unwrap_or_default();
    let variables = &question["variables"];
    if let Err(why) = check(query, variables) {
        return refuse(&why);
    }
    if query.contains("deploymentLogs(") {
        return match variables["deployment"].as_str() {
            Some("d-api") => Json(json!({ "data": { "deploymentLogs": logs(&variables["limit"]) } })),
            _ => refuse("Deployment not found"),
        };
    }
    if variables["project"] != Railway::PROJECT {
        return refuse("Project not found");
    }
    let mut project = json!({ "id": Railway::PROJECT });
    if query.contains("environments") {
        project["environments"] = json!({ "edges": [environment("production"), environment("staging")] });
    }
    Json(json!({ "data": { "project": project } }))
}

/// Checks that brackets are paired, and that the variables are exactly those that the query declares and
/// uses.
fn check(query: &str, variables: &Value) -> Result<(), String> {
    let count = |c| query.matches(c).count();
    if !query.starts_with("query ") || count('{') != count('}') || count('(') != count(')') {
        return Err("Syntax Error".to_owned());
    }
    let (declared, used) = query.split_once(") {").ok_or("Syntax Error")?;
    let named = |text: &str| -> BTreeSet<String> {
        text.split('$')
            .skip(1)
            .map(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).collect())
            .collect()
    };
    let given: BTreeSet<String> =
        variables.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    if named(declared) == named(used) && named(declared) == given {
        Ok(())
    } else {
        Err("Unknown variable".to_owned())
    }
}

fn environment(name: &str) -> Value {
    let instance = |service: &str, deployment: Value| json!({ "node": { "serviceName": service, "latestDeployment": deployment } });
    let deployed = |id: &str, status: &str| json!({ "id": id, "status": status, "createdAt": "2026-01-15T08:00:00.123Z" });
    let mut all = vec![instance("api", deployed("d-api", "SUCCESS"))];
    if name == "production" {
        all.push(instance("worker", deployed("d-worker", "CRASHED")));
        all.push(instance("web", Value::Null));
    }
    json!({ "node": { "id": format!("e-{name}"), "name": name, "serviceInstances": { "edges": all } } })
}

/// Returns the last lines, oldest first.
fn logs(limit: &Value) -> Vec<Value> {
    let lines = [
        json!({ "timestamp": "2026-01-15T08:00:01.000000001Z", "message": "starting", "severity": "info" }),
        json!({ "timestamp": "2026-01-15T09:00:00Z", "message": "Out of Memory", "severity": "error" }),
        json!({ "timestamp": "2026-01-15T09:30:00Z", "message": "listening", "severity": null }),
    ];
    let most = limit.as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or_default();
    lines[lines.len().saturating_sub(most)..].to_vec()
}

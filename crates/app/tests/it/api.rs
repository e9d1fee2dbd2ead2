//! The API of a running demo, asked as one of its people.

use std::path::Path;

use serde_json::Value;
use toolcrib_model::Id;

use crate::binary::{Server, demo};

/// Somebody of the demo's first workspace.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    pub base: String,
    token: String,
    pub workspace: Id,
    headers: Vec<(&'static str, String)>,
}

impl Api {
    /// `who` is a member of `demo.json`, such as `owner`.
    pub fn new(client: &reqwest::Client, server: &Server, folder: &Path, who: &str) -> Self {
        let workspace = demo(folder)["workspaces"][0].take();
        Self {
            client: client.clone(),
            base: server.base(),
            token: workspace[who]["token"].as_str().unwrap().to_owned(),
            workspace: workspace["id"].as_str().unwrap().parse().unwrap(),
            headers: Vec::new(),
        }
    }

    /// With one header more.
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name, value.to_owned()));
        other
    }

    /// The status and the body; nothing where nobody answered.
    pub async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.base))
            .bearer_auth(&self.token)
            .header("X-Workspace-Id", self.workspace.to_string());
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.json().await.ok()?))
    }

    /// The body of an answer with this status.
    pub async fn ok(&self, method: &str, path: &str, body: Option<&Value>, status: u16) -> Value {
        let (got, value) = self.ask(method, path, body).await.expect("the service answers");
        assert_eq!(got, status, "{method} {path}: {value}");
        value
    }

    pub async fn get(&self, path: &str) -> Value {
        self.ok("GET", path, None, 200).await
    }

    pub async fn post(&self, path: &str, body: &Value, status: u16) -> Value {
        self.ok("POST", path, Some(body), status).await
    }
}

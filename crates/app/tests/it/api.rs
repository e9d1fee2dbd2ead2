//! A client of a running demo's API, with the token of one of its people.

use std::{fmt::Write as _, path::Path, time::Duration};

use serde_json::Value;
use toolcrib_model::Id;

use crate::binary::{Server, demo};

/// A client of one person in one of the demo's workspaces.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    pub base: String,
    token: String,
    pub workspace: Id,
    headers: Vec<(&'static str, String)>,
}

impl Api {
    /// A client in the first workspace. `who` is a member in `demo.json`, such as `owner`.
    pub fn new(client: &reqwest::Client, server: &Server, folder: &Path, who: &str) -> Self {
        Self::of(client, server, folder, (0, who))
    }

    /// A client in any of the demo's workspaces.
    pub fn of(
        client: &reqwest::Client,
        server: &Server,
        folder: &Path,
        (workspace, who): (usize, &str),
    ) -> Self {
        let workspace = demo(folder)["workspaces"][workspace].take();
        Self {
            client: client.clone(),
            base: server.base(),
            token: workspace[who]["token"].as_str().unwrap().to_owned(),
            workspace: workspace["id"].as_str().unwrap().parse().unwrap(),
            headers: Vec::new(),
        }
    }

    /// The same client with another header.
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name, value.to_owned()));
        other
    }

    /// A call as bytes, as a client without an HTTP library would send it.
    pub fn bytes(&self, path: &str, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        let mut text = format!(
            "POST {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {}\r\nX-Workspace-Id: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n",
            self.token,
            self.workspace,
            body.len()
        );
        for (name, value) in &self.headers {
            // Writing into a string can't fail.
            let _ = write!(text, "{name}: {value}\r\n");
        }
        format!("{text}\r\n{body}").into_bytes()
    }

    /// An event stream: after the event `last`, or from now on.
    pub async fn stream(&self, path: &str, last: Option<&str>) -> reqwest::Response {
        let mut request = self.client.get(format!("{}{path}", self.base)).bearer_auth(&self.token);
        request = request.header("X-Workspace-Id", self.workspace.to_string());
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let stream = request.send().await.unwrap();
        assert_eq!(stream.status().as_u16(), 200, "{path}");
        stream
    }

    /// Status and body; `None` if nothing answers.
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

    /// The body of a response, which must have this status.
    pub async fn ok(&self, method: &str, path: &str, body: Option<&Value>, status: u16) -> Value {
        let (got, value) = self.ask(method, path, body).await.expect("the service answers");
        assert_eq!(got, status, "{method} {path}: {value}");
        value
    }

    /// The text of the answer to a read.
    pub async fn text(&self, path: &str) -> String {
        let request = self.client.get(format!("{}{path}", self.base)).bearer_auth(&self.token);
        let answer = request.header("X-Workspace-Id", self.workspace.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        self.ok("GET", path, None, 200).await
    }

    pub async fn post(&self, path: &str, body: &Value, status: u16) -> Value {
        self.ok("POST", path, Some(body), status).await
    }
}

/// Reads the stream until this text has arrived.
pub async fn until(stream: &mut reqwest::Response, wanted: &str) -> String {
    let mut bytes = Vec::new();
    loop {
        // A chunk may end in the middle of a character.
        if let Ok(text) = std::str::from_utf8(&bytes)
            && text.contains(wanted)
        {
            return text.to_owned();
        }
        let more = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await;
        bytes.extend(more.expect("in time").unwrap().expect("the stream goes on"));
    }
}

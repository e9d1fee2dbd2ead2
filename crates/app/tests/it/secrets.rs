//! Secrets are planted wherever a client can put one. No log line, response, event or row may contain them.

use std::{fs, path::Path};

use reqwest::Method;
use serde_json::{Value, json};
use toolcrib_testkit::{
    TestDb, both_databases, eventually,
    outside::{RestService, ServiceAnswer},
};

use crate::{
    api::{Api, until},
    binary::{Server, demo, folder},
    console::the_demo_prints_a_link_that_signs_its_owner_in_once,
};

/// A password in a datasource's connection.
const LOGIN: &str = "geheimnis-login-4711";
/// A value of a parameter that does not exist.
const UNKNOWN: &str = "geheimnis-unknown-4712";
/// A parameter's value in a call of an action that does not exist.
const NOWHERE: &str = "geheimnis-nowhere-4713";
/// An invalid credential.
const BEARER: &str = "geheimnis-bearer-4714";
/// A connection as a value of the wrong type.
const WRONG: &str = "geheimnis-wrong-4715";
/// The secret of an upstream, which repeats it in each of its answers.
const SENT: &str = "geheimnis-sent-4716";
/// The path of an incoming webhook, the token of a bot, and the password of an account, by which messages are
/// sent.
const MESSAGE: &str = "4717:geheimnis-message-4717";
const PLANTED: [&str; 7] = [LOGIN, UNKNOWN, NOWHERE, BEARER, WRONG, SENT, MESSAGE];

struct Client<'c> {
    http: reqwest::Client,
    base: String,
    workspace: &'c Value,
    /// All responses so far.
    heard: String,
}

impl Client<'_> {
    async fn say(&mut self, method: Method, path: &str, bearer: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("{}{path}", self.base);
        let mut call = self
            .http
            .request(method, url)
            .bearer_auth(bearer)
            .header("X-Workspace-Id", self.workspace["id"].as_str().unwrap())
            .header("X-Session-Id", "planted")
            .header("Idempotency-Key", format!("key-{}", self.heard.len()));
        if let Some(body) = body {
            call = call.json(&body);
        }
        let answer = call.send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        let value = serde_json::from_str(&text).unwrap_or_default();
        // A key's secret is shown once to its creator, and a wrong call of the dispatcher gets its own words
        // back in a corrected call.
        if path != "/v1/keys" && path != "/v1/actions/platform_execute" {
            self.heard.push_str(&text);
        }
        (status, value)
    }
}

/// Sends a secret to an upstream, in reads and writes that succeed and that fail.
async fn plant_upstream(client: &mut Client<'_>, owner: &str, upstream: &RestService) {
    let auth = json!({"kind": "header", "name": "X-Api-Key"});
    let body = json!({"name": "echo", "kind": "http", "base_url": upstream.url, "auth": auth});
    assert_eq!(client.say(Method::POST, "/v1/upstreams", owner, Some(body)).await.0, 201);
    let body = json!({"secret": SENT});
    assert!(client.say(Method::PUT, "/v1/upstreams/echo/secret", owner, Some(body)).await.0 < 300);
    let tool = |level: &str| {
        json!({
            "name": level, "description": "Echo.", "permission_level": level, "accessible_by": "everyone",
            "http": {"upstream": "echo", "method": "POST", "path": "echo"},
        })
    };
    let tools = [tool("read"), tool("write")];
    let body = json!({"schema": "toolcrib.toolset/1", "slug": "planted", "title": "Echo", "tools": tools});
    assert_eq!(client.say(Method::PUT, "/v1/toolsets/planted", owner, Some(body)).await.0, 200);
    for (status, expected) in [(200, 200), (404, 404), (500, 502)] {
        upstream.answer(ServiceAnswer::Json(status, json!({"echo": SENT, "word": "planted-answer"})));
        for level in ["read", "write"] {
            let path = format!("/v1/actions/planted__{level}");
            let (got, answer) = client.say(Method::POST, &path, owner, Some(json!({}))).await;
            assert_eq!(got, expected, "{answer}");
        }
    }
    let received = upstream.received();
    assert!(received.len() == 6 && received.iter().all(|request| request.headers["x-api-key"] == SENT));
    assert!(client.heard.contains("planted-answer"), "the answers are searched");
}

/// Sends messages to people by each service, which repeats its secret in its answer.
async fn plant_messages(client: &mut Client<'_>, owner: &str, services: &RestService) {
    let secret_url = format!("http://{}/services/{MESSAGE}", services.host);
    let url = format!("http://{}/", services.host);
    let twilio =
        json!({"account_sid": format!("AC{}", "0".repeat(32)), "from": "Planted", "to": "+15005550010"});
    services.answer(ServiceAnswer::Json(500, json!({"description": MESSAGE, "code": 1, "message": MESSAGE})));
    for hook in [
        json!({"format": "slack", "secret": secret_url}),
        json!({"format": "telegram", "url": url, "secret": MESSAGE, "receiver": {"chat_id": "1"}}),
        json!({"format": "twilio", "url": url, "secret": MESSAGE, "receiver": twilio}),
    ] {
        let mut hook = hook;
        hook["types"] = json!(["awaiting_permission"]);
        let (status, made) = client.say(Method::POST, "/v1/webhooks", owner, Some(hook)).await;
        assert_eq!(status, 201, "{made}");
    }
    let before = services.received().len();
    let path = "/v1/actions/platform_create_agent";
    assert_eq!(client.say(Method::POST, path, owner, Some(json!({"name": "Doomed"}))).await.0, 200);
    let path = "/v1/actions/platform_delete_agent";
    assert_eq!(client.say(Method::POST, path, owner, Some(json!({"agent": "Doomed"}))).await.0, 202);
    eventually("each service is asked", async || services.received().len() >= before + 3).await;
}

/// Plants the secrets and sends requests that might return them. Returns the key's secret and all responses.
async fn plant(server: &Server, workspace: &Value, upstream: &RestService) -> (String, String) {
    let owner = workspace["owner"]["token"].as_str().unwrap();
    let http = reqwest::Client::new();
    let mut client = Client { http, base: server.base(), workspace, heard: String::new() };
    let post = Method::POST;
    plant_upstream(&mut client, owner, upstream).await;
    plant_messages(&mut client, owner, upstream).await;

    let body =
        json!({"kind": "service", "name": "worker", "scopes": ["*:read", "tasks:use"], "role": "viewer"});
    let (status, key) = client.say(post.clone(), "/v1/keys", owner, Some(body)).await;
    assert_eq!(status, 201, "{key}");
    let key = key["secret"].as_str().unwrap().to_owned();

    let connection = format!("postgres://planted:{LOGIN}@127.0.0.1:1/shop");
    let body = json!({"name": "Planted", "connection": connection});
    assert_eq!(client.say(post.clone(), "/v1/datasources", owner, Some(body.clone())).await.0, 201);
    assert_eq!(client.say(post.clone(), "/v1/datasources", owner, Some(body)).await.0, 409);
    let body = json!({"name": "Planted twice", "connection": {"password": WRONG}});
    assert_eq!(client.say(post.clone(), "/v1/datasources", owner, Some(body)).await.0, 422);
    let query = json!({"datasource": "Planted", "sql": "SELECT 1"});
    let (status, _) = client.say(post.clone(), "/v1/actions/platform_query_data", owner, Some(query)).await;
    assert!(status >= 400, "nobody listens there: {status}");

    let body = json!({"name": "Planted", "password": UNKNOWN});
    assert_eq!(client.say(post.clone(), "/v1/actions/platform_create_agent", owner, Some(body)).await.0, 422);
    let body = json!({
        "action": "platform_create_agent", "password": UNKNOWN,
        "params": {"name": "x", "token": UNKNOWN}
    });
    assert!(client.say(post.clone(), "/v1/actions/platform_execute", owner, Some(body)).await.0 >= 400);
    let body = json!({"secret": NOWHERE});
    assert_eq!(
        client.say(post.clone(), "/v1/actions/platform_no_such_thing", owner, Some(body)).await.0,
        404
    );
    assert_eq!(client.say(Method::GET, "/v1/tools", BEARER, None).await.0, 401);
    assert_eq!(client.say(Method::GET, "/v1/tools", &format!("{key}x"), None).await.0, 401);
    assert_eq!(client.say(Method::GET, "/v1/tools", &key, None).await.0, 200);
    assert_eq!(
        client.say(post, "/v1/actions/platform_create_agent", &key, Some(json!({"name": "x"}))).await.0,
        403
    );

    for path in [
        "/v1/audit?limit=100",
        "/v1/keys",
        "/v1/datasources",
        "/v1/me",
        "/v1/settings",
        "/v1/confirmations",
        "/v1/notifications",
        "/metrics",
        "/v1/audit/verify",
        "/v1/upstreams",
        "/v1/calls",
        "/v1/webhooks",
    ] {
        client.say(Method::GET, path, owner, None).await;
    }
    (key, client.heard)
}

fn stands_in(word: &str, place: &[u8]) -> bool {
    place.windows(word.len()).any(|part| part == word.as_bytes())
}

fn stand_nowhere(words: &[&str], places: &[(&str, &[u8])]) {
    for word in words {
        let found = places.iter().filter(|(_, bytes)| stands_in(word, bytes));
        let found: Vec<&str> = found.map(|(place, _)| *place).collect();
        assert!(found.is_empty(), "`{word}` stands in {found:?}");
    }
}

/// The files that the process wrote into its folder, except `demo.json`, which holds credentials.
fn written(data: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for file in fs::read_dir(data).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() && path.file_name().unwrap() != "demo.json" {
            all.extend(fs::read(path).unwrap());
        }
    }
    all
}

#[both_databases]
async fn planted_secrets_stand_nowhere(db: TestDb) {
    let folder = folder();
    let url = db.url();
    let database = if db.kind() == "postgres" { vec!["--database", &url] } else { vec![] };
    let upstream = RestService::start().await;
    let hosts = [
        "--datasource-hosts",
        "127.0.0.1",
        "--upstream-hosts",
        &upstream.host,
        "--webhook-hosts",
        &upstream.host,
    ];
    let with = [["--demo", "--log-filter", "debug"].as_slice(), &hosts].concat();
    let server = Server::start(folder.path(), &[with, database.clone()].concat());
    let workspace = demo(folder.path())["workspaces"][0].take();
    let owner = Api::new(&reqwest::Client::new(), &server, folder.path(), "owner");
    let mut stream = owner.stream("/v1/events", None).await;
    let (key, heard) = plant(&server, &workspace, &upstream).await;
    // The stream is read up to this event, so that it has all events before: those of the conversation's
    // calls, refused ones too, and of their results.
    owner.post("/v1/actions/platform_create_agent", &json!({ "name": "Witness" }), 200).await;
    let streamed = until(&mut stream, "Witness").await;
    drop(stream);
    the_demo_prints_a_link_that_signs_its_owner_in_once(&server).await;
    // The demo prints credentials for people, but must not log them.
    let logged =
        |line: &&str| [" DEBUG ", " INFO ", " WARN ", " ERROR "].iter().any(|level| line.contains(level));
    let log = server.text().lines().filter(logged).collect::<Vec<_>>().join("\n");
    assert_eq!(server.stop(), Some(0));
    let mut stored = written(&folder.path().join("data"));
    stored.extend(db.everything().await);
    let id = workspace["id"].as_str().unwrap();
    let data = folder.path().join("data");
    let args = ["audit", "export", "--workspace", id, "--data-dir", data.to_str().unwrap()];
    let export = crate::binary::done(&[&args, &*database].concat());
    // Words that are not secret are there.
    let name = "platform_create_agent";
    assert!(log.contains("a credential was refused"), "the operator reads why");
    assert!(log.contains(name) && export.contains("Planted") && stands_in("Planted", &stored));
    assert!(streamed.contains("event: permission_denied\n") && streamed.contains(name), "{streamed}");
    let token = workspace["owner"]["token"].as_str().unwrap();
    // The secret itself may contain `_`.
    let secret = key.splitn(3, '_').nth(2).unwrap();
    let words = [&PLANTED, [token, token.rsplit('.').next().unwrap(), &key, secret].as_slice()].concat();
    let places = [
        ("the log", log.as_bytes()),
        ("an answer", heard.as_bytes()),
        ("an event", streamed.as_bytes()),
        ("the export", export.as_bytes()),
        ("the database", &stored),
    ];
    stand_nowhere(&words, &places);
    println!(
        "{}: {} secrets in {} bytes of log, {} of answers, {} of streamed events, {} of database: none",
        db.kind(),
        words.len(),
        log.len(),
        heard.len(),
        streamed.len(),
        stored.len()
    );
}

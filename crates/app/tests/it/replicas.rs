//! Three processes with one PostgreSQL and one Redis behave as one service.

use std::time::Instant;

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib_testkit::{TestDb, change_workspace, eventually, outside::Redis};

use crate::binary::{Server, demo, folder, refused};

/// The processes with their Redis, database and folder.
struct Replicas {
    servers: Vec<Server>,
    redis: Redis,
    workspace: Value,
    client: reqwest::Client,
    _folder: TempDir,
    database: TestDb,
}

impl Replicas {
    async fn start() -> Self {
        let (folder, database, redis) = (folder(), toolcrib_testkit::postgres().await, Redis::start().await);
        let start = || {
            Server::start(folder.path(), &["--demo", "--database", &database.url(), "--redis", &redis.url()])
        };
        let servers = vec![start(), start(), start()];
        let workspace = demo(folder.path())["workspaces"][0].take();
        Self { servers, redis, workspace, client: reqwest::Client::new(), _folder: folder, database }
    }

    fn text(&self, path: &str) -> &str {
        self.workspace.pointer(path).unwrap().as_str().unwrap()
    }

    /// Sends a request to one process as a person, in the conversation `s1`. Returns status and body.
    async fn ask(&self, at: usize, who: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}{path}", self.servers[at % self.servers.len()].base());
        let request = self.client.request(method, url).header("X-Workspace-Id", self.text("/id"));
        let request = request.header("X-Session-Id", "s1").bearer_auth(self.text(&format!("/{who}/token")));
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn call(&self, at: usize, who: &str, action: &str, params: Value) -> (u16, Value) {
        self.ask(at, who, Method::POST, &format!("/v1/actions/platform_{action}"), params).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_share_limits_roles_and_packs() {
    let mut replicas = Replicas::start().await;
    they_share_limits(&replicas).await;
    let (workspace, mut mode) = (replicas.text("/id").parse().unwrap(), String::new());
    change_workspace(&replicas.database, workspace, |row| {
        row.settings.write_per_minute = 1_000_000;
        mode.clone_from(&row.settings.approval_mode);
    })
    .await;
    session_grants_hold_in_all_processes(&replicas).await;
    change_workspace(&replicas.database, workspace, |row| row.settings.approval_mode = mode).await;
    they_share_roles_and_packs(&replicas).await;
    without_redis_reads_run_and_writes_are_refused(&mut replicas).await;
}

async fn they_share_limits(replicas: &Replicas) {
    let begun = Instant::now();
    let calls = (0..200)
        .map(|n| replicas.call(n, "owner", "create_agent", json!({ "name": format!("Replica {n}") })));
    let answers = futures_util::future::join_all(calls).await;
    let count = |wanted: u16| answers.iter().filter(|(status, _)| *status == wanted).count();
    let (admitted, refused) = (count(200), count(429));
    // On a busy machine a limiter or a database that is late refuses a call. Its token may be spent then.
    let unavailable = |(status, body): &&(u16, Value)| {
        *status == 503 && body["code"].as_str().is_some_and(|code| code.ends_with("_unavailable"))
    };
    let unavailable = answers.iter().filter(unavailable).count();
    let refilled = usize::try_from(begun.elapsed().as_secs() / 6 + 1).unwrap();
    println!(
        "200 parallel writes at 10 a minute on three processes: {admitted} admitted, {refused} refused, \
         {unavailable} unavailable"
    );
    let others: Vec<_> = answers.iter().filter(|answer| ![200, 429].contains(&answer.0)).collect();
    assert_eq!(admitted + refused + unavailable, 200, "{others:?}");
    assert!((1..=10 + refilled).contains(&admitted) && admitted + unavailable >= 10, "{admitted}");
}

async fn they_share_roles_and_packs(replicas: &Replicas) {
    // A member who is removed through one process is refused by the others from the next call on.
    let read = async |at| replicas.call(at, "editor", "list_agents", json!({})).await.0;
    assert_eq!((read(0).await, read(1).await, read(2).await), (200, 200, 200));
    let member = format!("/v1/members/{}", replicas.text("/editor/user_id"));
    assert_eq!(replicas.ask(0, "owner", Method::DELETE, &member, Value::Null).await.0, 200);
    assert_eq!((read(1).await, read(2).await, read(0).await), (403, 403, 403));

    // So is a pack that is switched on or off.
    for (on, expected) in [(true, 200), (false, 403), (true, 200)] {
        let body = json!({ "enabled": on });
        assert_eq!(replicas.ask(0, "owner", Method::PATCH, "/v1/packs/game", body).await.0, 200);
        for at in 0..3 {
            let path = "/v1/actions/game_list_projects";
            let (status, answer) = replicas.ask(at, "admin", Method::POST, path, json!({})).await;
            assert_eq!(status, expected, "{at}: {answer}");
            let (_, list) = replicas.ask(at, "admin", Method::GET, "/v1/tools", Value::Null).await;
            assert_eq!(list.to_string().contains("game_list_projects"), on, "{at}");
        }
    }
}

async fn session_grants_hold_in_all_processes(replicas: &Replicas) {
    let mode = json!({ "approval_mode": "confirm_writes" });
    assert_eq!(replicas.ask(0, "owner", Method::PATCH, "/v1/settings", mode).await.0, 200);
    let create =
        async |at, name: String| replicas.call(at, "editor", "create_agent", json!({ "name": name })).await;
    let (status, asked) = create(0, "First".to_owned()).await;
    assert_eq!(status, 202, "{asked}");
    let approve = format!("/v1/confirmations/{}/approve", asked["confirmation"]["id"].as_str().unwrap());
    let (status, ran) =
        replicas.ask(1, "editor", Method::POST, &approve, json!({ "remember": "session" })).await;
    assert_eq!(status, 200, "{ran}");
    for at in [2, 0] {
        let (status, ran) = create(at, format!("Granted {at}")).await;
        assert_eq!((status, &ran["granted_by"]), (200, &json!("session")), "{ran}");
    }
    let (status, revoked) =
        replicas.ask(2, "editor", Method::DELETE, "/v1/sessions/s1/grants", Value::Null).await;
    assert_eq!((status, &revoked["revoked"]), (200, &json!(1)), "{revoked}");
    assert_eq!(create(1, "Asked again".to_owned()).await.0, 202);
}

async fn without_redis_reads_run_and_writes_are_refused(replicas: &mut Replicas) {
    replicas.redis.stop();
    let agent = json!({ "name": "Later" });
    let (status, body) = replicas.call(0, "owner", "create_agent", agent.clone()).await;
    assert_eq!((status, &body["code"]), (503, &json!("limiter_unavailable")));
    assert_eq!(replicas.call(0, "owner", "list_agents", json!({})).await.0, 200);
    assert_eq!(
        replicas.client.get(format!("{}/readyz", replicas.servers[0].base())).send().await.unwrap().status(),
        503
    );
    replicas.redis.again().await;
    eventually("it comes back by itself", async || {
        replicas.call(0, "owner", "create_agent", agent.clone()).await.0 != 503
    })
    .await;
    let listed = replicas.call(1, "owner", "list_agents", json!({ "search": "Later" })).await.1;
    assert_eq!(listed["data"]["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_missing_redis_is_reported_at_start() {
    let folder = folder();
    let data = folder.path().to_str().unwrap();
    let line = refused(
        &["serve", "--demo", "--data-dir", data, "--bind", "127.0.0.1:0", "--redis", "redis://127.0.0.1:1"],
        3,
    );
    assert!(line.contains("--redis"), "{line}");
}

//! The event stream: which events a caller sees, where a stream resumes, and when it ends.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::timeout;
use toolcrib_auth::secret;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

/// Longer than any event takes and shorter than the interval of heartbeats.
const PATIENCE: Duration = Duration::from_secs(10);

/// A message of a stream.
#[derive(Debug)]
pub struct Message {
    id: String,
    pub name: String,
    pub data: Value,
    comment: bool,
}

/// An open stream.
pub struct Stream {
    body: BodyDataStream,
    text: String,
}

pub async fn listen(client: &Client<'_>, path: &str) -> Stream {
    let response = client.open("GET", path, None, Body::empty()).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let mut stream = Stream { body: response.into_body().into_data_stream(), text: String::new() };
    assert!(stream.next().await.unwrap().comment, "a greeting");
    stream
}

impl Stream {
    /// The next message, or `None` if the stream has ended.
    pub async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let lines = message.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim);
                    lines.collect::<Vec<_>>().join("\n")
                };
                let data = serde_json::from_str(&field("data:")).unwrap_or_default();
                let comment = message.lines().any(|line| line.starts_with(':'));
                let message = Message { id: field("id:"), name: field("event:"), data, comment };
                let read = self.text.len() - rest.len();
                self.text.drain(..read);
                return Some(message);
            }
            let more = timeout(PATIENCE * 2, self.body.next()).await.expect("something comes, or the end")?;
            self.text.push_str(std::str::from_utf8(&more.unwrap()).unwrap());
        }
    }

    /// Messages up to and including the first about the agent with this name.
    async fn until(&mut self, agent: &str) -> Vec<Message> {
        let mut all = Vec::new();
        loop {
            let message = timeout(PATIENCE, self.next()).await.expect("in time").expect("the stream goes on");
            let last = message.data["name"] == agent;
            all.push(message);
            if last {
                return all;
            }
        }
    }

    async fn ends(&mut self) {
        while let Some(message) = self.next().await {
            assert!(
                message.comment || message.name.starts_with("member.") || message.name.starts_with("key."),
                "{message:?}"
            );
        }
    }
}

fn names(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.name.as_str()).collect()
}

async fn agent(client: &Client<'_>, name: &str) -> Value {
    client.run("create_agent", json!({"name": name})).await.ok(200)["data"].clone()
}

/// A service key of workspace A with these scopes and the role editor.
async fn key(app: &App, scopes: Value) -> (Value, Client<'_>) {
    let made = app.new_key(json!({ "scopes": scopes })).await;
    let client = app.anonymous().bearer(made["secret"].as_str().unwrap());
    (made, client)
}

/// An operator key. It is inserted into the database, because the API can't create one.
async fn operator<'a>(app: &'a App, db: &TestDb, n: u128, scopes: &str) -> Client<'a> {
    let (id, bytes) = (Id::from_u128((7 << 76) | (2 << 62) | n), [7; 32]);
    let hash = secret::hash(&bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let (id_text, hash) = match db.kind() {
        "sqlite" => (format!("X'{}'", id.simple()), format!("X'{hash}'")),
        _ => (format!("'{id}'"), format!("'\\x{hash}'")),
    };
    let sql = format!(
        "INSERT INTO operator_keys (id, name, secret_hash, scopes, created_at) \
         VALUES ({id_text}, 'op', {hash}, '{scopes}', 0)"
    );
    db.raw_sql(&sql).await;
    app.anonymous().bearer(&secret::format_key(id, &bytes))
}

#[both_databases]
async fn events_come_as_they_happen(db: TestDb) {
    let app = App::new(db).await;
    agent(&app.owner(), "Before").await;
    let mut stream = listen(&app.owner(), "/v1/events").await;
    let made = agent(&app.as_role(Role::Editor), "Scout").await;
    let seen = stream.until("Scout").await;
    assert_eq!(names(&seen), ["agent.created"], "what happened before is not told");
    let data = &seen[0].data;
    assert_eq!((&data["id"], &data["type"]), (&made["id"], &json!("agent.created")));
    assert_eq!((&data["workspace_id"], &data["at"]), (&json!(app.a), &json!("2026-01-15T10:00:00.000000Z")));
    assert_eq!(data["event_id"], json!(seen[0].id));
    agent(&app.owner(), "Second").await;
    assert_eq!(
        names(&stream.until("Second").await),
        ["notification.created", "agent.created"],
        "an editor's call is told to admins"
    );
}

#[both_databases]
async fn a_stream_goes_on_where_it_ended(db: TestDb) {
    let app = App::new(db).await;
    let mut stream = listen(&app.owner(), "/v1/events").await;
    for name in ["A", "B", "C"] {
        agent(&app.owner(), name).await;
    }
    let first = stream.until("A").await.remove(0).id;
    let seen = stream.until("C").await;
    assert_eq!(seen.len(), 2);
    drop(stream);
    agent(&app.owner(), "D").await;
    let mut again = listen(&app.owner().with("Last-Event-ID", &first), "/v1/events").await;
    let replayed = again.until("D").await;
    let told: Vec<_> = replayed.iter().map(|message| message.data["name"].as_str().unwrap()).collect();
    assert_eq!(told, ["B", "C", "D"]);
    assert_eq!(replayed[1].id, seen[1].id, "an event keeps its id");
    for unknown in ["rubbish", "0197a000-0000-7000-8000-000000000000", "7"] {
        let refused = app
            .owner()
            .with("Last-Event-ID", unknown)
            .get("/v1/events")
            .await
            .problem(422, "invalid_arguments");
        assert_eq!(refused["errors"][0]["pointer"], "/Last-Event-ID");
    }
    let mut fresh = listen(&app.owner().with("Last-Event-ID", ""), "/v1/events").await;
    agent(&app.owner(), "E").await;
    assert_eq!(fresh.until("E").await.len(), 1, "an empty id is none");
    // An event id of another workspace is not valid here.
    app.as_role_b(Role::Owner)
        .with("Last-Event-ID", &first)
        .get("/v1/events")
        .await
        .problem(422, "invalid_arguments");
}

#[both_databases]
async fn everybody_sees_what_they_may_and_no_more(db: TestDb) {
    let app = App::new(db).await;
    let mut streams = Vec::new();
    for role in [Role::Admin, Role::Editor, Role::Viewer] {
        streams.push(listen(&app.as_role(role), "/v1/events").await);
    }
    let mut stranger = listen(&app.as_role_b(Role::Owner), "/v1/events").await;
    agent(&app.owner(), "Doomed").await;
    let (_, runtime) = key(&app, json!(["events:read", "tasks:read"])).await;
    app.owner().run("delete_agent", json!({"agent": "Doomed"})).await.ok(202);
    let mut keyed = listen(&runtime, "/v1/events").await;
    agent(&app.owner(), "Marker").await;
    agent(&app.as_role_b(Role::Owner), "Theirs").await;

    let all =
        ["agent.created", "key.created", "awaiting_permission", "notification.created", "agent.created"];
    assert_eq!(names(&streams[0].until("Marker").await), all, "an admin");
    for stream in &mut streams[1..] {
        assert_eq!(names(&stream.until("Marker").await), ["agent.created", "agent.created"]);
    }
    assert_eq!(names(&keyed.until("Marker").await), ["agent.created"], "a key sees what its role may read");
    let theirs = stranger.until("Theirs").await;
    assert_eq!((names(&theirs), &theirs[0].data["workspace_id"]), (vec!["agent.created"], &json!(app.b)));

    let (_, deaf) = key(&app, json!(["*:read"])).await;
    deaf.get("/v1/events").await.problem(403, "insufficient_scope");
    app.owner().without("X-Workspace-Id").get("/v1/events").await.problem(400, "workspace_required");
    app.owner().with("X-Caller-Type", "mission").get("/v1/events").await.problem(403, "permission_denied");
}

#[both_databases]
async fn callers_see_their_own_permission_events(db: TestDb) {
    let app = App::new(db).await;
    agent(&app.owner(), "Doomed").await;
    let admin = app.as_role(Role::Admin).with("X-Session-Id", "talk");
    app.owner().send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let member = app.as_role(Role::Member).with("X-Session-Id", "mine");
    let mut own = listen(&member, "/v1/events").await;
    let mut of_session = listen(&app.owner(), "/v1/events?session=talk").await;
    member.run("create_task", json!({"title": "Marker", "description": "x"})).await.ok(202);
    admin.run("create_task", json!({"title": "Other", "description": "x"})).await.ok(202);
    for name in ["tool_request", "awaiting_permission"] {
        let seen = own.next().await.unwrap();
        assert_eq!((seen.name.as_str(), &seen.data["session"]), (name, &json!("mine")));
        let seen = of_session.next().await.unwrap();
        assert_eq!((seen.name.as_str(), &seen.data["session"]), (name, &json!("talk")));
    }
    let seen = own.next().await.unwrap();
    assert_eq!(
        (seen.name.as_str(), &seen.data["kind"]),
        ("notification.created", &json!("confirmation_required"))
    );
}

#[both_databases]
async fn a_conversation_is_followed_live(db: TestDb) {
    let app = App::new(db).await;
    let member = app.as_role(Role::Member).with("X-Session-Id", "talk");
    let mut own = listen(&member, "/v1/events?session=talk").await;
    let mut admin = listen(&app.as_role(Role::Admin), "/v1/events").await;
    let mut other = listen(&app.as_role(Role::Editor), "/v1/events").await;
    let mut stranger = listen(&app.as_role_b(Role::Owner), "/v1/events").await;
    let calls = [
        ("call_1", "platform_list_tasks", json!({})),
        ("call_2", "platform_delete_agent", json!({"agent": "X"})),
    ];
    member.calls(&calls).await.ok(200);
    member.run("create_task", json!({"title": "Marker", "description": "x"})).await.ok(200);
    agent(&app.owner(), "Marker").await;
    agent(&app.as_role_b(Role::Owner), "Theirs").await;
    let wanted = [
        ("tool_request", json!("call_1")),
        ("tool_use", json!("call_1")),
        ("tool_request", json!("call_2")),
        ("permission_denied", json!("call_2")),
    ];
    for (name, id) in &wanted {
        let seen = own.next().await.unwrap();
        assert_eq!(
            (seen.name.as_str(), &seen.data["id"], &seen.data["session"]),
            (*name, id, &json!("talk"))
        );
    }
    let seen = admin.until("Marker").await;
    assert_eq!(
        names(&seen)[..4],
        ["tool_request", "tool_use", "tool_request", "permission_denied"],
        "an admin sees the workspace's"
    );
    for stream in [other.until("Marker").await, stranger.until("Theirs").await] {
        assert!(names(&stream).iter().all(|name| name.contains(".created")), "{stream:?}");
    }
    // A resumed stream has the events in the same order.
    let first = &seen[0].id;
    let mut again =
        listen(&member.with("Last-Event-ID", first), "/v1/events?types=tool_use,permission_denied").await;
    for name in ["tool_use", "permission_denied"] {
        assert_eq!(again.next().await.unwrap().name, name);
    }
}

#[both_databases]
async fn types_are_chosen(db: TestDb) {
    let app = App::new(db).await;
    let mut stream =
        listen(&app.owner(), "/v1/events?types=agent.updated,agent.created&types=task.created").await;
    app.owner().run("store_memory", json!({"content": "x"})).await.ok(200);
    app.owner().run("create_task", json!({"title": "x", "description": "x"})).await.ok(200);
    agent(&app.owner(), "Marker").await;
    assert_eq!(names(&stream.until("Marker").await), ["task.created", "agent.created"]);
    for wrong in ["types=", "kind=x", "session=a&session=b"] {
        app.owner().get(&format!("/v1/events?{wrong}")).await.problem(422, "invalid_arguments");
    }
}

#[both_databases]
async fn an_operator_reads_domain_events_of_all_workspaces(db: TestDb) {
    let app = App::new(db).await;
    let all = operator(&app, &app.db, 1, r#"["events:all"]"#).await;
    let some = operator(&app, &app.db, 2, r#"["workspaces:create"]"#).await;
    some.get("/v1/events").await.problem(403, "insufficient_scope");
    some.with("X-Workspace-Id", &app.a.to_string())
        .get("/v1/events")
        .await
        .problem(403, "insufficient_scope");
    all.with("X-Workspace-Id", "0197a000-0000-7000-8000-000000000000")
        .get("/v1/events")
        .await
        .problem(403, "permission_denied");
    let mut stream = listen(&all, "/v1/events").await;
    let mut of_a = listen(&all.with("X-Workspace-Id", &app.a.to_string()), "/v1/events").await;
    agent(&app.as_role_b(Role::Owner), "Doomed").await;
    app.as_role_b(Role::Owner).run("delete_agent", json!({"agent": "Doomed"})).await.ok(202);
    agent(&app.owner(), "Marker").await;
    let seen = stream.until("Marker").await;
    assert_eq!(names(&seen), ["agent.created", "agent.created"], "no permission events");
    assert_eq!(
        (&seen[0].data["workspace_id"], &seen[1].data["workspace_id"]),
        (&json!(app.b), &json!(app.a))
    );
    assert_eq!(of_a.until("Marker").await.len(), 1);
    let mut again = listen(&all.with("Last-Event-ID", &seen[0].id), "/v1/events").await;
    assert_eq!(again.until("Marker").await.len(), 1);
    all.with("Last-Event-ID", "x").get("/v1/events").await.problem(422, "invalid_arguments");
    all.get("/v1/tools").await.problem(400, "workspace_required");
}

#[both_databases]
async fn a_stream_ends_with_the_right_to_it(db: TestDb) {
    let app = App::new(db).await;
    let mut member = listen(&app.as_role(Role::Member), "/v1/events").await;
    let mut admin = listen(&app.as_role(Role::Admin), "/v1/events").await;
    let (made, runtime) = key(&app, json!(["events:read"])).await;
    let mut keyed = listen(&runtime, "/v1/events").await;
    let members = app.owner().get("/v1/members").await.ok(200);
    let of = |role: &str| {
        let found = members["items"].as_array().unwrap().iter().find(|one| one["subject"] == role);
        format!("/v1/members/{}", found.unwrap()["user_id"].as_str().unwrap())
    };
    app.owner().raw("DELETE", &of("member"), None, Body::empty()).await.ok(200);
    timeout(PATIENCE, member.ends()).await.expect("the membership is removed");
    let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
    app.owner().raw("DELETE", &path, None, Body::empty()).await.ok(200);
    timeout(PATIENCE, keyed.ends()).await.expect("the key is revoked");
    // A member whose role is lowered sees less on the same stream.
    app.owner().send("PATCH", &of("admin"), json!({"role": "viewer"})).await.ok(200);
    key(&app, json!(["tasks:read"])).await;
    agent(&app.owner(), "Marker").await;
    let seen = admin.until("Marker").await;
    assert_eq!(names(&seen).iter().filter(|name| **name == "key.created").count(), 1, "{seen:?}");
}

#[both_databases]
async fn a_stream_ends_with_its_token_and_with_the_process(db: TestDb) {
    let app = App::new(db).await;
    let mut stream = listen(&app.as_role(Role::Member), "/v1/events").await;
    // Beyond the token's hour and the minute of clock skew that is allowed.
    app.clock.advance(3_700);
    agent(&app.owner(), "Marker").await;
    timeout(PATIENCE, stream.ends()).await.expect("the token is expired");
    let mut stream = listen(&app.owner(), "/v1/events").await;
    app.engine.end_events();
    timeout(PATIENCE, stream.ends()).await.expect("the process ends");
}

#[both_databases]
async fn a_quiet_stream_sends_heartbeats(db: TestDb) {
    let app = App::new(db).await;
    let mut stream = listen(&app.as_role(Role::Viewer), "/v1/events").await;
    // A viewer can't see this event. The heartbeat moves the stream's position past it.
    key(&app, json!(["tasks:read"])).await;
    let beat = stream.next().await.unwrap();
    assert!(beat.comment && beat.name.is_empty() && beat.data.is_null(), "{beat:?}");
    let mut again = listen(&app.owner().with("Last-Event-ID", &beat.id), "/v1/events").await;
    agent(&app.owner(), "Marker").await;
    assert_eq!(names(&again.until("Marker").await), ["agent.created"]);
}

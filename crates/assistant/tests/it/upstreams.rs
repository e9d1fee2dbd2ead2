//! Runs whose models are those of a workspace's upstreams.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{LlmAnswer, LlmReply, Person, TestDb, both_databases};

use crate::harness::{App, confirmation_of};

/// An app without a provider of the operator, whose workspace has an upstream with these models.
async fn app(db: TestDb, upstream: Value) -> App {
    let app = App::without_operator(db).await;
    tokio::spawn(app.assistant.clone().serve());
    create(&app, upstream).await;
    app
}

async fn create(app: &App, upstream: Value) {
    let mut wish = json!({ "base_url": app.model.url, "context_tokens": 200_000 });
    wish.as_object_mut().unwrap().extend(upstream.as_object().unwrap().clone());
    app.owner().done("upstreams.create", wish).await;
}

fn own_keys() -> Value {
    let auth = json!({ "kind": "header", "name": "x-api-key", "owner": "user" });
    json!({ "name": "claude", "kind": "anthropic", "models": ["small"], "auth": auth })
}

fn without_key(name: &str, models: &[&str]) -> Value {
    json!({ "name": name, "kind": "openai", "models": models, "auth": { "kind": "none" } })
}

async fn set_own_secret(person: &Person<'_>, secret: &str) {
    person.done("upstreams.set_own_secret", json!({ "name": "claude", "secret": secret })).await;
}

#[both_databases]
async fn each_member_asks_with_their_own_key(db: TestDb) {
    let app = app(db, own_keys()).await;
    let (editor, owner) = (app.editor(), app.owner());
    app.model.always(LlmReply::text(["The key is key-of-the-editor."]));
    let start = json!({ "thread": "t1", "message": "Hello" });
    assert_eq!(editor.refused("assistant.start_run", start.clone()).await, "connector_not_configured");
    set_own_secret(&editor, "key-of-the-editor").await;
    set_own_secret(&owner, "key-of-the-owner").await;
    for (person, key) in [(&editor, "key-of-the-editor"), (&owner, "key-of-the-owner")] {
        let run = app.say(person, "t1", "Hello").await;
        assert_eq!((&run["state"], &run["upstream"]), (&json!("completed"), &json!("claude")), "{run}");
        assert_eq!(app.model.requests().last().unwrap().headers["x-api-key"], key);
    }
    // The key is in no answer, also where the model repeats it.
    let parts = app.parts(&editor, "t1").await;
    assert!(!json!(parts).to_string().contains("key-of-the-editor"), "{parts:?}");
    let stored = "SELECT COUNT(*) FROM assistant_steps WHERE text LIKE '%key-of-the-editor%' \
        OR provider_message LIKE '%key-of-the-editor%'";
    // The answer of the owner's run has the text, which is no secret of theirs.
    assert_eq!(app.db.number(stored).await, 1);
    assert_eq!(
        app.as_role(Role::Member).refused("assistant.start_run", start).await,
        "connector_not_configured"
    );
}

#[both_databases]
async fn another_key_gets_nothing_that_the_first_one_was_told(db: TestDb) {
    let app = app(db, own_keys()).await;
    let editor = app.editor();
    let thought = LlmAnswer { reasoning: "Hm.".into(), text: vec!["Hello.".into()], ..LlmAnswer::default() };
    app.model.always(LlmReply::answer(thought));
    set_own_secret(&editor, "the-first-key").await;
    app.say(&editor, "t1", "Hello").await;
    app.say(&editor, "t1", "Hello").await;
    set_own_secret(&editor, "the-second-key").await;
    app.say(&editor, "t1", "Hello").await;
    let requests = app.model.requests();
    let has_thought: Vec<bool> =
        requests.iter().map(|asked| asked.body.to_string().contains("sig-1")).collect();
    assert_eq!(has_thought, [false, true, false]);
}

#[both_databases]
async fn models_are_chosen_by_run_agent_and_workspace(db: TestDb) {
    let app = app(db, without_key("one", &["small"])).await;
    create(&app, without_key("two", &["small", "large"])).await;
    let owner = app.owner();
    let agent = owner.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    app.model.always(LlmReply::text(["Hello."]));
    let chosen = async |thread: &str, more: Value| {
        let mut start = json!({ "thread": thread, "message": "Hello" });
        start.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let run = owner.done("assistant.start_run", start).await;
        app.assistant.wake();
        let run = app.settled(&owner, &run).await;
        (run["model"].as_str().unwrap().to_owned(), run["upstream"].as_str().unwrap().to_owned())
    };
    let is = |model: &str, upstream: &str| (model.to_owned(), upstream.to_owned());
    app.db.raw_sql("UPDATE workspaces SET default_model = NULL").await;
    assert_eq!(chosen("a", json!({})).await, is("small", "one"));
    app.db.raw_sql("UPDATE workspaces SET default_model = 'two/large'").await;
    assert_eq!(chosen("b", json!({})).await, is("large", "two"));
    app.db.raw_sql("UPDATE agents SET model = 'two/small'").await;
    assert_eq!(chosen("c", json!({ "agent": agent["id"] })).await, is("small", "two"));
    assert_eq!(chosen("d", json!({ "agent": agent["id"], "model": "one/small" })).await, is("small", "one"));
    // A name alone means the only upstream that has it.
    assert_eq!(chosen("e", json!({ "model": "large" })).await, is("large", "two"));
    for (model, says) in
        [("small", "several upstreams"), ("three/small", "names no model"), ("huge", "names no model")]
    {
        let start = json!({ "thread": "f", "message": "Hello", "model": model });
        let problem = owner.problem("assistant.start_run", start).await;
        assert_eq!(
            (problem.code.as_str(), problem.errors[0].pointer.as_str()),
            ("invalid_arguments", "/model")
        );
        assert!(problem.errors[0].message.contains(says), "{problem:?}");
    }
}

#[both_databases]
async fn a_run_whose_upstream_is_gone_fails_and_says_so(db: TestDb) {
    let app = app(db, without_key("one", &["small"])).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let delete = json!({ "action": "platform_delete_agent", "params": { "agent": "Worker" } });
    app.model.script([LlmReply::calls([("platform_execute", delete)])]);
    let run = app.say(&owner, "t1", "Delete it").await;
    owner.done("upstreams.delete", json!({ "name": "one" })).await;
    let card = confirmation_of(&run);
    owner.approve(card).await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("not_found")), "{run}");
    // What was approved has run.
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"], json!([]));
    let start = json!({ "thread": "t2", "message": "Hello" });
    let hint_of =
        async |person: Person<'_>| person.problem("assistant.start_run", start.clone()).await.hint.unwrap();
    // Who can mend it is told how, and others whom to ask.
    assert!(hint_of(owner).await.starts_with("add an upstream"));
    assert!(hint_of(app.editor()).await.starts_with("ask an admin"));
}

#[both_databases]
async fn a_model_without_its_secret_says_how_to_set_it(db: TestDb) {
    let app = app(db, own_keys()).await;
    let auth = json!({ "kind": "bearer" });
    create(&app, json!({ "name": "router", "kind": "openai", "models": ["big"], "auth": auth })).await;
    let editor = app.editor();
    let start = json!({ "thread": "t1", "message": "Hello" });
    let problem = editor.problem("assistant.start_run", start).await;
    assert_eq!(problem.code.as_str(), "connector_not_configured");
    assert!(problem.hint.unwrap().contains("`PUT /v1/upstreams/claude/secret/mine`"));
    // Also beside models that can be asked.
    create(&app, without_key("one", &["other"])).await;
    for (model, says) in [
        ("claude/small", "with their own credential: `PUT /v1/upstreams/claude/secret/mine`"),
        ("small", "`PUT /v1/upstreams/claude/secret/mine`"),
        ("router/big", "a workspace admin sets it: `PUT /v1/upstreams/router/secret`"),
    ] {
        let start = json!({ "thread": "t1", "message": "Hello", "model": model });
        let problem = editor.problem("assistant.start_run", start).await;
        let at = (problem.code.as_str(), problem.errors[0].pointer.as_str());
        assert_eq!(at, ("invalid_arguments", "/model"), "{problem:?}");
        assert!(problem.hint.as_ref().unwrap().contains(says), "{problem:?}");
    }
}

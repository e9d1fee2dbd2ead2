//! What the engine needs to ask a model: whose key is sent, which models there are, and of which upstreams.

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use toolcrib_access::{Caller, Principal};
use toolcrib_actions::imagined;
use toolcrib_connectors::{llm::ModelFormat, upstream::UpstreamCredential};
use toolcrib_engine::{
    ActionError, OperatorRules,
    model_upstreams::{self, ModelChoice, ModelUpstream},
};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, with_cipher};

fn upstream(name: &str, kind: &str, auth: Value) -> Value {
    let mut wish =
        json!({"name": name, "kind": kind, "base_url": "https://models.example/v1/", "auth": auth});
    if kind != "http" {
        wish["models"] = json!(["small", "large"]);
    }
    wish
}

async fn with_upstreams(db: TestDb, rules: OperatorRules) -> App {
    let app = App::ruled(db, rules).await;
    for (name, kind, auth) in [
        ("own", "anthropic", json!({"kind": "header", "name": "x-api-key", "owner": "user"})),
        ("shared", "openai_responses", json!({"kind": "bearer"})),
        ("local", "openai", json!({"kind": "none"})),
        ("rest", "http", json!({"kind": "bearer"})),
    ] {
        app.owner().done("upstreams.create", upstream(name, kind, auth)).await;
    }
    let sized = json!({"name": "shared", "context_tokens": 128_000});
    app.owner().done("upstreams.update", sized).await;
    app
}

fn caller(app: &App, role: Role) -> Caller {
    imagined(app.a.workspace, app.a.user(role), Some(role), "chat", None)
}

async fn find(app: &App, caller: &Caller, name: &str) -> Result<ModelUpstream, ActionError> {
    let mut tx = app.db.read(caller.workspace).await.unwrap();
    let found = model_upstreams::find(&mut tx, app.engine.catalog().rules(), caller, name).await;
    tx.end().await.unwrap();
    found
}

async fn list(app: &App, caller: &Caller) -> Vec<ModelChoice> {
    let mut tx = app.db.read(caller.workspace).await.unwrap();
    let found = model_upstreams::list(&mut tx, app.engine.catalog().rules(), caller).await.unwrap();
    tx.end().await.unwrap();
    found
}

async fn ready(app: &App, caller: &Caller) -> Vec<(String, bool)> {
    list(app, caller).await.into_iter().map(|choice| (choice.name, choice.is_ready)).collect()
}

/// The header and the secret of a credential.
fn sent(upstream: &ModelUpstream) -> (String, String) {
    match &upstream.credential {
        Some(UpstreamCredential::Bearer(secret)) => ("bearer".into(), secret.expose_secret().into()),
        Some(UpstreamCredential::Header { name, value }) => (name.clone(), value.expose_secret().into()),
        other => panic!("another credential: {other:?}"),
    }
}

#[both_databases]
async fn a_model_is_asked_with_the_secret_of_whoever_asks(db: TestDb) {
    let app = with_upstreams(db, with_cipher()).await;
    let (member, viewer) = (caller(&app, Role::Member), caller(&app, Role::Viewer));
    let local = find(&app, &member, "local").await.unwrap();
    assert!(local.credential.is_none() && local.secret_version.is_none() && local.roots.is_none());
    assert_eq!((local.format, local.context_tokens), (ModelFormat::OpenAi, None));
    let missing = find(&app, &member, "shared").await.unwrap_err();
    assert_eq!(missing.code.as_str(), "connector_not_configured");
    let secret = |name: &str, text: &str| json!({"name": name, "secret": text});
    app.owner().done("upstreams.set_secret", secret("shared", "of-all")).await;
    let shared = find(&app, &viewer, "shared").await.unwrap();
    assert_eq!(sent(&shared), ("bearer".into(), "of-all".into()));
    let value = (shared.name.as_str(), shared.base_url.as_str(), shared.format, shared.context_tokens);
    assert_eq!(value, ("shared", "https://models.example/v1/", ModelFormat::OpenAiResponses, Some(128_000)));
    assert_eq!(shared.models, ["small", "large"]);
    // The same text is another secret when it is set again.
    assert_eq!(find(&app, &member, "shared").await.unwrap().secret_version, shared.secret_version);
    app.owner().done("upstreams.set_secret", secret("shared", "of-all")).await;
    let again = find(&app, &member, "shared").await.unwrap().secret_version;
    assert!(again.is_some() && again != shared.secret_version);
    // Each user has a key of their own, and so has an agent that acts for them.
    for (role, text) in [(Role::Member, "of-member"), (Role::Viewer, "of-viewer")] {
        app.as_role(role).done("upstreams.set_own_secret", secret("own", text)).await;
        let found = find(&app, &caller(&app, role), "own").await.unwrap();
        assert_eq!((sent(&found), found.format), (("x-api-key".into(), text.into()), ModelFormat::Anthropic));
        assert!(!format!("{found:?}").contains(text));
    }
    let agent = Principal::Agent { agent_id: Id::from_u128(1), runs_as: app.a.user(Role::Member) };
    let agent = Caller { principal: agent, ..member.clone() };
    assert_eq!(sent(&find(&app, &agent, "own").await.unwrap()).1, "of-member");
    let nobody = Principal::Service { key_id: Id::from_u128(2), on_behalf_of: None };
    for caller in [caller(&app, Role::Editor), Caller { principal: nobody, ..member.clone() }] {
        let refused = find(&app, &caller, "own").await.unwrap_err();
        assert_eq!(refused.code.as_str(), "connector_not_configured");
    }
    for name in ["rest", "gone"] {
        assert_eq!(find(&app, &member, name).await.unwrap_err().code.as_str(), "not_found", "{name}");
    }
    let other = imagined(app.b.workspace, app.b.user(Role::Member), Some(Role::Member), "chat", None);
    assert_eq!(find(&app, &other, "local").await.unwrap_err().code.as_str(), "not_found");
}

#[both_databases]
async fn a_list_says_which_models_a_caller_can_ask(db: TestDb) {
    let app = with_upstreams(db, with_cipher()).await;
    let (member, viewer) = (caller(&app, Role::Member), caller(&app, Role::Viewer));
    let named =
        |local, own, shared| [("local", local), ("own", own), ("shared", shared)].map(|(n, r)| (n.into(), r));
    assert_eq!(ready(&app, &member).await, named(true, false, false));
    app.owner().done("upstreams.set_secret", json!({"name": "shared", "secret": "of-all"})).await;
    let own = json!({"name": "own", "secret": "of-member"});
    app.as_role(Role::Member).done("upstreams.set_own_secret", own).await;
    assert_eq!(ready(&app, &member).await, named(true, true, true));
    assert_eq!(ready(&app, &viewer).await, named(true, false, true));
    let choices = list(&app, &viewer).await;
    let shared = ModelChoice {
        name: "shared".into(),
        format: ModelFormat::OpenAiResponses,
        models: vec!["small".into(), "large".into()],
        context_tokens: Some(128_000),
        is_ready: true,
    };
    assert_eq!(choices[2], shared);
    let other = imagined(app.b.workspace, app.b.user(Role::Member), Some(Role::Member), "chat", None);
    assert_eq!(ready(&app, &other).await, []);
}

#[both_databases]
async fn an_operator_may_forbid_models_of_workspaces(db: TestDb) {
    let app = App::ruled(db, OperatorRules { workspace_upstreams: false, ..with_cipher() }).await;
    let columns = "workspace_id, name, kind, base_url, auth_kind, auth_owner, models, version, updated_at";
    let id = app.a.workspace.as_simple().to_string();
    let place = if app.db.url().starts_with("postgres") { format!("'{id}'") } else { format!("x'{id}'") };
    let values = format!(
        "{place}, 'local', 'openai', 'https://models.example/v1', 'none', 'workspace', '[\"m\"]', 1, 0"
    );
    app.db.raw_sql(&format!("INSERT INTO upstreams ({columns}) VALUES ({values})")).await;
    let member = caller(&app, Role::Member);
    assert_eq!(ready(&app, &member).await, []);
    let refused = find(&app, &member, "local").await.unwrap_err();
    assert!(refused.detail.contains("the operator forbids"), "{refused:?}");
}

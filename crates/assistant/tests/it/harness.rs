//! An engine with the assistant, and a model server that answers as a test says.

use std::{ops::Deref, sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_actions::{Infrastructure, catalog_with_packs};
use toolcrib_assistant::{Assistant, AssistantSettings, Ceilings, OperatorProvider, Providers};
use toolcrib_auth::{Authenticated, Credential, RequestedContext, ServiceKey, secret_cipher::SecretCipher};
use toolcrib_connectors::llm::{LlmSettings, ModelFormat};
use toolcrib_engine::{DatasourceRules, OperatorRules};
use toolcrib_model::{Id, IdGen as _, Role, SystemIds};
use toolcrib_store::keys::{self, KeyRow};
use toolcrib_testkit::{FakeModel, NOW, Person, TestDb, eventually, key_row, write};

use crate::shop;

/// The settings of tests: short looks, and retries at once.
pub const SETTINGS: AssistantSettings =
    AssistantSettings { lease: Duration::from_secs(6), poll_interval: Duration::from_millis(20) };

pub struct App {
    app: toolcrib_testkit::App,
    pub model: FakeModel,
    pub assistant: Arc<Assistant>,
    pub providers: Arc<Providers>,
}

impl Deref for App {
    type Target = toolcrib_testkit::App;

    fn deref(&self) -> &Self::Target {
        &self.app
    }
}

impl App {
    /// Makes an engine whose assistant works.
    pub async fn new(db: TestDb) -> Self {
        let app = Self::idle(db).await;
        tokio::spawn(app.assistant.clone().serve());
        app
    }

    /// Makes an engine whose assistant takes no runs yet.
    pub async fn idle(db: TestDb) -> Self {
        Self::with_context(db, 200_000).await
    }

    /// Like [`App::idle`], with models that have a context of so many tokens.
    pub async fn with_context(db: TestDb, tokens: usize) -> Self {
        let model = FakeModel::start().await;
        let operator =
            OperatorProvider { context_tokens: Some(tokens), ..operator(&model, ModelFormat::OpenAi) };
        Self::with_operator(db, model, Some(operator)).await
    }

    /// Like [`App::new`], with models of the operator that are asked in another format.
    pub async fn with_format(db: TestDb, format: ModelFormat) -> Self {
        let model = FakeModel::start().await;
        let operator = operator(&model, format);
        let app = Self::with_operator(db, model, Some(operator)).await;
        tokio::spawn(app.assistant.clone().serve());
        app
    }

    /// Like [`App::idle`], without a provider of the operator. The upstreams of workspaces may name that of
    /// the test.
    pub async fn without_operator(db: TestDb) -> Self {
        Self::with_operator(db, FakeModel::start().await, None).await
    }

    async fn with_operator(db: TestDb, model: FakeModel, operator: Option<OperatorProvider>) -> Self {
        let providers = Arc::new(Providers {
            operator,
            public_url: "http://localhost".to_owned(),
            settings: LlmSettings { retry: Duration::from_millis(5), ..LlmSettings::default() },
            ceilings: Ceilings::default(),
        });
        let services = Infrastructure { models: providers.clone(), ..Infrastructure::default() };
        let key = format!("{}Bwc=", "BwcH".repeat(10));
        let secret_cipher = Arc::new(SecretCipher::from_setting(&key.into()).unwrap());
        let rules = OperatorRules {
            datasources: Arc::new(DatasourceRules { secret_cipher, ..DatasourceRules::default() }),
            upstream_hosts: vec![model.host.clone()],
            ..OperatorRules::default()
        };
        let catalog =
            catalog_with_packs(&services, &[shop::pack()], None).map_err(|defects| format!("{defects:?}"));
        let catalog = catalog.unwrap().under(rules);
        let app = toolcrib_testkit::App::with_catalog(db, catalog).await;
        let assistant = Assistant::new(app.engine.clone(), (*app.db).clone(), providers.clone(), SETTINGS);
        Self { app, model, assistant, providers }
    }

    /// Returns the assistant of another process on the same database.
    pub fn other_process(&self) -> Arc<Assistant> {
        Assistant::new(self.app.engine.clone(), (*self.app.db).clone(), self.providers.clone(), SETTINGS)
    }

    pub fn editor(&self) -> Person<'_> {
        self.app.as_role(Role::Editor)
    }

    /// Makes a service key that acts for the owner, as callers of one type.
    pub async fn key_for_owner(&self, caller_type: &str, scopes: &[&str]) -> Authenticated {
        let row = KeyRow {
            caller_types: json!([caller_type]).to_string(),
            ..key_row(self.app.a.workspace, SystemIds.new_id(NOW), "service")
        };
        write(&self.app.db, self.app.a.workspace, async |tx| keys::insert(tx, &row).await).await.unwrap();
        let key = ServiceKey {
            key_id: row.id,
            workspace: self.app.a.workspace,
            role: "editor".into(),
            scopes: Scopes::from(Some(scopes.iter().map(|&scope| scope.to_owned()).collect())),
            caller_types: vec![caller_type.into()],
        };
        let on_behalf_of = Some(self.app.a.owner.to_string());
        let requested = RequestedContext { on_behalf_of, ..RequestedContext::default() };
        Authenticated { credential: Credential::Service(key), requested }
    }

    /// Sends a message, and returns the run when it has ended or waits.
    pub async fn say(&self, person: &Person<'_>, thread: &str, message: &str) -> Value {
        let run = self.start(person, thread, message).await;
        self.settled(person, &run).await
    }

    /// Sends a message.
    pub async fn start(&self, person: &Person<'_>, thread: &str, message: &str) -> Value {
        let run = person.done("assistant.start_run", json!({ "thread": thread, "message": message })).await;
        self.assistant.wake();
        run
    }

    /// Waits until a run has ended or waits.
    pub async fn settled(&self, person: &Person<'_>, run: &Value) -> Value {
        self.until(person, run, |run| !matches!(run["state"].as_str(), Some("queued" | "running"))).await
    }

    /// Waits until a run is as wanted.
    pub async fn until(&self, person: &Person<'_>, run: &Value, reached: impl Fn(&Value) -> bool) -> Value {
        eventually("the run gets there", async || {
            let now = person.done("assistant.get_run", json!({ "id": run["run"] })).await;
            if reached(&now) { Ok(now) } else { Err(now) }
        })
        .await
    }

    /// Makes copies of the only run that is stored, with these values for ID, owner, thread, message
    /// and time. `{id}` is an ID, and `n` counts them.
    pub async fn copy_run(&self, count: usize, values: &str) {
        const SAME: &str = "workspace_id, kind, caller, model, state, stop, fence, lost, deadline, steps, \
            input_tokens, cached_input_tokens, output_tokens, cost_microusd, cost_known, updated_at";
        let (numbers, id) = self.app.db.numbered_rows(count);
        let values = values.replace("{id}", id);
        let copies = format!(
            "{numbers} INSERT INTO assistant_runs (id, owner_id, thread, message, created_at, {SAME}) \
             SELECT {values}, {SAME} FROM numbers, assistant_runs"
        );
        self.app.db.raw_sql(&copies).await;
    }

    /// Returns the answers of tools in a request to the model.
    pub fn answers(&self, request: usize) -> Vec<String> {
        let body = &self.model.requests()[request].body;
        let answers = body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "tool");
        answers.map(|answer| answer["content"].to_string()).collect()
    }

    /// Returns the parts of all messages of a thread.
    pub async fn parts(&self, person: &Person<'_>, thread: &str) -> Vec<Value> {
        let read = person.done("assistant.get_thread", json!({ "thread": thread })).await;
        let messages = read["messages"].as_array().unwrap().clone();
        messages.into_iter().flat_map(|message| message["parts"].as_array().unwrap().clone()).collect()
    }
}

/// Returns the first confirmation for which a run waits.
pub fn confirmation_of(run: &Value) -> Id {
    run["confirmations"][0]["id"].as_str().unwrap().parse().unwrap()
}

fn operator(model: &FakeModel, format: ModelFormat) -> OperatorProvider {
    let client = Arc::new(model.client(format));
    OperatorProvider {
        context_tokens: Some(200_000),
        ..OperatorProvider::new("fake", client, &["small", "large"])
    }
}

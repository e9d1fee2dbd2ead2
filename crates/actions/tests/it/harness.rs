//! The product's own catalogue over a new database, and callers of every kind.

use std::{
    collections::BTreeSet,
    ops::Deref,
    sync::{Arc, LazyLock},
};

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_actions::Infrastructure;
use toolcrib_auth::{
    AgentKey, Authenticated, Credential, OperatorKey, RequestedContext, ServiceKey, UserToken,
    secret_cipher::SecretCipher,
};
use toolcrib_engine::{
    CallResponse, Catalog, DatasourceRules, Engine, OperatorRules, Outcome,
    chain::{AuditKey, Sealer, TrustedKeys},
    grants::LocalGrants,
    limits::{Limiter, LocalLimiter},
};
use toolcrib_model::{Cursor, ErrorCode, Id, Role, SystemIds, TestClock, Ts};
use toolcrib_store::{
    audit::{self, AuditEntry, AuditFilter},
    events::{self, EventEntry},
    missions::{self, MissionRow},
    models,
    upstream_tools::{self, ListedTool, ToolListing},
    upstreams,
};
use toolcrib_testkit::{NOW, Person, TestDb, user_identity, write};
use toolcrib_toolset::{CheckedToolset, UpstreamTool};

/// An engine with every action, over two workspaces.
pub struct App(toolcrib_testkit::App);

impl App {
    /// With a new database. The default model is installed in both workspaces.
    pub async fn new(db: TestDb) -> Self {
        Self::reaching(db, DatasourceRules::default()).await
    }

    /// With a new database and the test's own services.
    pub async fn with(db: TestDb, services: &Infrastructure) -> Self {
        Self::under(db, catalog(services), OperatorRules::default()).await
    }

    /// With a new database and the test's own rules for datasources.
    pub async fn reaching(db: TestDb, datasources: DatasourceRules) -> Self {
        let datasources = Arc::new(datasources);
        Self::under(db, usual(), OperatorRules { datasources, ..OperatorRules::default() }).await
    }

    /// With a new database, where webhooks may be sent to these private hosts.
    pub async fn sending(db: TestDb, hosts: &[&str]) -> Self {
        let webhook_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
        Self::under(db, usual(), OperatorRules { webhook_hosts, ..with_cipher() }).await
    }

    /// With a new database and these rules of the operator.
    pub async fn ruled(db: TestDb, rules: OperatorRules) -> Self {
        Self::under(db, usual(), rules).await
    }

    /// With a new database and these toolsets of the operator.
    pub async fn with_toolsets(db: TestDb, toolsets: Vec<Arc<CheckedToolset>>) -> Self {
        Self::under(db, usual(), OperatorRules { toolsets, ..OperatorRules::default() }).await
    }

    /// With a new database, these rules of the operator and the test's own limiter.
    pub async fn with_limiter(
        db: TestDb,
        rules: OperatorRules,
        limiter: impl FnOnce(Arc<TestClock>) -> Arc<dyn Limiter>,
    ) -> Self {
        Self::limited(db, usual(), rules, limiter).await
    }

    async fn under(db: TestDb, catalog: Catalog, rules: OperatorRules) -> Self {
        Self::limited(db, catalog, rules, |clock| Arc::new(LocalLimiter::new(clock))).await
    }

    async fn limited(
        db: TestDb,
        catalog: Catalog,
        rules: OperatorRules,
        limiter: impl FnOnce(Arc<TestClock>) -> Arc<dyn Limiter>,
    ) -> Self {
        let rules =
            OperatorRules { approve_hosts: vec!["ok.example".into()], audit_keys: audit_key().1, ..rules };
        let catalog = catalog.under(rules);
        let app = toolcrib_testkit::App::with_limiter(db, catalog, limiter).await;
        for workspace in [app.a.workspace, app.b.workspace] {
            let installed = write(&app.db, workspace, async |tx| {
                models::install(tx, Id::from_u128(1), "gpt-4o-mini", None, NOW).await
            })
            .await
            .unwrap();
            assert!(installed);
        }
        Self(app)
    }

    /// A system admin who is not a member.
    pub fn system_admin(&self) -> Person<'_> {
        let mut authenticated = user_identity(self.a.workspace, Id::from_u128(77));
        if let Credential::User(token) = &mut authenticated.credential {
            token.system_admin = true;
        }
        self.as_identity(authenticated)
    }

    /// The engine of another process with the same database and clock.
    pub fn second_engine(&self) -> Arc<Engine> {
        Engine::new(
            (*self.db).clone(),
            self.engine.catalog().clone(),
            self.clock.clone(),
            Arc::new(SystemIds),
            Arc::new(LocalLimiter::new(self.clock.clone())),
            Arc::new(LocalGrants::new(self.clock.clone())),
            self.engine.settings().clone(),
        )
    }
}

fn catalog(services: &Infrastructure) -> Catalog {
    toolcrib_actions::catalog(services).map_err(|d| format!("{d:?}")).unwrap()
}

/// Rules with which secrets can be stored.
pub fn with_cipher() -> OperatorRules {
    let key = format!("{}Bwc=", "BwcH".repeat(10));
    let secret_cipher = Arc::new(SecretCipher::from_setting(&key.into()).unwrap());
    let datasources = Arc::new(DatasourceRules { secret_cipher, ..Default::default() });
    OperatorRules { datasources, ..OperatorRules::default() }
}

/// The catalogue that most tests use, built once.
fn usual() -> Catalog {
    static USUAL: LazyLock<Catalog> = LazyLock::new(|| catalog(&Infrastructure::default()));
    USUAL.clone()
}

impl Deref for App {
    type Target = toolcrib_testkit::App;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The key that signs the log in these tests, and the list that trusts it alone.
pub fn audit_key() -> (AuditKey, TrustedKeys) {
    let key = AuditKey::from_setting(&"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABA=".into()).unwrap();
    let trusted = TrustedKeys::new(&key, &[]).unwrap();
    (key, trusted)
}

/// Seals and signs the rows logged so far.
pub async fn seal(app: &App) {
    let (key, trusted) = audit_key();
    let sealer = Sealer::new((*app.db).clone(), app.clock.clone(), Arc::new(key), trusted);
    sealer.seal_all().await.unwrap();
    sealer.sign().await.unwrap();
}

/// Inserts a running mission with this id.
pub async fn mission(app: &App, workspace: Id, id: Id) {
    let row = MissionRow {
        caller: None,
        id,
        goal: format!("Mission {id}"),
        state: "running".into(),
        max_cost_microusd: None,
        max_tokens: None,
        alert_at_percent: 80,
        reason: None,
        version: 1,
        created_by: None,
        created_at: NOW,
        updated_at: NOW,
        started_at: None,
        finished_at: None,
    };
    write(&app.db, workspace, async |tx| missions::insert(tx, &row).await).await.unwrap();
}

/// A new agent of workspace A with a key that runs as the member with this role, with all scopes.
pub async fn new_agent<'a>(app: &'a App, name: &str, role: Role) -> Person<'a> {
    let made = app.owner().done("create_agent", json!({"name": name})).await;
    app.as_identity(agent_key(app, made["id"].as_str().unwrap().parse().unwrap(), role))
}

/// The key of an agent of workspace A that runs as the member with this role, with all scopes.
pub fn agent_key(app: &App, agent_id: Id, role: Role) -> Authenticated {
    scoped_agent_key(app, agent_id, role, &["*:*"])
}

/// The same with these scopes.
pub fn scoped_agent_key(app: &App, agent_id: Id, role: Role, scopes: &[&str]) -> Authenticated {
    let key = AgentKey {
        key_id: Id::from_u128(0xa6e),
        workspace: app.a.workspace,
        agent_id,
        runs_as: app.a.user(role),
        mission: None,
        scopes: scopes_of(scopes),
        caller_types: vec!["mission".to_owned()],
    };
    Authenticated { credential: Credential::Agent(key), requested: RequestedContext::default() }
}

fn scopes_of(words: &[&str]) -> Scopes {
    Scopes::from(Some(words.iter().map(|&word| word.to_owned()).collect()))
}

/// The id of a record that a runtime reports.
pub const fn record_id(n: u128) -> Id {
    Id::from_u128((7 << 76) | (2 << 62) | n)
}

/// A service key of workspace A with one scope and the role viewer.
pub fn service_key(app: &App, scope: &str) -> Authenticated {
    service_key_in(app.a.workspace, scope)
}

/// A service key of a workspace with one scope and the role viewer.
pub fn service_key_in(workspace: Id, scope: &str) -> Authenticated {
    let key = ServiceKey {
        key_id: Id::from_u128(0x5e7),
        workspace,
        role: "viewer".to_owned(),
        scopes: scopes_of(&[scope]),
        caller_types: vec!["api".to_owned()],
    };
    Authenticated { credential: Credential::Service(key), requested: RequestedContext::default() }
}

/// A system admin's token, with or without a user's row and a workspace.
pub fn system(app: &App, user_id: Option<Id>, workspace: Option<Id>) -> Person<'_> {
    token(app, user_id, workspace, true)
}

/// A user's token, with or without a user's row and a workspace.
pub fn user(app: &App, user_id: Option<Id>, workspace: Option<Id>) -> Person<'_> {
    token(app, user_id, workspace, false)
}

fn token(app: &App, user_id: Option<Id>, workspace: Option<Id>, system_admin: bool) -> Person<'_> {
    let token = UserToken {
        user_id,
        issuer: "test".into(),
        subject: "somebody".into(),
        workspace: None,
        system_admin,
        expires_at: Ts::from_micros(i64::MAX),
        console: false,
    };
    app.as_identity(Authenticated { credential: Credential::User(token), requested: requested(workspace) })
}

/// An operator key with these scopes.
pub fn operator<'a>(app: &'a App, scopes: &[&str], workspace: Option<Id>) -> Person<'a> {
    let key = OperatorKey { key_id: Id::from_u128(0x0e), scopes: scopes_of(scopes) };
    app.as_identity(Authenticated { credential: Credential::Operator(key), requested: requested(workspace) })
}

fn requested(workspace: Option<Id>) -> RequestedContext {
    RequestedContext { workspace: workspace.map(|id| id.to_string()), ..RequestedContext::default() }
}

/// The pointers of the errors in a refusal.
pub fn pointers(answer: &CallResponse) -> Vec<String> {
    match &answer.outcome {
        Outcome::Refused(problem) => problem.errors.iter().map(|error| error.pointer.clone()).collect(),
        other => panic!("it was not refused: {other:?}"),
    }
}

/// Whether the call completed; panics if it did neither that nor was denied.
pub fn allowed(answer: &CallResponse) -> bool {
    match &answer.outcome {
        Outcome::Completed(_) => true,
        Outcome::Refused(problem) if problem.code.as_str() == "permission_denied" => false,
        other => panic!("neither done nor denied: {other:?}"),
    }
}

/// Adds a member and returns their id.
pub async fn add(app: &App, subject: &str, role: Role) -> Id {
    let made = app.owner().done("members.add", json!({"subject": subject, "role": role})).await;
    made["user_id"].as_str().unwrap().parse().unwrap()
}

/// The audit rows of a workspace; of one action, if it is named.
pub async fn audit_rows(app: &App, workspace: Id, action: Option<&str>) -> Vec<AuditEntry> {
    let filter = AuditFilter { action: action.map(Into::into), ..AuditFilter::default() };
    let mut tx = app.db.read(workspace).await.unwrap();
    let rows = audit::list(&mut tx, &filter, Cursor::START, 100).await.unwrap();
    tx.end().await.unwrap();
    rows
}

/// The events of workspace A after an offset.
pub async fn events_after(app: &App, offset: i64) -> Vec<EventEntry> {
    events::assign_offsets(&app.db).await.unwrap();
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let found = events::after(&mut tx, offset, 10_000).await.unwrap();
    tx.end().await.unwrap();
    found
}

/// The data of a call that completed.
#[track_caller]
pub fn completed(answer: &CallResponse) -> Value {
    match &answer.outcome {
        Outcome::Completed(done) => done.value(),
        other => panic!("it did not complete: {other:?}"),
    }
}

/// The code of a refusal.
#[track_caller]
pub fn code(answer: &CallResponse) -> ErrorCode {
    match &answer.outcome {
        Outcome::Refused(problem) => problem.code,
        other => panic!("it was not refused: {other:?}"),
    }
}

/// This text of each item of a list or of a page.
pub fn texts<'l>(list: &'l Value, field: &str) -> Vec<&'l str> {
    let items = list.as_array().or(list["items"].as_array()).unwrap();
    items.iter().map(|item| item[field].as_str().unwrap()).collect()
}

/// Stores what the MCP server `forge` lists, as a session does, where these tools are pinned.
pub async fn find_tools(app: &App, workspace: Id, tools: &[UpstreamTool], pinned: &[UpstreamTool]) {
    let listed = |tool: &UpstreamTool| ListedTool {
        tool: tool.name.clone(),
        digest: tool.digest(),
        schema_digest: tool.schema_digest(),
        definition: serde_json::to_string(tool).unwrap(),
    };
    let tools: Vec<ListedTool> = tools.iter().map(listed).collect();
    let pinned: BTreeSet<_> = pinned.iter().map(|tool| (tool.name.clone(), tool.digest())).collect();
    write(&app.db, workspace, async |tx| {
        let listing = ToolListing { upstream: "forge", tools: &tools, is_complete: true };
        upstreams::lock(tx).await?;
        upstream_tools::store(tx, &listing, &pinned, NOW).await
    })
    .await
    .unwrap();
}

/// A tool of a document that accepts a tool of the server.
pub fn declared_tool(tool: &UpstreamTool, level: &str) -> Value {
    let mut declared = json!({
        "name": tool.name, "description": "As we say it.", "permission_level": level,
        "mcp": {"upstream": "forge", "tool": tool.name, "pin": tool.digest()}
    });
    if level == "destructive" {
        declared["warning"] = json!("It is gone for good.");
    }
    declared
}

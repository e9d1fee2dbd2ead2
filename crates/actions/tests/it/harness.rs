//! The product's own catalogue over a new database.

use std::{
    ops::Deref,
    sync::{Arc, LazyLock},
};

use toolcrib_actions::Infrastructure;
use toolcrib_auth::{
    AgentKey, Authenticated, Credential, RequestedContext, ServiceKey, secret_cipher::SecretCipher,
};
use toolcrib_engine::{
    Catalog, DatasourceRules, Engine, OperatorRules,
    chain::{AuditKey, Sealer, TrustedKeys},
    grants::LocalGrants,
    limits::{Limiter, LocalLimiter},
};
use toolcrib_model::{Id, Role, SystemIds, TestClock};
use toolcrib_store::{missions, missions::MissionRow, models};
use toolcrib_testkit::{NOW, Person, TestDb, user_identity, write};
use toolcrib_toolset::CheckedToolset;

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

/// The key of an agent of workspace A that runs as the member with this role, with all scopes.
pub fn agent_key(app: &App, agent_id: Id, role: Role) -> Authenticated {
    let key = AgentKey {
        key_id: Id::from_u128(0xa6e),
        workspace: app.a.workspace,
        agent_id,
        runs_as: app.a.user(role),
        mission: None,
        scopes: Some(vec!["*:*".to_owned()]).into(),
        caller_types: vec!["mission".to_owned()],
    };
    Authenticated { credential: Credential::Agent(key), requested: RequestedContext::default() }
}

/// A service key of workspace A with one scope and the role viewer.
pub fn service_key(app: &App, scope: &str) -> Authenticated {
    let key = ServiceKey {
        key_id: Id::from_u128(0x5e7),
        workspace: app.a.workspace,
        role: "viewer".to_owned(),
        scopes: Some(vec![scope.to_owned()]).into(),
        caller_types: vec!["api".to_owned()],
    };
    Authenticated { credential: Credential::Service(key), requested: RequestedContext::default() }
}

//! An engine over a fresh database with two workspaces, which must not see each other's rows.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
    time::Duration,
};

use parking_lot::Mutex;
use toolcrib_auth::{Authenticated, Credential, RequestedContext, UserToken};
use toolcrib_connectors::upstream::{UpstreamClient, UpstreamClientSettings};
use toolcrib_engine::{
    Catalog, Engine, EngineSettings, OperatorRules, SearchIndex,
    grants::LocalGrants,
    limits::{Limiter, LocalLimiter},
};
use toolcrib_model::{Id, Role, SystemIds, TestClock, Ts};
use toolcrib_store::{Db, workspaces, workspaces::WorkspaceRow};

use crate::{NOW, Person, TestDb, TestIds, World, clock, seed, seed_named, write};

/// The index of each version of the registry.
static INDEXES: LazyLock<Mutex<HashMap<String, SearchIndex>>> = LazyLock::new(Mutex::default);

/// An engine with its clock, grants, database and two workspaces.
pub struct App {
    pub engine: Arc<Engine>,
    /// The engine's clock, which only the test moves.
    pub clock: Arc<TestClock>,
    /// The engine's session grants, which tests read and change.
    pub grants: Arc<LocalGrants>,
    /// The engine's database.
    pub db: TestDb,
    /// The first workspace.
    pub a: World,
    /// The second workspace.
    pub b: World,
}

impl App {
    /// Makes an engine over a fresh database, with limits that tests don't reach by accident.
    pub async fn with_catalog(db: TestDb, catalog: Catalog) -> Self {
        Self::with_limiter(db, catalog, |clock| Arc::new(LocalLimiter::new(clock))).await
    }

    /// Like [`App::with_catalog`], with another limiter.
    pub async fn with_limiter(
        db: TestDb,
        catalog: Catalog,
        limiter: impl FnOnce(Arc<TestClock>) -> Arc<dyn Limiter>,
    ) -> Self {
        let clock = Arc::new(clock());
        let ids = Arc::new(TestIds::default());
        let a = seed(&db, clock.as_ref(), ids.as_ref()).await;
        let b = seed_named(&db, clock.as_ref(), ids.as_ref(), "b-").await;
        for world in [a, b] {
            change_workspace(&db, world.workspace, |row| {
                row.settings.write_per_minute = 1_000_000;
                row.settings.read_per_minute = 1_000_000;
                row.settings.external_per_minute = 1_000_000;
                row.settings.client_per_minute = 1_000_000;
                row.default_model = Some("gpt-4o-mini".into());
            })
            .await;
        }
        let settings = settings(&catalog);
        let limiter = limiter(clock.clone());
        let grants = Arc::new(LocalGrants::new(clock.clone()));
        let catalog = Arc::new(with_shared_index(catalog));
        let engine =
            Engine::new((*db).clone(), catalog, clock.clone(), ids, limiter, grants.clone(), settings);
        Self { engine, clock, grants, db, a, b }
    }

    /// Returns the engine of another process over the same database, whose operator has these rules.
    pub fn under(&self, rules: OperatorRules) -> Arc<Engine> {
        let catalog = Arc::new(Catalog::clone(self.engine.catalog()).under(rules));
        let (clock, settings) = (self.clock.clone(), settings(&catalog));
        let limiter = Arc::new(LocalLimiter::new(clock.clone()));
        let grants = self.grants.clone();
        Engine::new((*self.db).clone(), catalog, clock, Arc::new(SystemIds), limiter, grants, settings)
    }

    /// Returns the user of workspace A with this role.
    pub fn as_role(&self, role: Role) -> Person<'_> {
        Person::new(&self.engine, user_identity(self.a.workspace, self.a.user(role)))
    }

    /// Returns the user of workspace B with this role.
    pub fn as_role_b(&self, role: Role) -> Person<'_> {
        Person::new(&self.engine, user_identity(self.b.workspace, self.b.user(role)))
    }

    /// Returns the owner of workspace A.
    pub fn owner(&self) -> Person<'_> {
        self.as_role(Role::Owner)
    }

    /// Returns a caller with this credential.
    pub fn as_identity(&self, authenticated: Authenticated) -> Person<'_> {
        Person::new(&self.engine, authenticated)
    }
}

/// Returns the settings of an engine with these actions.
pub fn settings(catalog: &Catalog) -> EngineSettings {
    EngineSettings {
        caller_types: catalog.rules().caller_types.clone(),
        public_url: "http://localhost".into(),
        lists_per_minute: 1_200,
        toolset_cache_bytes: 16 << 20,
        effect_looks: vec![Duration::from_millis(20), Duration::from_millis(50)],
        // A busy machine takes longer than the two seconds of the service.
        sqlite_write_timeout: Duration::from_mins(1),
        confirmation_seconds: 900,
        upstream_client: upstream_client(catalog),
    }
}

/// Lets the catalogue share the index of an earlier one with the same actions, because building one takes longer than
/// most tests.
pub fn with_shared_index(catalog: Catalog) -> Catalog {
    let mut indexes = INDEXES.lock();
    let version = catalog.registry().version().to_owned();
    let index = indexes.entry(version).or_insert_with(|| catalog.index()).clone();
    catalog.with_index(index)
}

/// Returns a verified user token that names the workspace.
pub fn user_identity(workspace: Id, user_id: Id) -> Authenticated {
    Authenticated {
        credential: Credential::User(UserToken {
            user_id: Some(user_id),
            issuer: "test".into(),
            subject: "test".into(),
            workspace: Some(workspace.to_string().into()),
            system_admin: false,
            expires_at: Ts::from_micros(i64::MAX),
            console: false,
        }),
        requested: RequestedContext::default(),
    }
}

/// Changes a workspace's row directly, without an action and its checks.
pub async fn change_workspace(db: &Db, workspace: Id, change: impl FnOnce(&mut WorkspaceRow)) {
    let changed = write(db, workspace, async |tx| {
        let mut row = workspaces::get(tx).await?.expect("the workspace was seeded");
        change(&mut row);
        workspaces::update(tx, &row, NOW).await
    });
    changed.await.expect("the workspace changes");
}

/// Returns a client that may call the private hosts of the operator's rules.
pub(crate) fn upstream_client(catalog: &Catalog) -> UpstreamClient {
    let allowed_hosts = catalog.rules().upstream_hosts.clone();
    UpstreamClient::new(UpstreamClientSettings { allowed_hosts, own_hosts: Vec::new() }).expect("a client")
}

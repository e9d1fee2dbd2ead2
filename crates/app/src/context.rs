//! What every command needs: settings, clock, IDs, and functions that open the database and build the
//! catalogue.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_actions::Infrastructure;
use toolcrib_auth::issuer::LocalIssuer;
use toolcrib_config::{Database, LoginUrls, Settings};
use toolcrib_connectors::embedded::Journal;
use toolcrib_engine::{
    Catalog, OperatorRules, Pack, Stamp,
    chain::{AuditKey, TrustedKeys},
};
use toolcrib_model::{Clock, IdGen, SystemClock, SystemIds, Ts, count};
use toolcrib_store::{Db, Logins, PackSchema, StoreError, pack_schemas};

use crate::{failure::Failure, private};

/// The number of log lines in the journal.
const JOURNAL_LINES: usize = 20_000;

/// Settings, clock and ids. Cheap to clone.
#[derive(Clone)]
pub struct AppContext {
    /// The effective settings.
    pub settings: Arc<Settings>,
    pub clock: Arc<dyn Clock>,
    /// Generates IDs and secrets.
    pub ids: Arc<dyn IdGen>,
    /// The last lines of the service's own log.
    pub journal: Arc<Journal>,
    pub packs: Arc<[Pack]>,
}

impl AppContext {
    /// Creates a context with the system's clock and random numbers.
    pub fn new(settings: Settings, packs: Arc<[Pack]>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let journal = Journal::new(clock.clone(), JOURNAL_LINES);
        Self { settings: Arc::new(settings), clock, ids: Arc::new(SystemIds), journal, packs }
    }

    /// Returns the current time.
    pub fn now(&self) -> Ts {
        self.clock.now()
    }

    /// Returns the time and the source of IDs of a change.
    pub fn stamp(&self) -> Stamp<'_> {
        Stamp { ids: self.ids.as_ref(), now: self.now() }
    }

    /// Opens the database for a command, with the owner's login if the settings have one. Creates the
    /// tables if the login may do that. Creates an SQLite database that does not exist.
    pub async fn open(&self) -> Result<Db, Failure> {
        self.open_as(self.settings.owner_database.as_ref()).await
    }

    /// Opens the database for `serve`, which does not use the owner's login.
    pub async fn open_to_serve(&self) -> Result<Db, Failure> {
        self.open_as(None).await
    }

    async fn open_as(&self, owner: Option<&SecretString>) -> Result<Db, Failure> {
        if let Database::Sqlite(path) = &self.settings.database {
            private::make_folder_of(path)?;
        }
        self.open_migrated(owner).await.map_err(|error| self.unopened(&error))
    }

    /// Opens the database. Migrates the tables of the packs, if the login may do that, and checks them.
    async fn open_migrated(&self, owner: Option<&SecretString>) -> Result<Db, StoreError> {
        let (size, schemas) = (self.settings.pg_pool_size, self.pack_schemas());
        let db = match (&self.settings.database, owner, self.logins()) {
            (Database::Sqlite(path), ..) => {
                let db = Db::open_sqlite(path).await?;
                pack_schemas::migrate_sqlite(path, &schemas).await?;
                db
            }
            (Database::Postgres(_), None, Some(logins)) => Db::open_pg_as(&logins, size).await?,
            (Database::Postgres(url), owner, _) => {
                let url = owner.unwrap_or(url).expose_secret();
                let db = Db::open_pg(url, size).await?;
                pack_schemas::migrate_pg(url, &schemas).await?;
                db
            }
        };
        pack_schemas::check(&db, &schemas).await?;
        Ok(db)
    }

    /// Returns the tables of the packs of this build.
    pub fn pack_schemas(&self) -> Vec<Arc<PackSchema>> {
        self.packs.iter().filter_map(|pack| pack.schema.clone()).collect()
    }

    /// Returns the failure of a command that cannot open the database.
    pub fn unopened(&self, error: &StoreError) -> Failure {
        let shown = self.settings.database.shown();
        Failure::could_not(&format!("the database `{shown}` can't be opened"), error)
    }

    /// Returns the three logins to PostgreSQL, if the settings have them.
    pub fn logins(&self) -> Option<Logins> {
        let Database::Postgres(app) = &self.settings.database else { return None };
        let LoginUrls { audit, worker, pooled } = self.settings.logins.as_ref()?;
        let text = |url: &SecretString| url.expose_secret().to_owned();
        Some(Logins { app: text(app), audit: text(audit), worker: text(worker), pooled: *pooled })
    }

    /// Opens a database that must exist, because commands that only read must not create one.
    pub async fn open_existing(&self) -> Result<Db, Failure> {
        self.refuse_missing()?;
        self.open().await
    }

    /// Opens a database that must exist, with the logins of `serve`.
    pub async fn open_existing_to_serve(&self) -> Result<Db, Failure> {
        self.refuse_missing()?;
        self.open_to_serve().await
    }

    pub fn refuse_missing(&self) -> Result<(), Failure> {
        if let Database::Sqlite(path) = &self.settings.database
            && !path.exists()
        {
            return Err(Failure::CouldNotRun(format!(
                "there is no database `{}`; `toolcrib migrate` makes one, or name another with `--data-dir`",
                path.display()
            )));
        }
        Ok(())
    }

    /// Returns the local issuer. Creates its key if there is none.
    pub fn local_issuer(&self) -> Result<LocalIssuer, Failure> {
        private::make_folder(&self.settings.data_dir)?;
        Ok(LocalIssuer::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())?)
    }

    /// Returns the key that signs the checkpoints of the audit log, and all trusted public keys. Creates the
    /// key if there is none.
    pub fn audit_key(&self) -> Result<(Arc<AuditKey>, TrustedKeys), Failure> {
        let key = if let Some(key) = &self.settings.audit_key {
            AuditKey::from_setting(key).map_err(|error| Failure::Usage(format!("`--audit-key`: {error}")))?
        } else {
            private::make_folder(&self.settings.data_dir)?;
            AuditKey::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())
                .map_err(|error| Failure::CouldNotRun(error.to_string()))?
        };
        let trusted = TrustedKeys::new(&key, &self.settings.audit_public_keys)
            .map_err(|error| Failure::Usage(format!("`--audit-public-keys`: {error}")))?;
        Ok((Arc::new(key), trusted))
    }
}

/// Returns the catalogue without connected services: for commands that only describe actions.
pub fn catalog(packs: &[Pack], settings: &Settings) -> Result<Arc<Catalog>, Failure> {
    catalog_over(&Infrastructure::default(), OperatorRules::default(), packs, settings)
}

/// Returns the catalogue. Fails if the catalogue has defects, which are defects of the build.
pub fn catalog_over(
    services: &Infrastructure,
    rules: OperatorRules,
    packs: &[Pack],
    settings: &Settings,
) -> Result<Arc<Catalog>, Failure> {
    match toolcrib_actions::catalog_with_packs(services, packs, settings.packs.as_deref()) {
        Ok(catalog) => Ok(Arc::new(catalog.under(rules))),
        Err(defects) => {
            let first = defects.first().map(ToString::to_string).unwrap_or_default();
            let all = count(defects.len(), "defect");
            Err(Failure::CouldNotRun(format!(
                "the catalogue has {all}; `toolcrib actions lint` lists them: {first}"
            )))
        }
    }
}

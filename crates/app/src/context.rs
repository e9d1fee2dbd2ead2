//! What every command stands on: the settings, the clock, the ids, and how the database and the catalogue are made.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_actions::Infrastructure;
use toolcrib_config::{Database, LoginUrls, Settings};
use toolcrib_connectors::embedded::Journal;
use toolcrib_engine::{
    Catalog, OperatorRules,
    auth::issuer::LocalIssuer,
    chain::{AuditKey, TrustedKeys},
};
use toolcrib_model::{Clock, IdGen, SystemClock, SystemIds, Ts};
use toolcrib_store::{Db, Logins, StoreError};

use crate::{failure::Failure, private};

/// Log lines that the service remembers.
const JOURNAL_LINES: usize = 20_000;

/// Settings, clock and ids. Cheap to clone.
#[derive(Clone)]
pub struct AppContext {
    /// What is in force.
    pub settings: Arc<Settings>,
    /// The machine's clock.
    pub clock: Arc<dyn Clock>,
    /// The machine's randomness.
    pub ids: Arc<dyn IdGen>,
    /// What the service remembers of its own log.
    pub journal: Arc<Journal>,
}

impl AppContext {
    /// On the machine's clock and randomness.
    pub fn new(settings: Settings) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let journal = Journal::new(clock.clone(), JOURNAL_LINES);
        Self { settings: Arc::new(settings), clock, ids: Arc::new(SystemIds), journal }
    }

    /// The current time.
    pub fn now(&self) -> Ts {
        self.clock.now()
    }

    /// Opens the database for a command: as its owner where one is named. It is brought up to date where the login may do
    /// that. An embedded one is made where it is missing.
    pub async fn open(&self) -> Result<Db, Failure> {
        self.open_as(self.settings.owner_database.as_ref()).await
    }

    /// Opens the database for `serve`, which never needs the owner's login.
    pub async fn open_to_serve(&self) -> Result<Db, Failure> {
        self.open_as(None).await
    }

    async fn open_as(&self, owner: Option<&SecretString>) -> Result<Db, Failure> {
        let size = self.settings.pg_pool_size;
        let opened = match (&self.settings.database, owner, self.logins()) {
            (Database::Sqlite(path), ..) => {
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    private::make_folder(folder)?;
                }
                Db::open_sqlite(path).await
            }
            (Database::Postgres(_), Some(owner), _) => Db::open_pg(owner.expose_secret(), size).await,
            (Database::Postgres(_), None, Some(logins)) => Db::open_pg_as(&logins, size).await,
            (Database::Postgres(url), None, None) => Db::open_pg(url.expose_secret(), size).await,
        };
        opened.map_err(|error| self.unopened(&error))
    }

    /// What is told of a database that can't be opened.
    pub fn unopened(&self, error: &StoreError) -> Failure {
        let shown = self.settings.database.shown();
        Failure::could_not(&format!("the database `{shown}` can't be opened"), error)
    }

    /// The three logins to PostgreSQL, where there are three.
    pub fn logins(&self) -> Option<Logins> {
        let Database::Postgres(app) = &self.settings.database else { return None };
        let LoginUrls { audit, worker } = self.settings.logins.as_ref()?;
        let text = |url: &SecretString| url.expose_secret().to_owned();
        Some(Logins { app: text(app), audit: text(audit), worker: text(worker) })
    }

    /// Opens a database that must be there: commands that look at data make none.
    pub async fn open_existing(&self) -> Result<Db, Failure> {
        self.refuse_missing()?;
        self.open().await
    }

    /// The same with the logins that `serve` has.
    pub async fn open_existing_to_serve(&self) -> Result<Db, Failure> {
        self.refuse_missing()?;
        self.open_to_serve().await
    }

    fn refuse_missing(&self) -> Result<(), Failure> {
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

    /// The local issuer, whose key is made where it is missing.
    pub fn local_issuer(&self) -> Result<LocalIssuer, Failure> {
        private::make_folder(&self.settings.data_dir)?;
        Ok(LocalIssuer::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())?)
    }

    /// The key that signs how far the audit log reached, made where there is none, and those that count beside it.
    pub fn audit_key(&self) -> Result<(Arc<AuditKey>, TrustedKeys), Failure> {
        let key = if let Some(key) = &self.settings.audit_key {
            AuditKey::given(key).map_err(|fault| Failure::Usage(format!("`--audit-key`: {fault}")))?
        } else {
            private::make_folder(&self.settings.data_dir)?;
            AuditKey::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())
                .map_err(|fault| Failure::CouldNotRun(fault.to_string()))?
        };
        let trusted = TrustedKeys::new(&key, &self.settings.audit_public_keys)
            .map_err(|fault| Failure::Usage(format!("`--audit-public-keys`: {fault}")))?;
        Ok((Arc::new(key), trusted))
    }
}

/// Every action, over services that know nothing: to look at it, not to run it.
pub fn catalog() -> Result<Arc<Catalog>, Failure> {
    catalog_over(&Infrastructure::default(), OperatorRules::default())
}

/// Every action. A defect in it is a defect of the build, and nothing starts.
pub fn catalog_over(services: &Infrastructure, rules: OperatorRules) -> Result<Arc<Catalog>, Failure> {
    match toolcrib_actions::catalog(services) {
        Ok(catalog) => Ok(Arc::new(catalog.under(rules))),
        Err(defects) => {
            let first = defects.first().map(ToString::to_string).unwrap_or_default();
            let all = defects.len();
            Err(Failure::CouldNotRun(format!(
                "the catalogue has {all} defects; `toolcrib actions lint` lists them: {first}"
            )))
        }
    }
}

//! What every command stands on: the settings, the clock, the ids, and how the database and the catalogue are made.

use std::{fs, io, os::unix::fs::DirBuilderExt as _, path::Path, sync::Arc};

use secrecy::ExposeSecret as _;
use toolcrib_actions::Services;
use toolcrib_config::{Database, Settings};
use toolcrib_connectors::embedded::Journal;
use toolcrib_engine::{
    Catalog, OperatorRules,
    auth::issuer::LocalIssuer,
    chain::{AuditKey, TrustedKeys},
};
use toolcrib_model::{Clock, IdGen, SystemClock, SystemIds, Ts};
use toolcrib_store::Db;

use crate::failure::Failure;

/// Log lines that the service remembers.
const JOURNAL_LINES: usize = 20_000;

/// Settings, clock and ids. Cheap to clone.
#[derive(Clone)]
pub struct Ground {
    /// What is in force.
    pub settings: Arc<Settings>,
    /// The machine's clock.
    pub clock: Arc<dyn Clock>,
    /// The machine's randomness.
    pub ids: Arc<dyn IdGen>,
    /// What the service remembers of its own log.
    pub journal: Arc<Journal>,
}

impl Ground {
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

    /// Opens the database and brings it up to date. An embedded one is made where it is missing.
    pub async fn open(&self) -> Result<Db, Failure> {
        let shown = self.settings.database.shown();
        let opened = match &self.settings.database {
            Database::Sqlite(path) => {
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    make_private(folder)?;
                }
                Db::open_sqlite(path).await
            }
            Database::Postgres(url) => Db::open_pg(url.expose_secret(), self.settings.pg_pool_size).await,
        };
        opened.map_err(|fault| Failure::could_not(&format!("the database `{shown}` can't be opened"), fault))
    }

    /// Opens a database that must be there: commands that look at data make none.
    pub async fn open_existing(&self) -> Result<Db, Failure> {
        if let Database::Sqlite(path) = &self.settings.database
            && !path.exists()
        {
            return Err(Failure::CouldNotRun(format!(
                "there is no database `{}`; `toolcrib migrate` makes one, or name another with `--data-dir`",
                path.display()
            )));
        }
        self.open().await
    }

    /// The local issuer, whose key is made where it is missing.
    pub fn local_issuer(&self) -> Result<LocalIssuer, Failure> {
        make_private(&self.settings.data_dir)?;
        Ok(LocalIssuer::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())?)
    }

    /// The key that signs how far the audit log reached, made where there is none, and those that count beside it.
    pub fn audit_key(&self) -> Result<(Arc<AuditKey>, TrustedKeys), Failure> {
        let key = if let Some(key) = &self.settings.audit_key {
            AuditKey::given(key).map_err(|fault| Failure::Usage(format!("`--audit-key`: {fault}")))?
        } else {
            make_private(&self.settings.data_dir)?;
            AuditKey::load_or_create(&self.settings.data_dir, self.ids.as_ref(), self.now())
                .map_err(|fault| Failure::CouldNotRun(fault.to_string()))?
        };
        let trusted = TrustedKeys::new(&key, &self.settings.audit_public_keys)
            .map_err(|fault| Failure::Usage(format!("`--audit-public-keys`: {fault}")))?;
        Ok((Arc::new(key), trusted))
    }
}

/// Makes a folder that only its owner may enter, and leaves one that is there.
pub fn make_private(folder: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|fault: io::Error| {
        Failure::could_not(&format!("the folder `{}` can't be made", folder.display()), fault)
    })
}

/// Every action, over services that know nothing: to look at it, not to run it.
pub fn catalog() -> Result<Arc<Catalog>, Failure> {
    catalog_over(&Services::default(), OperatorRules::default())
}

/// Every action. A defect in it is a defect of the build, and nothing starts.
pub fn catalog_over(services: &Services, rules: OperatorRules) -> Result<Arc<Catalog>, Failure> {
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

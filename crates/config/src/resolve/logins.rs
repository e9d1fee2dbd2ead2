//! The logins to PostgreSQL beside the one of `--database`.

use secrecy::SecretString;

use super::{Database, Values};
use crate::ConfigError;

/// The URLs of the logins that do what the one of `--database` then does not. They may hold passwords.
#[derive(Clone, Debug)]
pub struct LoginUrls {
    /// For the audit rows of reads.
    pub audit: SecretString,
    /// For what runs beside the requests.
    pub worker: SecretString,
}

/// Whether a text is the URL of a PostgreSQL database.
pub(super) fn is_postgres(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Both or neither.
pub(super) fn logins(values: &Values<'_>, database: &Database) -> Result<Option<LoginUrls>, ConfigError> {
    match (url(values, "audit_database", database)?, url(values, "worker_database", database)?) {
        (Some(audit), Some(worker)) => Ok(Some(LoginUrls { audit, worker })),
        (None, None) => Ok(None),
        _ => Err(ConfigError::Together(
            "`--audit-database` and `--worker-database` go together: each is a login of its own, as that of `--database`"
                .into(),
        )),
    }
}

pub(super) fn owner(values: &Values<'_>, database: &Database) -> Result<Option<SecretString>, ConfigError> {
    url(values, "owner_database", database)
}

fn url(
    values: &Values<'_>,
    key: &'static str,
    database: &Database,
) -> Result<Option<SecretString>, ConfigError> {
    let Some(text) = values.option(key) else { return Ok(None) };
    // The text is not repeated: it may hold a password.
    if !is_postgres(&text) {
        return Err(values.wrong(key, "must be postgres://USER@HOST/NAME"));
    }
    if matches!(database, Database::Sqlite(_)) {
        return Err(values.wrong(key, "goes with a `--database` that is postgres://USER@HOST/NAME too"));
    }
    Ok(Some(text.into()))
}

//! The PostgreSQL logins in addition to the one of `--database`.

use secrecy::SecretString;

use super::{Database, values::Values};
use crate::ConfigError;

/// The URLs of separate logins for the audit log and the workers, whose privileges the login of `--database`
/// then does not need. May contain passwords.
#[derive(Clone, Debug)]
pub struct LoginUrls {
    /// For the audit rows of reads.
    pub audit: SecretString,
    /// For background workers.
    pub worker: SecretString,
    /// Whether these URLs and that of `--database` name a pooler in transaction mode.
    pub pooled: bool,
}

/// Returns whether a text is the URL of a PostgreSQL database.
pub(super) fn is_postgres(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Returns both logins or neither. Setting only one is an error.
pub(super) fn logins(values: &Values<'_>, database: &Database) -> Result<Option<LoginUrls>, ConfigError> {
    let pooled = match values.text("pg_pooler")?.as_str() {
        "none" => false,
        "transaction" => true,
        _ => return Err(values.wrong("pg_pooler", "must be none or transaction")),
    };
    match (login(values, "audit_database", database)?, login(values, "worker_database", database)?) {
        (Some(audit), Some(worker)) => Ok(Some(LoginUrls { audit, worker, pooled })),
        (None, None) if pooled => Err(ConfigError::Together(
            "`--pg-pooler transaction` needs `--audit-database` and `--worker-database`: with one login each connection has \
             a role of its own, which a pooler does not keep"
                .into(),
        )),
        (None, None) => Ok(None),
        _ => Err(ConfigError::Together(
            "`--audit-database` and `--worker-database` go together: each is a login of its own, as that of `--database`"
                .into(),
        )),
    }
}

/// Returns the URL of one login.
pub(super) fn login(
    values: &Values<'_>,
    key: &'static str,
    database: &Database,
) -> Result<Option<SecretString>, ConfigError> {
    let Some(text) = values.option(key) else { return Ok(None) };
    // The message omits the text, which may contain a password.
    if !is_postgres(&text) {
        return Err(values.wrong(key, "must be postgres://USER@HOST/NAME"));
    }
    if matches!(database, Database::Sqlite(_)) {
        return Err(values.wrong(key, "goes with a `--database` that is postgres://USER@HOST/NAME too"));
    }
    Ok(Some(text.into()))
}

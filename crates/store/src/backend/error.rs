//! Errors of the store.

/// An error of the store. Its text is never shown to clients.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be used now: there is no connection, or a queue is full.
    #[error("the database can't be used now: {0}")]
    Unavailable(String),
    /// The insert of the audit rows or the commit failed: no change was stored.
    #[error("the transaction could not be committed: {0}")]
    NotCommitted(String),
    /// The connection was lost during the commit: the changes may be stored or not.
    #[error("the connection was lost during the commit: {0}")]
    InDoubt(String),
    /// The caller's access row can't be read.
    #[error("the caller's access row can't be read: {0}")]
    AccessRowUnreadable(String),
    /// The statement or transaction exceeded its time limit.
    #[error("the statement took too long")]
    Timeout,
    /// A row with the same unique key exists.
    #[error("a row with this key exists already")]
    Duplicate,
    /// A stored value is invalid.
    #[error("stored data is inconsistent: {0}")]
    Inconsistent(String),
    /// The database is not set up for the operation. The text says how to set it up.
    #[error("{0}")]
    Setup(String),
    #[error("a statement failed: {0}")]
    Statement(#[source] sqlx::Error),
}

impl StoreError {
    /// Whether the database refused the values of a statement. The transaction's other rows may still be inserted
    /// without that row.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Duplicate | Self::Inconsistent(_) | Self::Timeout)
            || matches!(self, Self::Statement(sqlx::Error::Database(error)) if about_values(error.as_ref()))
    }
}

/// Whether the error is about the values of the statement. On PostgreSQL these are all errors except those of
/// [`connection_lost`]; on SQLite a value that is too big, a constraint and a type. SQLite's other errors may have
/// ended the transaction.
fn about_values(error: &dyn sqlx::error::DatabaseError) -> bool {
    error
        .code()
        .is_some_and(|code| code.len() == 5 || matches!(code.parse::<i64>().map(|c| c & 0xff), Ok(18..=20)))
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(inner) if inner.is_unique_violation() => Self::Duplicate,
            sqlx::Error::Database(inner) if inner.code().as_deref() == Some(LOCK_NOT_GIVEN) => Self::Timeout,
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_) => Self::Unavailable(error.to_string()),
            sqlx::Error::Database(inner) if connection_lost(inner.as_ref()) => {
                Self::Unavailable(error.to_string())
            }
            sqlx::Error::Database(inner) if statement_of_another(inner.as_ref()) => {
                let what = inner.message();
                Self::Setup(format!("{what}: a pooler in transaction mode needs `--pg-pooler transaction`"))
            }
            _ => Self::Statement(error),
        }
    }
}

/// Whether PostgreSQL does not know a prepared statement, or knows it already: another client had the connection.
fn statement_of_another(error: &dyn sqlx::error::DatabaseError) -> bool {
    matches!(error.code().as_deref(), Some("26000" | "42P05"))
}

/// PostgreSQL's `lock_not_available`.
const LOCK_NOT_GIVEN: &str = "55P03";

/// Whether the connection can't be used. PostgreSQL's codes have five characters: classes 08 (connection), 53
/// (resources) and 57 (operator intervention). SQLite's are numbers of four digits at most: busy, I/O, full, can't
/// open.
fn connection_lost(error: &dyn sqlx::error::DatabaseError) -> bool {
    error.code().is_some_and(|code| {
        if code.len() == 5 {
            ["08", "53", "57"].iter().any(|class| code.starts_with(class))
        } else {
            matches!(code.parse::<i64>().map(|c| c & 0xff), Ok(5 | 10 | 13 | 14))
        }
    })
}

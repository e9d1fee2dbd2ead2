//! What can go wrong below.

/// Why the store did not do it. Never shown to clients as it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be used now: no connection, queue full, commit failed.
    #[error("the database can't be used now: {0}")]
    Unavailable(String),
    /// The audit rows or the commit failed: nothing was kept.
    #[error("the transaction could not be committed: {0}")]
    NotCommitted(String),
    /// The connection was lost while it committed: whether it was kept can't be known from here.
    #[error("the connection was lost during the commit: {0}")]
    InDoubt(String),
    /// Where the caller stands can't be read.
    #[error("the caller's access row can't be read: {0}")]
    AccessRowUnreadable(String),
    /// It took longer than it may.
    #[error("the statement took too long")]
    Timeout,
    /// A unique key exists already.
    #[error("a row with this key exists already")]
    Duplicate,
    /// A stored value is not what it should be.
    #[error("stored data is inconsistent: {0}")]
    Inconsistent(String),
    /// The database is not set up for what is asked of it; how to set it up.
    #[error("{0}")]
    Setup(String),
    /// A statement failed.
    #[error("a statement failed: {0}")]
    Statement(#[source] sqlx::Error),
}

impl StoreError {
    /// Whether the database read the statement and refused what it holds: without that row others may be written.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Duplicate | Self::Inconsistent(_) | Self::Timeout)
            || matches!(self, Self::Statement(sqlx::Error::Database(fault)) if about_values(fault.as_ref()))
    }
}

/// On PostgreSQL any refusal but those that [`connection_lost`] names. Of SQLite's codes: what is too big, constraints
/// and types; others may have ended the transaction.
fn about_values(fault: &dyn sqlx::error::DatabaseError) -> bool {
    fault
        .code()
        .is_some_and(|code| code.len() == 5 || matches!(code.parse::<i64>().map(|c| c & 0xff), Ok(18..=20)))
}

impl From<sqlx::Error> for StoreError {
    fn from(fault: sqlx::Error) -> Self {
        match &fault {
            sqlx::Error::Database(inner) if inner.is_unique_violation() => Self::Duplicate,
            sqlx::Error::Database(inner) if inner.code().as_deref() == Some(LOCK_NOT_GIVEN) => Self::Timeout,
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_) => Self::Unavailable(fault.to_string()),
            sqlx::Error::Database(inner) if connection_lost(inner.as_ref()) => {
                Self::Unavailable(fault.to_string())
            }
            _ => Self::Statement(fault),
        }
    }
}

/// PostgreSQL's `lock_not_available`.
const LOCK_NOT_GIVEN: &str = "55P03";

/// PostgreSQL classes 08 (connection), 53 (resources), 57 (operator intervention), whose codes have five characters; SQLite
/// busy, I/O and full, whose codes are numbers of four digits at most.
fn connection_lost(fault: &dyn sqlx::error::DatabaseError) -> bool {
    fault.code().is_some_and(|code| {
        if code.len() == 5 {
            ["08", "53", "57"].iter().any(|class| code.starts_with(class))
        } else {
            matches!(code.parse::<i64>().map(|c| c & 0xff), Ok(5 | 10 | 13 | 14))
        }
    })
}

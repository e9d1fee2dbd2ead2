//! Runs one SELECT on a datasource: an external database that a workspace's admin registered.
//!
//! A query never uses the connection pools of the service; it opens its own connection and closes it. Two
//! layers protect the database. First, [`CheckedSelect::check`] checks every part of the query against an
//! allow-list. Second, the query runs in a READ ONLY transaction with a timeout (PostgreSQL), or on a
//! read-only file with an authorizer (SQLite).
//!
//! Depends on `model` only. Apart from `store` it is the only crate that uses `sqlx`. It knows no table of
//! the service.

mod cell;
mod demo_file;
mod guard;
mod postgres;
mod query_scheduler;
mod source;
mod sqlite;

pub use demo_file::make_file;
pub use guard::{CheckedSelect, QueryRefused};
pub use query_scheduler::QueryScheduler;
pub use source::{AllowedTargets, DatasourceUrl, SourceRefused};

use std::time::Duration;

use serde_json::Value;

/// The default timeout of a statement.
pub const STATEMENT: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(5);
/// The maximum size of all cells of a result, in bytes.
pub const MAX_RESULT_BYTES: usize = 1 << 20;
/// The maximum length of a cell, in characters.
const MAX_CELL_CHARS: usize = 1 << 16;
/// The maximum number of columns of a result.
const MAX_COLUMNS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasourceKind {
    /// A PostgreSQL server.
    Postgres,
    /// A SQLite file.
    Sqlite,
}

impl DatasourceKind {
    /// Returns the word that the database stores.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }

    /// Returns the name for people.
    const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name in the query.
    pub name: String,
    /// The type of the column. For SQLite, where each value has its own type, the type of the first value
    /// that is not null.
    pub type_name: String,
}

/// The result of a query.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns, in order. Names need not be unique.
    pub columns: Vec<Column>,
    /// The rows, each with a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Whether rows, or parts of long values, were left out.
    pub truncated: bool,
}

/// Why a query failed. Contains neither the address of the database nor its login, except in
/// [`DatasourceError::Unreachable`].
#[derive(Debug, thiserror::Error)]
pub enum DatasourceError {
    #[error(transparent)]
    Refused(#[from] QueryRefused),
    /// The database refused the query. Contains its message.
    #[error("{0}")]
    Query(String),
    /// The query exceeded its timeout.
    #[error("it took longer than it may")]
    Timeout,
    /// The database refuses the login.
    #[error("the database refuses the login")]
    Login,
    /// The database can't be reached or closed the connection. The text is only for the log.
    #[error("the database can't be reached")]
    Unreachable(String),
}

#[derive(Clone, Copy, Debug)]
pub struct QueryLimits {
    /// The maximum number of rows.
    pub rows: usize,
    /// The timeout of the statement.
    pub within: Duration,
}

impl QueryLimits {
    /// Limits the rows, with the timeout [`STATEMENT`].
    pub const fn rows(rows: usize) -> Self {
        Self { rows, within: STATEMENT }
    }
}

/// Formats a database's message as one line of at most 300 characters.
fn said(message: &str) -> String {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    line.trim().trim_end_matches('.').to_owned()
}

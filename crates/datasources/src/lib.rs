//! Databases that are not ours: one SELECT on a datasource that a workspace's admin registered.
//!
//! A question never touches the tenants' pools: it opens a connection of its own and closes it. What is asked went
//! through [`Select::check`] first, which knows every part of it by an allow-list; the database is a second wall: a
//! READ ONLY transaction with a time-out on PostgreSQL, a read-only file with an authorizer on SQLite.
//!
//! May depend on `model` alone. Beside `store` it is the only crate that names `sqlx`; it knows no tenant's table.
#![deny(missing_docs)]

mod cell;
mod guard;
mod make;
mod postgres;
mod runner;
mod slices;
mod source;
mod sqlite;

pub use guard::{QueryRefused, Select};
pub use make::make_file;
pub use runner::QueryRunner;
pub use source::{AllowedTargets, DatasourceUrl, SourceRefused};

use std::time::Duration;

use serde_json::Value;

/// How long a statement may run.
pub const STATEMENT: Duration = Duration::from_secs(15);
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The most bytes that the cells of an answer hold together.
pub const MOST_BYTES: usize = 1 << 20;
/// The most characters of one cell.
const MOST_CELL: usize = 1 << 16;
/// The most columns of an answer.
const MOST_COLUMNS: usize = 200;

/// Which kind of database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasourceKind {
    /// A PostgreSQL server.
    Postgres,
    /// A SQLite file.
    Sqlite,
}

impl DatasourceKind {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }

    /// Its name for people.
    const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What the query calls it.
    pub name: String,
    /// PostgreSQL: its type. SQLite, where each value has its own: the type of the first value that is not null.
    pub type_name: String,
}

/// What a question was answered with.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns, in order; several may have the same name.
    pub columns: Vec<Column>,
    /// The rows, each with a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Whether rows, or parts of long values, were left out.
    pub truncated: bool,
}

/// Why a question has no answer. Nothing in it tells where the database is or who asks it.
#[derive(Debug, thiserror::Error)]
pub enum DatasourceError {
    /// It is no question that is asked here.
    #[error(transparent)]
    Refused(#[from] QueryRefused),
    /// The database does not know what is asked, in its own words.
    #[error("{0}")]
    Query(String),
    /// It took longer than it may.
    #[error("it took longer than it may")]
    Timeout,
    /// The database refuses the login.
    #[error("the database refuses the login")]
    Login,
    /// The database can't be reached, or broke off. The text is for the log alone.
    #[error("the database can't be reached")]
    Unreachable(String),
}

/// What an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct QueryLimits {
    /// The most rows.
    pub rows: usize,
    /// How long the statement may run.
    pub within: Duration,
}

impl QueryLimits {
    /// So many rows within [`STATEMENT`].
    pub const fn rows(rows: usize) -> Self {
        Self { rows, within: STATEMENT }
    }
}

/// What a database says about a query, fit to be shown: one line, not too long.
fn said(message: &str) -> String {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    line.trim().trim_end_matches('.').to_owned()
}

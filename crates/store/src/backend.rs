//! Databases, transactions and connections: SQLite with one writer, PostgreSQL with one pool per role. Names no table.
//!
//! `queries` passes the [`Statements`] when it opens a database. Depends on no other module of this crate.

#[macro_use]
mod macros;

mod any_of;
mod bulk_insert;
mod db;
mod error;
mod json_rows;
mod migrations;
mod pattern;
mod pool;
mod postgres;
mod sql_value;
mod sqlite;
mod statements;
mod stored;
mod transaction;

pub mod text;

pub use any_of::AnyOf;
pub(crate) use any_of::any_of;
pub(crate) use bulk_insert::{BulkRow, BulkRows, BulkTable};
pub use db::Db;
pub use error::StoreError;
pub(crate) use json_rows::{hex_id, hex_optional_id, json, micros};
pub(crate) use migrations::{Applied, PG_MIGRATIONS, migration_error, refuse_other, refuse_other_pg};
pub(crate) use pattern::{folded, like};
pub(crate) use postgres::{PgLogin, PgPools, PgSession, connect};
pub(crate) use sql_value::SqlValue;
pub(crate) use sqlite::open as open_sqlite_file;
pub(crate) use statements::{AccessQuery, AccessSelect, RawAccessRow, Statements};
pub(crate) use stored::{JsonText, OptionalTime};
pub(crate) use transaction::Connection;
pub use transaction::{Tx, WORKER_LIMIT, WriteTx, within};

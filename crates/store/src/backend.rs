//! Databases, transactions and connections: SQLite with one writer, PostgreSQL with one pool per role. Names no table.
//!
//! `queries` passes the [`Statements`] when it opens a database. Depends on no other module of this crate.

#[macro_use]
mod columns;
#[macro_use]
mod macros;

mod bulk_insert;
mod db;
mod error;
mod migrations;
pub mod pack_schemas;
mod pg_session;
mod pool;
mod postgres;
mod sql_value;
mod sqlite;
mod statements;
mod stored;
mod text_match;
mod transaction;

pub mod text;

pub(crate) use bulk_insert::{BulkRow, BulkRows, BulkTable, bulk_table};
pub use db::Db;
pub use error::StoreError;
pub(crate) use migrations::{
    Applied, PG_MIGRATIONS, migration_error, refuse_other, refuse_other_pg, refuse_other_sqlite,
};
pub use pack_schemas::PackSchema;
pub use pg_session::PgSession;
pub(crate) use postgres::{PgLogin, PgPools, connect};
pub(crate) use sql_value::SqlValue;
pub(crate) use sqlite::{open as open_sqlite_file, options as sqlite_options};
pub(crate) use statements::{AccessQuery, AccessSelect, RawAccessRow, Statements};
pub use stored::{JsonText, OptionalTime, hex_id, json};
pub(crate) use stored::{hex_optional_id, micros};
pub use text_match::{AnyOf, folded};
pub(crate) use text_match::{any_of, like};
pub use transaction::{Connection, Tx, WORKER_LIMIT, WriteTx, within};

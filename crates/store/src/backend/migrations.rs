//! The migrations of both databases, embedded.

use sqlx::migrate::{MigrateError, Migrator};

use super::StoreError;

/// Those of SQLite.
pub static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");
/// Those of PostgreSQL.
pub static PG_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// Why a database can't be brought up to date.
pub fn migration_error(error: &MigrateError) -> StoreError {
    StoreError::Unavailable(format!("migration: {error}"))
}

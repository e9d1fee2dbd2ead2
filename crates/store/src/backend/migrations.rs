//! The migrations of both databases, embedded.

use sqlx::migrate::{MigrateError, Migrator};

use super::StoreError;

/// The migrations of SQLite.
pub static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");
/// The migrations of PostgreSQL.
pub static PG_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// The error if a migration fails.
pub fn migration_error(error: &MigrateError) -> StoreError {
    StoreError::Unavailable(format!("migration: {error}"))
}

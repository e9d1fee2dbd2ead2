//! The schema of each database, embedded, and the refusal of a database that has another one.
//!
//! A migration of a release is never edited. A database of a build before the first release has another checksum, or
//! the migrations of a build that had several, and can't be upgraded.

use sqlx::{
    PgConnection, SqliteConnection,
    migrate::{MigrateError, Migrator},
};

use super::StoreError;

pub static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");
pub static PG_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// A migration that a database has: its version and its checksum.
pub type Applied = (i64, Vec<u8>);

const APPLIED: &str = "SELECT version, checksum FROM _sqlx_migrations ORDER BY version";

/// The error if a migration fails.
pub fn migration_error(error: &MigrateError) -> StoreError {
    StoreError::Unavailable(format!("migration: {error}"))
}

/// Fails if the SQLite database has the schema of another build. Only reads.
pub async fn refuse_other_sqlite(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations'), \
        EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'workspaces')";
    let (listed, used): (bool, bool) = sqlx::query_as(SQL).fetch_one(&mut *conn).await?;
    let applied = if listed { sqlx::query_as(APPLIED).fetch_all(conn).await? } else { Vec::new() };
    refuse_unlisted(used, &applied)?;
    refuse_other(&SQLITE_MIGRATIONS, &applied)
}

/// Fails if the PostgreSQL database has the schema of another build. Only reads.
pub async fn refuse_other_pg(conn: &mut PgConnection) -> Result<(), StoreError> {
    const SQL: &str =
        "SELECT to_regclass('_sqlx_migrations') IS NOT NULL, to_regclass('workspaces') IS NOT NULL";
    let (listed, used): (bool, bool) = sqlx::query_as(SQL).fetch_one(&mut *conn).await?;
    let applied = if listed { sqlx::query_as(APPLIED).fetch_all(conn).await? } else { Vec::new() };
    refuse_unlisted(used, &applied)?;
    refuse_other(&PG_MIGRATIONS, &applied)
}

/// Fails if the migrations of a database are not those of this build, apart from some that are still to be applied.
pub fn refuse_other(known: &Migrator, applied: &[Applied]) -> Result<(), StoreError> {
    let checksum = |version| applied.iter().find(|found| found.0 == version).map(|found| found.1.as_slice());
    let differs = known.iter().any(|one| checksum(one.version).is_some_and(|found| found != &*one.checksum));
    let starts_differently = known.iter().next().is_some_and(|first| checksum(first.version).is_none());
    if differs || !applied.is_empty() && starts_differently {
        return Err(other_build());
    }
    match applied.iter().find(|found| !known.version_exists(found.0)) {
        Some((newer, _)) => Err(StoreError::Setup(format!(
            "the database is newer than this program: it has migration {newer}"
        ))),
        None => Ok(()),
    }
}

/// Fails if a database has tables of Toolcrib and no migration.
fn refuse_unlisted(used: bool, applied: &[Applied]) -> Result<(), StoreError> {
    if used && applied.is_empty() { Err(other_build()) } else { Ok(()) }
}

fn other_build() -> StoreError {
    StoreError::Setup(
        "the database was made by another build, whose schema can't be upgraded: start with an empty database, or use the \
         build that made it"
            .into(),
    )
}

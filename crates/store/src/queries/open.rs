//! Opens a database: creates the tables, loads the built-in data and passes the statements of the backend.

use std::{path::Path, sync::LazyLock};

use sqlx::postgres::PgConnectOptions;

use super::{
    access_row, builtin_data,
    logins::{self, Logins},
};
use crate::{
    backend::{Connection, Db, PgPools, Statements, StoreError, open_sqlite_file},
    tables::{audit, events},
};

/// The SELECTs of access rows and the bulk inserts that the backend runs.
pub static STATEMENTS: LazyLock<Statements> =
    LazyLock::new(|| Statements::new(access_row::selects(), &audit::BULK, &events::BULK));

impl Db {
    /// Opens a SQLite file, creates it if it is missing, and migrates it. Fails before the first write if the file has
    /// the schema of another build.
    pub async fn open_sqlite(path: &Path) -> Result<Self, StoreError> {
        let (mut writer, readers) = open_sqlite_file(path).await?;
        builtin_data::load(Connection::Sqlite(&mut writer)).await?;
        Self::start_sqlite(writer, readers, &STATEMENTS)
    }

    /// Connects to PostgreSQL and migrates it as the URL's user, as [`logins::migrate`] does. Afterwards the
    /// connections use roles that own nothing.
    pub async fn open_pg(url: &str, pool_size: u32) -> Result<Self, StoreError> {
        let options: PgConnectOptions = url.parse().map_err(StoreError::from)?;
        logins::migrate(url).await?;
        Ok(Self::start_pg(PgPools::open(&options, pool_size, &STATEMENTS).await?, &STATEMENTS))
    }

    /// Connects to PostgreSQL as three logins that own nothing. [`logins::migrate_for`] must have migrated
    /// the database.
    pub async fn open_pg_as(logins: &Logins, pool_size: u32) -> Result<Self, StoreError> {
        let checked = logins::check(logins).await?;
        Ok(Self::start_pg(PgPools::open_as(&checked, pool_size, &STATEMENTS).await?, &STATEMENTS))
    }
}

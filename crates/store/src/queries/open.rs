//! Opens a database: its migrations, what comes with the product, and the statements that it prepares.

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

/// What the backend prepares and runs for the tables.
pub static STATEMENTS: LazyLock<Statements> =
    LazyLock::new(|| Statements::new(access_row::openings(), &audit::BULK, &events::BULK));

impl Db {
    /// Opens (and makes, if it is missing) a SQLite file and brings it up to date.
    pub async fn open_sqlite(path: &Path) -> Result<Self, StoreError> {
        let (mut writer, readers) = open_sqlite_file(path).await?;
        builtin_data::load(Connection::Sqlite(&mut writer)).await?;
        Self::start_sqlite(writer, readers, &STATEMENTS)
    }

    /// Connects to PostgreSQL, brings it up to date as the URL's user, and serves as roles that own nothing.
    pub async fn open_pg(url: &str, pool_size: u32) -> Result<Self, StoreError> {
        let options: PgConnectOptions = url.parse().map_err(StoreError::from)?;
        logins::migrate(url).await?;
        Ok(Self::start_pg(PgPools::open(&options, pool_size, &STATEMENTS).await?, &STATEMENTS))
    }

    /// Connects to PostgreSQL as three logins that own nothing. [`logins::migrate_for`] has brought it up to date for them.
    pub async fn open_pg_as(logins: &Logins, pool_size: u32) -> Result<Self, StoreError> {
        let checked = logins::check(logins).await?;
        Ok(Self::start_pg(PgPools::open_as(&checked, pool_size, &STATEMENTS).await?, &STATEMENTS))
    }
}

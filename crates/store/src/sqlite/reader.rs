//! A read transaction on SQLite.

use sqlx::{Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection};

use crate::StoreError;

/// A reader inside a transaction. One that did not end is closed rather than given back: the next borrower would be
/// refused its own BEGIN, or see an old snapshot.
pub struct SqliteTx {
    conn: PoolConnection<Sqlite>,
    clean: bool,
}

impl SqliteTx {
    pub async fn begin(readers: &SqlitePool) -> Result<Self, StoreError> {
        let mut tx = Self { conn: readers.acquire().await?, clean: false };
        sqlx::query("BEGIN").execute(&mut *tx.conn).await?;
        Ok(tx)
    }

    pub fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.conn
    }

    pub async fn end(mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut *self.conn).await?;
        self.clean = true;
        Ok(())
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        if !self.clean {
            self.conn.close_on_drop();
        }
    }
}

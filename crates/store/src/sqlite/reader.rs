//! A read transaction on SQLite.

use sqlx::{Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection};
use toolcrib_model::Id;

use crate::{Standing, StoreError, Who};

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

    /// Begins, and reads where somebody stands, in one message to the connection's thread.
    pub async fn begin_as(
        readers: &SqlitePool,
        workspace: Id,
        who: Who,
    ) -> Result<(Self, Option<Standing>), StoreError> {
        let mut tx = Self { conn: readers.acquire().await?, clean: false };
        let standing = sqlx::query_as(Standing::BEGIN_AND_READ)
            .bind(workspace)
            .bind(who.user_id)
            .bind(who.agent_id)
            .fetch_optional(&mut *tx.conn)
            .await?;
        Ok((tx, standing))
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

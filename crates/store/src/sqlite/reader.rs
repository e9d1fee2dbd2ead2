//! A read transaction on SQLite.

use futures_util::FutureExt as _;
use sqlx::SqliteConnection;
use toolcrib_model::Id;

use crate::{
    Standing, StoreError, Who,
    lender::{Lender, Lent},
};

/// A reader inside a transaction. One that did not end is closed rather than given back.
pub struct SqliteTx(Lent<SqliteConnection>);

impl SqliteTx {
    pub async fn begin(readers: &Lender<SqliteConnection>) -> Result<Self, StoreError> {
        Ok(readers.begin(Self::begun).await?)
    }

    /// Begins, and reads where somebody stands, in one message to the connection's thread.
    pub async fn begin_as(
        readers: &Lender<SqliteConnection>,
        workspace: Id,
        who: Who,
    ) -> Result<(Self, Option<Standing>), StoreError> {
        Ok(readers.begin(|conn| Self::begun_as(conn, workspace, who)).await?)
    }

    async fn begun(mut conn: Lent<SqliteConnection>) -> Result<Self, sqlx::Error> {
        sqlx::query("BEGIN").execute(conn.connection()).await?;
        Ok(Self(conn))
    }

    async fn begun_as(
        mut conn: Lent<SqliteConnection>,
        workspace: Id,
        who: Who,
    ) -> Result<(Self, Option<Standing>), sqlx::Error> {
        let standing = sqlx::query_as(Standing::BEGIN_AND_READ)
            .bind(workspace)
            .bind(who.user_id)
            .bind(who.agent_id)
            .fetch_optional(conn.connection())
            .await?;
        Ok((Self(conn), standing))
    }

    pub fn connection(&mut self) -> &mut SqliteConnection {
        self.0.connection()
    }

    /// Ends the read without waiting for it: there is nothing to lose, and the connection's thread takes its messages
    /// in order. If it failed, the next BEGIN does, and is tried on a new connection.
    pub fn end(mut self) {
        let sent = sqlx::query("COMMIT").execute(self.connection()).now_or_never();
        if !matches!(sent, Some(Err(_))) {
            self.0.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_whose_end_failed_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (_writer, readers) = crate::sqlite::open(&folder.path().join("a.db")).await.unwrap();
        let mut lent = readers.lend().await.unwrap();
        sqlx::query("BEGIN").execute(lent.connection()).await.unwrap();
        lent.give_back();
        SqliteTx::begin(&readers).await.unwrap().end();
        SqliteTx::begin(&readers).await.unwrap().end();
    }
}

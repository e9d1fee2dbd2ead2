//! PostgreSQL: a transaction on one workspace.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, PgConnection, postgres::PgRow};
use toolcrib_model::Id;

use crate::backend::{
    StoreError,
    bulk_insert::{BulkInserts, BulkRows},
    pg_session::PgSession,
    pool::PoolConnection,
    statements::{RawAccessRow, access_failed},
};

use super::LoginPool;

/// A connection inside a transaction. Only a successful end returns it to the pool. A connection whose task was
/// cancelled is closed, so that the next task never gets its workspace.
pub struct PgTx {
    conn: PoolConnection<PgConnection>,
    /// The settings of the [`LoginPool`] for each transaction.
    local_settings: Option<Arc<str>>,
}

impl PgTx {
    /// Begins a transaction on `workspace` and runs the SELECT of the access row, if there is one, in the same message.
    pub async fn begin(
        pool: &LoginPool,
        workspace: Id,
        write: bool,
        access: Option<String>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        let begin = if write { "BEGIN; " } else { "BEGIN READ ONLY; " };
        Self::begin_on(pool, workspace, begin, access.as_deref()).await
    }

    /// Runs one SELECT of an access row in one message: the statements of one message are a transaction.
    pub async fn select_once(
        pool: &LoginPool,
        workspace: Id,
        access: String,
    ) -> Result<Option<RawAccessRow>, StoreError> {
        let (tx, row) = Self::begin_on(pool, workspace, "", Some(&access)).await?;
        tx.conn.release();
        Ok(row)
    }

    async fn begin_on(
        pool: &LoginPool,
        workspace: Id,
        begin: &str,
        access: Option<&str>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        let begun = pool.connections.begin(workspace, |conn| {
            Self { conn, local_settings: pool.local_settings.clone() }.begun(workspace, begin, access)
        });
        let begun = begun.await.flatten();
        begun.map_err(|error| match error {
            // The SELECT of the access row waits for no lock.
            StoreError::Timeout => error,
            // A new connection prepares this SELECT, so that it can fail too.
            error if access.is_some() => access_failed(error),
            error => error,
        })
    }

    /// Sends the first message. The inner error is one that another connection would get too.
    async fn begun(
        mut self,
        workspace: Id,
        begin: &str,
        access: Option<&str>,
    ) -> Result<Result<(Self, Option<RawAccessRow>), StoreError>, StoreError> {
        let before = if self.conn.in_read_transaction() { "COMMIT; " } else { "" };
        let (set, select) = (self.local_settings(workspace), access.unwrap_or_default());
        match Self::first_row(self.connection(), format!("{before}{begin}{set}; {select}")).await {
            Ok(row) => Ok(Ok((self, row.map(RawAccessRow::Pg)))),
            Err(StoreError::Timeout) => Ok(Err(StoreError::Timeout)),
            Err(error) => Err(error),
        }
    }

    async fn first_row(conn: &mut PgConnection, sql: String) -> Result<Option<PgRow>, StoreError> {
        let rows: Vec<PgRow> = sqlx::raw_sql(AssertSqlSafe(sql)).fetch(conn).try_collect().await?;
        Ok(rows.into_iter().next())
    }

    /// The statements that let row level security admit this workspace's rows until the transaction ends, after those
    /// of the [`LoginPool`].
    fn local_settings(&self, workspace: Id) -> String {
        let others = self.local_settings.as_deref().unwrap_or_default();
        format!("{others}SET LOCAL app.workspace_id = '{workspace}'")
    }

    pub(super) fn connection(&mut self) -> &mut PgConnection {
        self.conn.connection()
    }

    /// The connection for bound statements.
    pub fn session(&mut self) -> PgSession<'_> {
        if self.local_settings.is_some() {
            PgSession::unnamed(self.conn.connection())
        } else {
            PgSession::named(self.conn.connection())
        }
    }

    /// Rolls back the transaction and begins another one on `workspace`. Cheaper than a savepoint in each write,
    /// because few writes are rolled back.
    pub async fn restart(&mut self, workspace: Id) -> Result<(), StoreError> {
        let sql = format!("ROLLBACK AND CHAIN; {}", self.local_settings(workspace));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends a read. If a task waits for the connection, that task's first message ends the transaction and saves a
    /// round trip. Not behind a pooler in transaction mode: the connection would never be out of a transaction, and the
    /// pooler would lend the server's connection to no one else.
    pub async fn end_read(self) -> Result<(), StoreError> {
        if self.local_settings.is_some() {
            return self.end("COMMIT").await;
        }
        match self.conn.hand_to_waiter() {
            Ok(()) => Ok(()),
            Err(conn) => Self { conn, local_settings: None }.end("COMMIT").await,
        }
    }

    /// Inserts the rows, commits, and returns the connection to the pool.
    ///
    /// # Errors
    /// [`StoreError::NotCommitted`] if the server refused the rows or the commit, [`StoreError::InDoubt`] if it did not
    /// answer the commit.
    pub async fn commit(mut self, inserts: &'static BulkInserts, rows: &BulkRows) -> Result<(), StoreError> {
        if let Err(error) = inserts.insert_pg(&mut self.session(), &rows.audit, &rows.outbox).await {
            self.end("ROLLBACK").await?;
            return Err(StoreError::NotCommitted(error.to_string()));
        }
        // After a failed statement COMMIT rolls back and reports no error; the INSERT fails, or else SAVEPOINT.
        let inserts_nothing = rows.audit.is_empty() && rows.outbox.is_empty();
        self.end(if inserts_nothing { "SAVEPOINT call_end; COMMIT" } else { "COMMIT" }).await.map_err(
            |error| match error {
                StoreError::Unavailable(error) => StoreError::InDoubt(error),
                error => StoreError::NotCommitted(error.to_string()),
            },
        )
    }

    /// Runs the last statements, which must end the transaction, and returns the connection to the pool.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the connection was lost: the transaction may have been committed or not. With any
    /// other error it was not.
    pub async fn end(mut self, sql: &'static str) -> Result<(), StoreError> {
        match sqlx::raw_sql(sql).execute(self.connection()).await {
            Ok(_) => {
                self.conn.release();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // After the rollback the connection can be used again.
                if sqlx::raw_sql("ROLLBACK").execute(self.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.conn.release();
                Err(match refused.into() {
                    StoreError::Unavailable(error) => StoreError::NotCommitted(error),
                    error => error,
                })
            }
            Err(lost) => Err(StoreError::Unavailable(lost.to_string())),
        }
    }
}

//! PostgreSQL: a transaction on one workspace.

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, PgConnection, postgres::PgRow};
use toolcrib_model::Id;

use crate::backend::{
    StoreError,
    bulk_insert::{BulkInserts, BulkRows},
    pool::{Pool, PoolConnection},
    statements::{RawAccessRow, access_failed},
};

/// A connection inside a transaction. Only a successful end returns it to the pool. A connection whose task was cancelled
/// is closed, so that the next task never gets its workspace.
pub struct PgTx(PoolConnection<PgConnection>);

/// The statement that lets row level security admit this workspace's rows until the transaction ends.
fn set_workspace(workspace: Id) -> String {
    format!("SET LOCAL app.workspace_id = '{workspace}'")
}

impl PgTx {
    /// Begins a transaction on `workspace` and runs the SELECT of the access row, if there is one, in the same message.
    pub async fn begin(
        pool: &Pool<PgConnection>,
        workspace: Id,
        write: bool,
        access: Option<String>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        let begin = if write { "BEGIN; " } else { "BEGIN READ ONLY; " };
        Self::begin_on(pool, workspace, begin, access.as_deref()).await
    }

    /// Runs one SELECT of an access row in one message: the statements of one message are a transaction.
    pub async fn select_once(
        pool: &Pool<PgConnection>,
        workspace: Id,
        access: String,
    ) -> Result<Option<RawAccessRow>, StoreError> {
        let (tx, row) = Self::begin_on(pool, workspace, "", Some(&access)).await?;
        tx.0.release();
        Ok(row)
    }

    async fn begin_on(
        pool: &Pool<PgConnection>,
        workspace: Id,
        begin: &str,
        access: Option<&str>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        let begun = pool.begin(workspace, |conn| Self::begun(conn, workspace, begin, access)).await.flatten();
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
        conn: PoolConnection<PgConnection>,
        workspace: Id,
        begin: &str,
        access: Option<&str>,
    ) -> Result<Result<(Self, Option<RawAccessRow>), StoreError>, StoreError> {
        let before = if conn.in_read_transaction() { "COMMIT; " } else { "" };
        let (set, select) = (set_workspace(workspace), access.unwrap_or_default());
        let mut tx = Self(conn);
        match Self::first_row(tx.connection(), format!("{before}{begin}{set}; {select}")).await {
            Ok(row) => Ok(Ok((tx, row.map(RawAccessRow::Pg)))),
            Err(StoreError::Timeout) => Ok(Err(StoreError::Timeout)),
            Err(error) => Err(error),
        }
    }

    async fn first_row(conn: &mut PgConnection, sql: String) -> Result<Option<PgRow>, StoreError> {
        let rows: Vec<PgRow> = sqlx::raw_sql(AssertSqlSafe(sql)).fetch(conn).try_collect().await?;
        Ok(rows.into_iter().next())
    }

    pub fn connection(&mut self) -> &mut PgConnection {
        self.0.connection()
    }

    /// Rolls back the transaction and begins another one on `workspace`. Cheaper than a savepoint in each write, because few
    /// writes are rolled back.
    pub async fn restart(&mut self, workspace: Id) -> Result<(), StoreError> {
        let sql = format!("ROLLBACK AND CHAIN; {}", set_workspace(workspace));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends a read. If a task waits for the connection, that task's first message ends the transaction and saves a round
    /// trip.
    pub async fn end_read(self) -> Result<(), StoreError> {
        match self.0.hand_to_waiter() {
            Ok(()) => Ok(()),
            Err(conn) => Self(conn).end("COMMIT").await,
        }
    }

    /// Inserts the rows, commits, and returns the connection to the pool.
    ///
    /// # Errors
    /// [`StoreError::NotCommitted`] if the server refused the rows or the commit, [`StoreError::InDoubt`] if it did not answer
    /// the commit.
    pub async fn commit(mut self, inserts: &'static BulkInserts, rows: &BulkRows) -> Result<(), StoreError> {
        let (audit, outbox): (Vec<_>, Vec<_>) = (rows.audit.iter().collect(), rows.outbox.iter().collect());
        if let Err(error) = inserts.pg(self.connection(), &audit, &outbox).await {
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
                self.0.release();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // After the rollback the connection can be used again.
                if sqlx::raw_sql("ROLLBACK").execute(self.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.0.release();
                Err(match refused.into() {
                    StoreError::Unavailable(error) => StoreError::NotCommitted(error),
                    error => error,
                })
            }
            Err(lost) => Err(StoreError::Unavailable(lost.to_string())),
        }
    }
}

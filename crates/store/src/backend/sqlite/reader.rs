//! A read transaction on SQLite.

use futures_util::FutureExt as _;
use sqlx::SqliteConnection;
use toolcrib_model::Id;

use crate::backend::{
    StoreError,
    pool::{Pool, PoolConnection},
    statements::{AccessQuery, Begin, RawAccessRow, Statements},
};

/// A reader inside a transaction. Dropping it without [`SqliteReadTx::end`] closes the connection.
pub struct SqliteReadTx(PoolConnection<SqliteConnection>);

impl SqliteReadTx {
    /// Begins a read and reads the access row, if one is asked for.
    pub async fn begin(
        readers: &Pool<SqliteConnection>,
        statements: &'static Statements,
        workspace: Id,
        access: Option<AccessQuery>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        readers.begin(workspace, |conn| Self::begun(conn, statements, workspace, access)).await
    }

    async fn begun(
        mut conn: PoolConnection<SqliteConnection>,
        statements: &'static Statements,
        workspace: Id,
        access: Option<AccessQuery>,
    ) -> Result<(Self, Option<RawAccessRow>), StoreError> {
        let begin = if conn.in_read_transaction() { Begin::NextRead } else { Begin::Read };
        let row = statements.begin_sqlite(conn.connection(), begin, workspace, access).await?;
        Ok((Self(conn), row))
    }

    pub fn connection(&mut self) -> &mut SqliteConnection {
        self.0.connection()
    }

    /// Ends the read without waiting for the COMMIT: a read has no changes to lose, and the connection's thread handles
    /// its messages in order. If the COMMIT fails, the next BEGIN fails too and is tried on a new connection. If a task
    /// waits for the connection, that task's first message ends the read.
    pub fn end(self) {
        let Err(mut conn) = self.0.hand_to_waiter() else { return };
        let sent = sqlx::query("COMMIT").execute(conn.connection()).now_or_never();
        if !matches!(sent, Some(Err(_))) {
            conn.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::ConnectOptions as _;

    use super::*;
    use crate::queries::STATEMENTS;

    /// A new database with its writer and one reader.
    async fn one_reader(folder: &Path) -> (SqliteConnection, Pool<SqliteConnection>) {
        let options = crate::backend::sqlite::options(&folder.join("a.db"));
        let mut writer = options.clone().create_if_missing(true).connect().await.unwrap();
        crate::backend::migrations::SQLITE_MIGRATIONS.run(&mut writer).await.unwrap();
        sqlx::query("CREATE TABLE t (a)").execute(&mut writer).await.unwrap();
        let options = options.read_only(true);
        let readers = Pool::open("reads", options, Box::new(|_| Box::pin(async { Ok(()) })), 1).await;
        (writer, readers.unwrap())
    }

    async fn cache_size(tx: &mut SqliteReadTx) -> i64 {
        sqlx::query_scalar("PRAGMA cache_size").fetch_one(tx.connection()).await.unwrap()
    }

    async fn begin(readers: &Pool<SqliteConnection>, access: Option<AccessQuery>) -> SqliteReadTx {
        SqliteReadTx::begin(readers, &STATEMENTS, Id::nil(), access).await.unwrap().0
    }

    #[tokio::test]
    async fn whoever_is_handed_a_reader_sees_what_was_written_meanwhile() {
        const ROWS: &str = "SELECT COUNT(*) FROM t";
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, readers) = one_reader(folder.path()).await;
        let mut first = begin(&readers, None).await;
        let rows: i64 = sqlx::query_scalar(ROWS).fetch_one(first.connection()).await.unwrap();
        assert_eq!(rows, 0);
        sqlx::query("PRAGMA cache_size = -777").execute(first.connection()).await.unwrap();
        sqlx::query("INSERT INTO t VALUES (1)").execute(&mut writer).await.unwrap();
        let mut next = std::pin::pin!(begin(&readers, None));
        assert!(futures_util::poll!(next.as_mut()).is_pending());
        first.end();
        let mut next = next.await;
        let rows: i64 = sqlx::query_scalar(ROWS).fetch_one(next.connection()).await.unwrap();
        assert_eq!(rows, 1);
        assert_eq!(cache_size(&mut next).await, -777, "it is the very connection");
        let access = AccessQuery { select: 0, ids: [None; 3] };
        let mut last = std::pin::pin!(begin(&readers, Some(access)));
        assert!(futures_util::poll!(last.as_mut()).is_pending());
        next.end();
        assert_eq!(cache_size(&mut last.await).await, -777, "it is the very connection");
    }

    #[tokio::test]
    async fn where_nobody_waits_no_snapshot_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, readers) = one_reader(folder.path()).await;
        let mut tx = begin(&readers, None).await;
        sqlx::query("SELECT a FROM t").execute(tx.connection()).await.unwrap();
        tx.end();
        // The checkpoint truncates the log only if no transaction reads from it, and the reader's COMMIT may not have
        // run yet.
        let mut busy: i64 = 1;
        while busy == 1 {
            busy =
                sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut writer).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_reader_whose_end_failed_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (_writer, readers) = crate::backend::sqlite::open(&folder.path().join("a.db")).await.unwrap();
        let mut lent = readers.acquire(Id::nil()).await.unwrap();
        sqlx::query("BEGIN").execute(lent.connection()).await.unwrap();
        lent.release();
        begin(&readers, None).await.end();
        begin(&readers, None).await.end();
    }
}

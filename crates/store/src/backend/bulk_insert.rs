//! Inserts the audit and outbox rows that a transaction collects, at its commit. One statement inserts many rows.

mod bound_rows;
mod table;

pub use bound_rows::CommitMode;
pub(crate) use table::bulk_table;
pub use table::{BulkRow, BulkTable, pg_array};

use std::borrow::Borrow;

use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use self::bound_rows::{BoundRows, FirstPart};
use super::{StoreError, pg_session::PgSession};

/// The rows that one transaction inserts at its commit.
#[derive(Clone, Debug, Default)]
pub struct BulkRows {
    pub audit: Vec<BulkRow>,
    pub outbox: Vec<BulkRow>,
}

/// The rows of one call that wait for a shared commit. They are inserted together or not at all.
pub struct WaitingRows {
    pub rows: BulkRows,
    pub reply: oneshot::Sender<Result<(), StoreError>>,
}

/// The statements that insert rows of both tables.
pub struct BulkInserts {
    outbox: &'static BulkTable,
    sqlite_audit: BoundRows,
    sqlite_outbox: String,
    /// For [`CommitMode::Alone`].
    first_alone: FirstPart,
    /// For [`CommitMode::Begun`].
    first_begun: FirstPart,
    /// See [`bound_rows::end_of_write`].
    sqlite_end_of_write: String,
    pg_audit: String,
    pg_outbox: String,
    pg_both: String,
}

impl BulkInserts {
    /// The statements for these tables.
    pub fn new(audit: &'static BulkTable, outbox: &'static BulkTable) -> Self {
        let sqlite_outbox = outbox.insert_sqlite_json("$1");
        let (pg_audit, pg_outbox) = (audit.insert_pg_text("$1"), outbox.insert_pg_text("$1"));
        Self {
            sqlite_audit: BoundRows::new(audit),
            first_alone: FirstPart::new(CommitMode::Alone, &sqlite_outbox),
            first_begun: FirstPart::new(CommitMode::Begun, &sqlite_outbox),
            sqlite_end_of_write: bound_rows::end_of_write(audit, outbox),
            sqlite_outbox,
            // Outside a transaction, one statement is one commit.
            pg_both: format!("WITH logged AS ({pg_audit}) {}", outbox.insert_pg_text("$2")),
            pg_audit,
            pg_outbox,
            outbox,
        }
    }

    /// Inserts both kinds of rows into SQLite and commits the transaction as `mode` says. If SQLite refuses a row, the
    /// transaction stays open; [`BulkInserts::undo_sqlite`] then restores the state before the call.
    pub async fn insert_and_commit_sqlite(
        &'static self,
        conn: &mut SqliteConnection,
        audit: &[&BulkRow],
        outbox: &[&BulkRow],
        mut mode: CommitMode,
    ) -> Result<(), StoreError> {
        if in_parts(audit, outbox) {
            let first = if mode == CommitMode::Alone { &self.first_alone } else { &self.first_begun };
            if outbox.is_empty() {
                sqlx::query(first.begin).execute(&mut *conn).await?;
            } else {
                let rows = self.outbox.json(outbox)?;
                sqlx::query(first.with_outbox.as_str()).bind(rows).execute(&mut *conn).await?;
            }
            mode = CommitMode::Begun;
        }
        let (first, last) = split(audit);
        for part in first {
            self.sqlite_audit.insert(conn, part, None).await?;
        }
        self.sqlite_audit.insert(conn, last, Some(mode)).await
    }

    /// Rolls back what [`BulkInserts::insert_and_commit_sqlite`] wrote before SQLite refused a row. With
    /// [`CommitMode::Alone`] it then begins the transaction that the rows are inserted into one by one.
    pub async fn undo_sqlite(
        conn: &mut SqliteConnection,
        audit: &[&BulkRow],
        outbox: &[&BulkRow],
        mode: CommitMode,
    ) -> Result<(), StoreError> {
        let sql = match mode {
            CommitMode::Alone => "ROLLBACK; BEGIN IMMEDIATE; SAVEPOINT call_group",
            CommitMode::Begun if in_parts(audit, outbox) => {
                "ROLLBACK TO SAVEPOINT call_rows; RELEASE SAVEPOINT call_rows"
            }
            CommitMode::Begun => return Ok(()),
        };
        sqlx::query(sql).execute(conn).await?;
        Ok(())
    }

    /// Inserts the rows of a write into SQLite's open transaction and releases the savepoint of the write.
    pub async fn insert_and_release_sqlite(
        &'static self,
        conn: &mut SqliteConnection,
        rows: &BulkRows,
    ) -> Result<(), StoreError> {
        let BulkRows { audit, outbox } = rows;
        if let [row] = audit.as_slice() {
            let query = sqlx::query(self.sqlite_end_of_write.as_str()).bind(self.outbox.json(outbox)?);
            bound_rows::bind_row(row, query).execute(conn).await?;
            return Ok(());
        }
        if !outbox.is_empty() {
            let outbox = self.outbox.json(outbox)?;
            sqlx::query(self.sqlite_outbox.as_str()).bind(outbox).execute(&mut *conn).await?;
        }
        for part in audit.chunks(bound_rows::MAX_ROWS) {
            self.sqlite_audit.insert(conn, part, None).await?;
        }
        sqlx::query(bound_rows::RELEASE).execute(conn).await?;
        Ok(())
    }

    /// Inserts audit rows and their events into PostgreSQL, as one statement.
    pub async fn insert_pg<R: Borrow<BulkRow> + Sync>(
        &'static self,
        conn: &mut PgSession<'_>,
        audit: &[R],
        outbox: &[R],
    ) -> Result<(), StoreError> {
        let query = match (audit, outbox) {
            ([], []) => return Ok(()),
            (_, []) => sqlx::query(self.pg_audit.as_str()).bind(pg_array(audit)?),
            ([], _) => sqlx::query(self.pg_outbox.as_str()).bind(pg_array(outbox)?),
            _ => sqlx::query(self.pg_both.as_str()).bind(pg_array(audit)?).bind(pg_array(outbox)?),
        };
        query.execute(conn).await?;
        Ok(())
    }
}

/// Whether [`BulkInserts::insert_and_commit_sqlite`] needs several statements, and therefore a savepoint before them.
fn in_parts(audit: &[&BulkRow], outbox: &[&BulkRow]) -> bool {
    audit.len() > bound_rows::MAX_ROWS || !outbox.is_empty()
}

/// Splits the rows into full chunks and the rows of the last statement.
fn split<'r, 'a>(audit: &'r [&'a BulkRow]) -> (impl Iterator<Item = &'r [&'a BulkRow]>, &'r [&'a BulkRow]) {
    let whole = audit.len().saturating_sub(1) / bound_rows::MAX_ROWS * bound_rows::MAX_ROWS;
    let (first, last) = audit.split_at(whole);
    (first.chunks(bound_rows::MAX_ROWS), last)
}

//! Inserts the rows of a group with its commit. If the database refuses a row, the rows of each message are inserted one
//! after another.

use super::{Group, JobResult, PendingReply, statement};
use crate::backend::{
    StoreError, WriteTx,
    bulk_insert::{BulkInserts, BulkRow, BulkRows, CommitMode},
    statements::Statements,
    transaction::Backend,
};

/// The rows of one message, which are inserted together or not at all.
pub struct Rows {
    /// The index of the message's reply in [`Group`]'s pending replies.
    pub pending: usize,
    pub rows: BulkRows,
}

impl Rows {
    /// Inserts the rows into the open transaction.
    pub async fn write(&self, tx: &mut WriteTx, statements: &'static Statements) -> Result<(), StoreError> {
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { return Ok(()) };
        statements.inserts.sqlite_rows(conn, &self.rows).await
    }
}

impl Group {
    /// Inserts the remaining rows and commits.
    pub async fn finish(&mut self, tx: &mut WriteTx) -> Result<(), StoreError> {
        let mode = if self.begun.is_some() { CommitMode::Begun } else { CommitMode::Alone };
        let done = match self.begun.take().unwrap_or(Ok(())) {
            Ok(()) => self.write_rows(tx, mode).await,
            not_begun => not_begun,
        };
        if done.is_err() {
            // Best effort: after a failed COMMIT SQLite may have rolled back itself.
            let _ = statement(tx, "ROLLBACK").await;
        }
        done
    }

    /// Inserts all rows and commits, in one message unless the database refuses a row.
    async fn write_rows(&mut self, tx: &mut WriteTx, mode: CommitMode) -> Result<(), StoreError> {
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { return Ok(()) };
        let all = || self.last.iter().chain(&self.reads);
        let audit: Vec<&BulkRow> = all().flat_map(|owner| &owner.rows.audit).collect();
        let outbox: Vec<&BulkRow> = all().flat_map(|owner| &owner.rows.outbox).collect();
        match self.statements.inserts.sqlite(conn, &audit, &outbox, mode).await {
            Err(error) if error.is_refusal() => {
                BulkInserts::sqlite_undo(conn, &audit, &outbox, mode).await?;
                self.write_each(tx).await
            }
            done => done,
        }
    }

    /// Inserts the rows of each message after a savepoint. A message whose rows are refused gets an error; the others are
    /// committed.
    async fn write_each(&mut self, tx: &mut WriteTx) -> Result<(), StoreError> {
        if let Some(last) = self.last.take()
            && let Err(error) = last.write(tx, self.statements).await
        {
            self.not_written(tx, &last, error).await?;
        }
        for rows in std::mem::take(&mut self.reads) {
            statement(tx, "SAVEPOINT call_rows").await?;
            match rows.write(tx, self.statements).await {
                Ok(()) => statement(tx, "RELEASE SAVEPOINT call_rows").await?,
                Err(error) if error.is_refusal() => {
                    statement(tx, "ROLLBACK TO SAVEPOINT call_rows; RELEASE SAVEPOINT call_rows").await?;
                    self.refuse(&rows, &error);
                }
                Err(error) => return Err(error),
            }
        }
        statement(tx, "RELEASE SAVEPOINT call_group; COMMIT").await
    }

    /// Replaces the pending reply of these rows' message by [`StoreError::NotCommitted`].
    pub fn refuse(&mut self, rows: &Rows, error: &StoreError) {
        tracing::error!(%error, "the database refused a row of the audit log");
        let refused = || StoreError::NotCommitted(error.to_string());
        match self.pending.get_mut(rows.pending) {
            Some(PendingReply::Job(_, left)) => *left = JobResult::Err(refused()),
            Some(PendingReply::Audit(_, ended)) => *ended = Err(refused()),
            None => {}
        }
    }
}

//! The rows of a group, written with its commit; where that is refused, each owner's by themselves.

use super::{Group, JobResult, PendingReply, statement};
use crate::backend::{
    StoreError, WriteTx,
    bulk_insert::{BulkInserts, BulkRow, BulkRows, CommitMode},
    statements::Statements,
    transaction::Backend,
};

/// Rows of one item, which are kept together or not at all.
pub struct Rows {
    /// Whose they are, among those who are owed a reply.
    pub pending: usize,
    pub rows: BulkRows,
}

impl Rows {
    /// Writes them into the open transaction.
    pub async fn write(&self, tx: &mut WriteTx, statements: &'static Statements) -> Result<(), StoreError> {
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { return Ok(()) };
        statements.inserts.sqlite_rows(conn, &self.rows).await
    }
}

impl Group {
    /// Writes what rows are left and commits.
    pub async fn finish(&mut self, tx: &mut WriteTx) -> Result<(), StoreError> {
        let mode = if self.begun.is_some() { CommitMode::Begun } else { CommitMode::Alone };
        let done = match self.begun.take().unwrap_or(Ok(())) {
            Ok(()) => self.write_rows(tx, mode).await,
            not_begun => not_begun,
        };
        if done.is_err() {
            // Best effort: after a failed COMMIT SQLite may have rolled back by itself.
            let _ = statement(tx, "ROLLBACK").await;
        }
        done
    }

    /// All in one message where nothing is refused.
    async fn write_rows(&mut self, tx: &mut WriteTx, mode: CommitMode) -> Result<(), StoreError> {
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { return Ok(()) };
        let all = || self.last.iter().chain(&self.reads);
        let audit: Vec<&BulkRow> = all().flat_map(|owner| &owner.rows.audit).collect();
        let outbox: Vec<&BulkRow> = all().flat_map(|owner| &owner.rows.outbox).collect();
        match self.statements.inserts.sqlite(conn, &audit, &outbox, mode).await {
            Err(fault) if fault.is_refusal() => {
                BulkInserts::sqlite_undo(conn, &audit, &outbox, mode).await?;
                self.write_each(tx).await
            }
            done => done,
        }
    }

    /// Each owner's rows behind a savepoint: whose are refused is told so, and the others are kept.
    async fn write_each(&mut self, tx: &mut WriteTx) -> Result<(), StoreError> {
        if let Some(last) = self.last.take()
            && let Err(fault) = last.write(tx, self.statements).await
        {
            self.not_written(tx, &last, fault).await?;
        }
        for rows in std::mem::take(&mut self.reads) {
            statement(tx, "SAVEPOINT call_rows").await?;
            match rows.write(tx, self.statements).await {
                Ok(()) => statement(tx, "RELEASE SAVEPOINT call_rows").await?,
                Err(fault) if fault.is_refusal() => {
                    statement(tx, "ROLLBACK TO SAVEPOINT call_rows; RELEASE SAVEPOINT call_rows").await?;
                    self.refuse(&rows, &fault);
                }
                Err(fault) => return Err(fault),
            }
        }
        statement(tx, "RELEASE SAVEPOINT call_group; COMMIT").await
    }

    /// Tells whose rows they are that nothing of theirs is kept.
    pub fn refuse(&mut self, rows: &Rows, fault: &StoreError) {
        tracing::error!(%fault, "the database refused a row of the audit log");
        let refused = || StoreError::NotCommitted(fault.to_string());
        match self.pending.get_mut(rows.pending) {
            Some(PendingReply::Job(_, left)) => *left = JobResult::Err(refused()),
            Some(PendingReply::Audit(_, ended)) => *ended = Err(refused()),
            None => {}
        }
    }
}

//! One commit of the writer, for the jobs and audit rows that waited for it. A job's rows are inserted while its savepoint
//! is open: if the database refuses them, that job alone is rolled back.

mod rows;

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::sync::oneshot;
use toolcrib_model::Id;

use super::{JobOutput, WriteJob, WriterMessage, panicked};
use crate::backend::{
    StoreError, WriteTx,
    bulk_insert::FirstRow,
    db::opening_failed,
    statements::{Opening, OpeningPrefix, OpeningRow, Statements},
    transaction::Backend,
};
use rows::Rows;

/// The result that the caller of a job receives.
type JobResult = Result<Box<dyn Any + Send>, StoreError>;

/// A reply that is sent after the commit, with the result if the commit succeeds.
enum PendingReply {
    Job(oneshot::Sender<JobResult>, JobResult),
    Audit(oneshot::Sender<Result<(), StoreError>>, Result<(), StoreError>),
}

/// The jobs and rows of one commit.
struct Group {
    statements: &'static Statements,
    /// Whether the transaction began; set by the first job. A group without jobs begins, inserts its rows and commits in
    /// one message to the connection's thread.
    begun: Option<Result<(), StoreError>>,
    /// The rows of the previous job, whose savepoint is still open.
    last: Option<Rows>,
    /// The audit and outbox rows of reads.
    reads: Vec<Rows>,
    pending: Vec<PendingReply>,
}

/// How a job's savepoint is set: alone, and with an opening SELECT.
type Savepoint = (&'static str, OpeningPrefix);
// INVARIANT: a group commits as a whole. After some errors (disk full, I/O) SQLite rolls back the transaction itself; the
// next job's savepoint would then begin another transaction, and its commit would report success for changes that are
// lost. The outer savepoint ends with the transaction, so releasing it fails and every job of the group gets an error.
const FIRST: Savepoint =
    ("BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start", OpeningPrefix::FirstSavepoint);
/// Releases the previous job's savepoint: nested savepoints would slow the writing of every page.
const NEXT: Savepoint = ("RELEASE SAVEPOINT call_start; SAVEPOINT call_start", OpeningPrefix::NextSavepoint);

/// Runs the jobs, inserts the rows, commits and sends the replies.
pub async fn commit(
    tx: &mut WriteTx,
    statements: &'static Statements,
    items: impl Iterator<Item = WriterMessage>,
) {
    let mut group = Group { statements, begun: None, last: None, reads: Vec::new(), pending: Vec::new() };
    for item in items {
        match item {
            WriterMessage::Audit { rows, reply } => {
                group.reads.push(Rows { pending: group.pending.len(), rows });
                group.pending.push(PendingReply::Audit(reply, Ok(())));
            }
            WriterMessage::Job { workspace, opening, limit, run, reply } => {
                let left = group.run_job(tx, workspace, opening, limit, run).await;
                group.pending.push(PendingReply::Job(reply, left));
            }
        }
    }
    let finished = group.finish(tx).await;
    settle(group.pending, &finished);
}

impl Group {
    async fn run_job(
        &mut self,
        tx: &mut WriteTx,
        workspace: Id,
        opening: Option<Opening>,
        limit: Duration,
        run: WriteJob,
    ) -> JobResult {
        let savepoint = match &self.begun {
            None => FIRST,
            Some(Ok(())) => NEXT,
            Some(Err(_)) => return Err(not_begun()),
        };
        let first = self.begun.is_none();
        let entered = self.begin_job(tx, workspace, opening, savepoint).await;
        if first {
            self.begun =
                Some(entered.as_ref().map(drop).map_err(|error| StoreError::Unavailable(error.to_string())));
        }
        let row = entered?;
        run_one(tx, limit, |tx| run(tx, row), self).await
    }

    /// Inserts the rows of the previous job, releases its savepoint, sets the next one and runs the opening SELECT.
    async fn begin_job(
        &mut self,
        tx: &mut WriteTx,
        workspace: Id,
        opening: Option<Opening>,
        savepoint: Savepoint,
    ) -> Result<Option<OpeningRow>, StoreError> {
        tx.0.next_job(workspace);
        if let Some(last) = self.last.take() {
            if let Some(opening) = opening
                && let Some(row) = self.statements.inserts.first_row(&last.rows)?
            {
                let prefix = OpeningPrefix::RowsNextSavepoint;
                match self.open(tx, prefix, workspace, opening, Some(row)).await {
                    Err(error @ sqlx::Error::Database(_)) => {
                        self.not_written(tx, &last, error.into()).await?;
                    }
                    // Any other error is about reading the row of the SELECT: the rows before it are inserted.
                    entered => return entered.map_err(|error| opening_failed(error.into())),
                }
            } else if let Err(error) = last.write(tx, self.statements).await {
                self.not_written(tx, &last, error).await?;
            }
        }
        match opening {
            Some(opening) => {
                let entered = self.open(tx, savepoint.1, workspace, opening, None).await;
                entered.map_err(|error| opening_failed(error.into()))
            }
            None => statement(tx, savepoint.0).await.map(|()| None),
        }
    }

    /// Sets the job's savepoint and runs the opening SELECT, in one message to the connection's thread.
    async fn open(
        &self,
        tx: &mut WriteTx,
        prefix: OpeningPrefix,
        workspace: Id,
        opening: Opening,
        row: Option<FirstRow<'_>>,
    ) -> Result<Option<OpeningRow>, sqlx::Error> {
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { return Ok(None) };
        self.statements.open_sqlite(conn, prefix, workspace, opening, row).await
    }

    /// Rolls back the previous job, whose rows the database refused. After any other error the state of the transaction is
    /// unknown, and the whole group is rolled back.
    async fn not_written(
        &mut self,
        tx: &mut WriteTx,
        last: &Rows,
        error: StoreError,
    ) -> Result<(), StoreError> {
        let undone = if error.is_refusal() {
            statement(tx, "ROLLBACK TO SAVEPOINT call_start").await
        } else {
            Err(StoreError::Unavailable(error.to_string()))
        };
        match &undone {
            Ok(()) => self.refuse(last, &error),
            Err(error) => self.begun = Some(Err(StoreError::Unavailable(error.to_string()))),
        }
        undone
    }
}

/// Runs one job after its savepoint: an error, a panic or a time-out rolls back that job alone.
async fn run_one(
    tx: &mut WriteTx,
    limit: Duration,
    run: impl for<'t> FnOnce(&'t mut WriteTx) -> BoxFuture<'t, JobOutput>,
    group: &mut Group,
) -> JobResult {
    let ended = tokio::time::timeout(limit, AssertUnwindSafe(run(&mut *tx)).catch_unwind()).await;
    let rows = std::mem::take(&mut tx.0.rows);
    match ended {
        Ok(Ok((answer, true))) => {
            group.last = Some(Rows { pending: group.pending.len(), rows });
            Ok(answer)
        }
        Ok(Ok((answer, false))) => statement(tx, "ROLLBACK TO SAVEPOINT call_start").await.map(|()| answer),
        failed => {
            statement(tx, "ROLLBACK TO SAVEPOINT call_start").await?;
            Err(if failed.is_err() { StoreError::Timeout } else { panicked() })
        }
    }
}

fn not_begun() -> StoreError {
    StoreError::Unavailable("the write transaction could not begin".into())
}

fn settle(pending: Vec<PendingReply>, committed: &Result<(), StoreError>) {
    for reply in pending {
        // The receiver is dropped if its call was cancelled; the changes are committed nevertheless.
        match (reply, committed) {
            (PendingReply::Job(reply, ended), Ok(())) => drop(reply.send(ended)),
            (PendingReply::Audit(reply, ended), Ok(())) => drop(reply.send(ended)),
            (PendingReply::Job(reply, _), Err(error)) => {
                drop(reply.send(Err(StoreError::NotCommitted(error.to_string()))));
            }
            (PendingReply::Audit(reply, _), Err(error)) => {
                drop(reply.send(Err(StoreError::NotCommitted(error.to_string()))));
            }
        }
    }
}

async fn statement(tx: &mut WriteTx, sql: &'static str) -> Result<(), StoreError> {
    if let Backend::SqliteWrite(conn) = &mut tx.0.backend {
        sqlx::query(sql).execute(&mut **conn).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        backend::{sqlite::open, transaction::Tx},
        queries::STATEMENTS,
    };

    type Answer = oneshot::Receiver<Result<Box<dyn Any + Send>, StoreError>>;

    /// A job that runs one statement and commits.
    fn job_of(sql: &'static str) -> (WriterMessage, Answer) {
        let run: WriteJob = Box::new(move |tx, _| {
            async move {
                statement(tx, sql).await.unwrap();
                (Box::new(()) as Box<dyn Any + Send>, true)
            }
            .boxed()
        });
        let (reply, answer) = oneshot::channel();
        (
            WriterMessage::Job {
                workspace: Id::nil(),
                opening: None,
                limit: Duration::from_mins(1),
                run,
                reply,
            },
            answer,
        )
    }

    /// As on a full disk, SQLite has ended the whole transaction itself.
    #[tokio::test]
    async fn a_group_whose_transaction_is_gone_is_answered_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (conn, _readers) = open(&folder.path().join("a.db")).await.unwrap();
        let mut tx = WriteTx(Tx::new(Backend::SqliteWrite(Box::new(conn)), Id::nil()));
        statement(&mut tx, "CREATE TABLE t (a)").await.unwrap();

        let insert = "INSERT INTO t VALUES (1)";
        let (items, answers): (Vec<_>, Vec<_>) = [insert, "ROLLBACK", insert].map(job_of).into_iter().unzip();
        commit(&mut tx, &STATEMENTS, items.into_iter()).await;
        for answer in answers {
            assert!(answer.await.unwrap().is_err());
        }

        let (item, answer) = job_of(insert);
        commit(&mut tx, &STATEMENTS, [item].into_iter()).await;
        answer.await.unwrap().unwrap();
        let Backend::SqliteWrite(conn) = &mut tx.0.backend else { panic!("it is SQLite") };
        let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM t").fetch_one(&mut **conn).await.unwrap();
        assert_eq!(rows, 1);
    }
}

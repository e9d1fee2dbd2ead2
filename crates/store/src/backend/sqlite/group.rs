//! The writes and audit rows that share one commit. A write's rows are inserted while its savepoint is open: if the
//! database refuses them, that write alone is rolled back.

use std::{pin::pin, time::Duration};

use futures_util::future::poll_fn;
use sqlx::SqliteConnection;
use tokio::{sync::oneshot, time::Instant};
use toolcrib_model::Id;

use super::lease::{End, Lease, Reply, Returned};
use crate::backend::{
    StoreError,
    bulk_insert::{BulkInserts, BulkRow, BulkRows, CommitMode, WaitingRows},
    statements::{AccessQuery, Begin, RawAccessRow, Statements},
};

const UNDO: &str = "ROLLBACK TO SAVEPOINT call_write; RELEASE SAVEPOINT call_write";

/// How long a future is polled before its thread sleeps. A write takes less than this.
const MAX_SPIN: Duration = Duration::from_micros(300);

/// A lease, inside the savepoint of the write, with its access row.
pub type Begun = Result<(Lease, Option<RawAccessRow>), StoreError>;

pub enum Request {
    /// Lends the connection.
    Lease { workspace: Id, access: Option<AccessQuery>, reply: oneshot::Sender<Begun> },
    /// Inserts audit rows of reads, with the next commit.
    Rows(WaitingRows),
}

/// One transaction of SQLite, with a savepoint for each write.
pub struct Group {
    statements: &'static Statements,
    /// Whether the transaction began; set by the first write. A group without writes begins, inserts its rows and
    /// commits in one message to the connection's thread.
    begun: bool,
    /// Why the whole group is rolled back.
    failed: Option<String>,
    /// The writes that have ended, each with its result if the commit succeeds.
    writes: Vec<(Reply, Result<(), StoreError>)>,
    /// The audit and outbox rows of reads.
    reads: Vec<WaitingRows>,
}

impl Group {
    pub const fn new(statements: &'static Statements) -> Self {
        Self { statements, begun: false, failed: None, writes: Vec::new(), reads: Vec::new() }
    }

    pub const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Serves one request. Returns the connection unless it is lost.
    pub async fn serve(
        &mut self,
        conn: Box<SqliteConnection>,
        request: Request,
    ) -> Option<Box<SqliteConnection>> {
        match request {
            Request::Rows(waiting) => {
                self.reads.push(waiting);
                Some(conn)
            }
            // The caller was cancelled while it waited.
            Request::Lease { reply, .. } if reply.is_closed() => Some(conn),
            Request::Lease { workspace, access, reply } => self.write(conn, workspace, access, reply).await,
        }
    }

    /// Sets a savepoint, lends the connection and waits until it is returned.
    async fn write(
        &mut self,
        mut conn: Box<SqliteConnection>,
        workspace: Id,
        access: Option<AccessQuery>,
        reply: oneshot::Sender<Begun>,
    ) -> Option<Box<SqliteConnection>> {
        let begin = if self.begun { Begin::NextWrite } else { Begin::FirstWrite };
        self.begun = true;
        let row = match spin(self.statements.begin_sqlite(&mut conn, begin, workspace, access)).await {
            Ok(row) => row,
            Err(error) => {
                // It is unknown whether the savepoint was set.
                self.failed = Some(error.to_string());
                drop(reply.send(Err(error)));
                return Some(conn);
            }
        };
        let (lease, mut returned) = Lease::new(conn);
        // A caller that is gone drops the lease, which returns the connection.
        drop(reply.send(Ok((lease, row))));
        loop {
            let Returned { mut conn, end } = spin(returned).await.ok()?;
            match end {
                End::Commit(rows, reply) => self.keep(&mut conn, &rows, reply).await,
                End::Rollback(reply) => {
                    self.run(&mut conn, UNDO).await;
                    self.writes.extend(reply.map(|reply| (reply, Ok(()))));
                }
                End::Restart(lend) => {
                    self.run(&mut conn, "ROLLBACK TO SAVEPOINT call_write").await;
                    if !self.has_failed() {
                        let (lease, again) = Lease::new(conn);
                        drop(lend.send(lease));
                        returned = again;
                        continue;
                    }
                }
            }
            return Some(conn);
        }
    }

    /// Inserts the rows of a write and releases its savepoint.
    async fn keep(&mut self, conn: &mut SqliteConnection, rows: &BulkRows, reply: Reply) {
        let result = match spin(self.statements.inserts.insert_and_release_sqlite(conn, rows)).await {
            Ok(()) => Ok(()),
            Err(error) if error.is_refusal() => {
                self.run(conn, UNDO).await;
                Err(refused(&error))
            }
            Err(error) => {
                self.failed = Some(error.to_string());
                Ok(())
            }
        };
        self.writes.push((reply, result));
    }

    /// Runs a statement without which the group can't be committed.
    async fn run(&mut self, conn: &mut SqliteConnection, sql: &'static str) {
        if let Err(error) = spin(sqlx::query(sql).execute(conn)).await {
            self.failed = Some(error.to_string());
        }
    }

    /// Inserts the rows of the reads, commits, and replies to all.
    pub async fn commit(mut self, conn: &mut SqliteConnection) {
        let mut results: Vec<_> = self.reads.iter().map(|_| Ok(())).collect();
        let committed = match self.failed.take() {
            Some(error) => Err(StoreError::Unavailable(error)),
            None if !self.begun && self.reads.is_empty() => Ok(()),
            None => spin(self.write_rows(conn, &mut results)).await,
        };
        if committed.is_err() {
            // Best effort: SQLite may have rolled back itself.
            let _ = sqlx::query("ROLLBACK").execute(conn).await;
        }
        let reads = self.reads.into_iter().map(|read| read.reply).zip(results);
        for (reply, result) in self.writes.into_iter().chain(reads) {
            // The receiver is dropped if its call was cancelled; the changes are committed nevertheless.
            drop(reply.send(match &committed {
                Ok(()) => result,
                Err(error) => Err(StoreError::NotCommitted(error.to_string())),
            }));
        }
    }

    /// Inserts the rows of all reads and commits, in one message unless the database refuses a row.
    async fn write_rows(
        &self,
        conn: &mut SqliteConnection,
        results: &mut [Result<(), StoreError>],
    ) -> Result<(), StoreError> {
        let mode = if self.begun { CommitMode::Begun } else { CommitMode::Alone };
        let audit: Vec<&BulkRow> = self.reads.iter().flat_map(|read| &read.rows.audit).collect();
        let outbox: Vec<&BulkRow> = self.reads.iter().flat_map(|read| &read.rows.outbox).collect();
        let inserts = &self.statements.inserts;
        match inserts.insert_and_commit_sqlite(conn, &audit, &outbox, mode).await {
            Err(error) if error.is_refusal() => {
                BulkInserts::undo_sqlite(conn, &audit, &outbox, mode).await?;
                self.write_each(conn, results).await
            }
            done => done,
        }
    }

    /// Inserts the rows of each read after a savepoint. A read whose rows are refused gets an error; the others are
    /// committed.
    async fn write_each(
        &self,
        conn: &mut SqliteConnection,
        results: &mut [Result<(), StoreError>],
    ) -> Result<(), StoreError> {
        for (read, result) in self.reads.iter().zip(results) {
            sqlx::query("SAVEPOINT call_write").execute(&mut *conn).await?;
            match self.statements.inserts.insert_and_release_sqlite(conn, &read.rows).await {
                Ok(()) => {}
                Err(error) if error.is_refusal() => {
                    sqlx::query(UNDO).execute(&mut *conn).await?;
                    *result = Err(refused(&error));
                }
                Err(error) => return Err(error),
            }
        }
        sqlx::query("RELEASE SAVEPOINT call_group; COMMIT").execute(conn).await?;
        Ok(())
    }
}

fn refused(error: &StoreError) -> StoreError {
    tracing::error!(%error, "the database refused a row of the audit log");
    StoreError::NotCommitted(error.to_string())
}

/// Awaits a future on the writer's thread. The connection's thread runs each statement; waking this thread for every
/// result would take longer than the statement. Between two polls the thread runs its other tasks and yields the
/// processor.
async fn spin<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let until = Instant::now() + MAX_SPIN;
    poll_fn(|cx| {
        let poll = future.as_mut().poll(cx);
        if poll.is_pending() && Instant::now() < until {
            cx.waker().wake_by_ref();
            std::thread::yield_now();
        }
        poll
    })
    .await
}

//! SQLite: read-only readers, and one writer task that commits in groups.

mod awake;
mod reader;

pub use reader::SqliteTx;

use std::{any::Any, panic::AssertUnwindSafe, path::Path, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use crate::{
    AuditRow, EventRow, Standing, StoreError, Tx, Who, WriteTx, batch,
    lender::Lender,
    tx::{Connection, Inner},
};

/// What a job leaves: its answer, and whether its changes are kept.
pub type Ended = (Box<dyn Any + Send>, bool);
/// A job of the writer.
pub type Run = Box<dyn for<'t> FnOnce(&'t mut WriteTx, Option<Standing>) -> BoxFuture<'t, Ended> + Send>;

/// What waits for the writer.
pub enum Item {
    Job {
        workspace: Id,
        /// Whose standing the job is given.
        who: Option<Who>,
        limit: Duration,
        run: Run,
        reply: oneshot::Sender<Result<Box<dyn Any + Send>, StoreError>>,
    },
    Audit {
        rows: Vec<AuditRow>,
        /// Told in the same commit.
        events: Vec<EventRow>,
        reply: oneshot::Sender<Result<(), StoreError>>,
    },
}

/// Each is a thread of its own.
const READERS: u32 = 4;
/// At most this many items share a commit.
const BATCH: usize = 512;
/// At most this many items wait; more is refused with 503.
const QUEUE: usize = 4096;

pub fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        // No mmap: with every commit of the writer each reader would unmap the file and fault its pages in again.
        .pragma("cache_size", "-32768")
        .statement_cache_capacity(1024)
        .log_statements(tracing::log::LevelFilter::Off)
}

/// Opens the writer first (it makes the file and its WAL), then the readers.
pub async fn open(path: &Path) -> Result<(SqliteConnection, Lender<SqliteConnection>), StoreError> {
    let writer = options(path).create_if_missing(true).connect().await?;
    let readers =
        Lender::open(options(path).read_only(true), Box::new(|_| Box::pin(async { Ok(()) })), READERS)
            .await?;
    Ok((writer, readers))
}

/// Starts the writer; it ends when the last sender is dropped. It has a thread of its own: every statement of every
/// write waits for it, and among the requests it would wait for its turn each time.
pub fn start(conn: SqliteConnection) -> Result<mpsc::Sender<Item>, StoreError> {
    let cannot = |fault: std::io::Error| StoreError::Unavailable(format!("the writer's thread: {fault}"));
    let (send, receive) = mpsc::channel(QUEUE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(cannot)?;
    let run = move || runtime.block_on(write(conn, receive));
    std::thread::Builder::new().name("sqlite-writer".into()).spawn(run).map_err(cannot)?;
    Ok(send)
}

async fn write(conn: SqliteConnection, mut queue: mpsc::Receiver<Item>) {
    let mut tx = WriteTx(Tx::new(Inner::SqliteWrite(Box::new(conn)), Id::nil()));
    let mut items = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut items, BATCH).await > 0 {
        awake::awake(commit_group(&mut tx, items.drain(..))).await;
    }
}

/// A reply that is owed once the commit is known.
enum Owed {
    Job(oneshot::Sender<Result<Box<dyn Any + Send>, StoreError>>, Result<Box<dyn Any + Send>, StoreError>),
    Audit(oneshot::Sender<Result<(), StoreError>>),
}

// INVARIANT: a group commits whole. Some faults (disk full, I/O) make SQLite roll back the transaction by itself; a
// later job's savepoint would then begin another one, and its commit would answer for changes that are lost. The
// outer savepoint is gone with the transaction, so that releasing it fails and every job of the group is told.
const BEGIN: &str = "BEGIN IMMEDIATE; SAVEPOINT call_group";
const COMMIT: &str = "RELEASE SAVEPOINT call_group; COMMIT";

async fn commit_group(tx: &mut WriteTx, items: impl Iterator<Item = Item>) {
    let mut owed = Vec::new();
    let begun = statement(tx, BEGIN).await;
    let mut rows = Vec::new();
    let mut place = FIRST;
    for item in items {
        match item {
            Item::Audit { rows: more, events, reply } => {
                rows.extend(more);
                // Where nothing was begun nothing is written, and the next group tells of nothing else's.
                if begun.is_ok() {
                    tx.0.events.extend(events);
                }
                owed.push(Owed::Audit(reply));
            }
            Item::Job { workspace, who, limit, run, reply } => {
                let ended = match begun {
                    Err(_) => Err(not_begun()),
                    Ok(()) => match enter(tx, workspace, who, place).await {
                        Ok(standing) => job(tx, limit, |tx| run(tx, standing), &mut rows).await,
                        Err(fault) => Err(fault),
                    },
                };
                place = NEXT;
                owed.push(Owed::Job(reply, ended));
            }
        }
    }
    let committed = match begun {
        Ok(()) => finish(tx, &rows).await,
        Err(fault) => Err(fault),
    };
    settle(owed, &committed);
}

/// What the caller of a job that panicked is told, on either database.
pub fn panicked() -> StoreError {
    StoreError::Inconsistent("a job panicked".into())
}

fn not_begun() -> StoreError {
    StoreError::Unavailable("the write transaction could not begin".into())
}

/// How a job's savepoint is set: alone, and with the SELECT of somebody's standing.
type Place = (&'static str, &'static str);
const FIRST: Place = ("SAVEPOINT call_start", Standing::AT_FIRST_SAVEPOINT);
/// The job before left its own: many that stand in each other would slow every page that is written.
const NEXT: Place = ("RELEASE SAVEPOINT call_start; SAVEPOINT call_start", Standing::AT_NEXT_SAVEPOINT);

/// Sets the job's savepoint and reads where `who` stands, in one message to the connection's thread.
async fn enter(
    tx: &mut WriteTx,
    workspace: Id,
    who: Option<Who>,
    (alone, standing): Place,
) -> Result<Option<Standing>, StoreError> {
    (tx.0.workspace, tx.0.home) = (workspace, workspace);
    match who {
        None => statement(tx, alone).await.map(|()| None),
        Some(who) => Standing::read_with(&mut tx.0, standing, who).await.map_err(crate::db::unread),
    }
}

/// Runs one job behind its own savepoint: an error, a panic or a time-out takes back that job alone.
async fn job(
    tx: &mut WriteTx,
    limit: Duration,
    run: impl for<'t> FnOnce(&'t mut WriteTx) -> BoxFuture<'t, Ended>,
    rows: &mut Vec<AuditRow>,
) -> Result<Box<dyn Any + Send>, StoreError> {
    let events = std::mem::take(&mut tx.0.events);
    let ended = tokio::time::timeout(limit, AssertUnwindSafe(run(&mut *tx)).catch_unwind()).await;
    let audit = std::mem::take(&mut tx.0.audit);
    let more = std::mem::replace(&mut tx.0.events, events);
    match ended {
        Ok(Ok((answer, true))) => {
            rows.extend(audit);
            tx.0.events.extend(more);
            Ok(answer)
        }
        Ok(Ok((answer, false))) => statement(tx, "ROLLBACK TO SAVEPOINT call_start").await.map(|()| answer),
        failed => {
            statement(tx, "ROLLBACK TO SAVEPOINT call_start").await?;
            Err(if failed.is_err() { StoreError::Timeout } else { panicked() })
        }
    }
}

async fn finish(tx: &mut WriteTx, rows: &[AuditRow]) -> Result<(), StoreError> {
    let events = std::mem::take(&mut tx.0.events);
    let written = match tx.0.connection() {
        Connection::Sqlite(conn) => batch::sqlite(conn, rows, &events).await,
        Connection::Pg(_) => Ok(()),
    };
    let done = match written {
        Ok(()) => statement(tx, COMMIT).await,
        Err(fault) => Err(fault),
    };
    if done.is_err() {
        // Best effort: after a failed COMMIT SQLite may have rolled back by itself.
        let _ = statement(tx, "ROLLBACK").await;
    }
    done
}

fn settle(owed: Vec<Owed>, committed: &Result<(), StoreError>) {
    for reply in owed {
        // A receiver that is gone has nobody to tell: its call was cancelled, the commit stands.
        match (reply, committed) {
            (Owed::Job(reply, ended), Ok(())) => drop(reply.send(ended)),
            (Owed::Audit(reply), Ok(())) => drop(reply.send(Ok(()))),
            (Owed::Job(reply, _), Err(fault)) => {
                drop(reply.send(Err(StoreError::NotCommitted(fault.to_string()))));
            }
            (Owed::Audit(reply), Err(fault)) => {
                drop(reply.send(Err(StoreError::NotCommitted(fault.to_string()))));
            }
        }
    }
}

async fn statement(tx: &mut WriteTx, sql: &'static str) -> Result<(), StoreError> {
    match tx.0.connection() {
        Connection::Sqlite(conn) => sqlx::query(sql).execute(conn).await.map(|_| ())?,
        Connection::Pg(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Answer = oneshot::Receiver<Result<Box<dyn Any + Send>, StoreError>>;

    /// A job that runs one statement, and keeps what it did.
    fn job_of(sql: &'static str) -> (Item, Answer) {
        let run: Run = Box::new(move |tx, _| {
            async move {
                statement(tx, sql).await.unwrap();
                (Box::new(()) as Box<dyn Any + Send>, true)
            }
            .boxed()
        });
        let (reply, answer) = oneshot::channel();
        (Item::Job { workspace: Id::nil(), who: None, limit: Duration::from_mins(1), run, reply }, answer)
    }

    /// Like a full disk: SQLite has ended the whole transaction by itself.
    #[tokio::test]
    async fn a_group_whose_transaction_is_gone_is_answered_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (conn, _readers) = open(&folder.path().join("a.db")).await.unwrap();
        let mut tx = WriteTx(Tx::new(Inner::SqliteWrite(Box::new(conn)), Id::nil()));
        statement(&mut tx, "CREATE TABLE t (a)").await.unwrap();

        let insert = "INSERT INTO t VALUES (1)";
        let (items, answers): (Vec<_>, Vec<_>) = [insert, "ROLLBACK", insert].map(job_of).into_iter().unzip();
        commit_group(&mut tx, items.into_iter()).await;
        for answer in answers {
            assert!(answer.await.unwrap().is_err());
        }

        let (item, answer) = job_of(insert);
        commit_group(&mut tx, [item].into_iter()).await;
        answer.await.unwrap().unwrap();
        let Connection::Sqlite(conn) = tx.0.connection() else { panic!("it is SQLite") };
        let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM t").fetch_one(conn).await.unwrap();
        assert_eq!(rows, 1);
    }
}

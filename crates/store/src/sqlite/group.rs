//! One commit of the writer: the jobs and audit rows that waited for it.

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::sync::oneshot;
use toolcrib_model::Id;

use super::{Asked, Ended, Item, Run, panicked};
use crate::{
    AuditRow, EventRow, Standing, StoreError, WriteTx,
    batch::{self, Place},
    standing::{self, Texts},
    tx::Inner,
};

/// What a job left.
type Left = Result<Box<dyn Any + Send>, StoreError>;

/// A reply that is owed once the commit is known.
enum Owed {
    Job(oneshot::Sender<Left>, Left),
    Audit(oneshot::Sender<Result<(), StoreError>>),
}

/// What one commit keeps.
#[derive(Default)]
struct Group {
    /// Set by the first job; rows alone are begun, written and committed in one message to the connection's thread.
    begun: Option<Result<(), StoreError>>,
    rows: Vec<AuditRow>,
    events: Vec<EventRow>,
    owed: Vec<Owed>,
}

/// How a job's savepoint is set: alone, and with the SELECT of somebody's standing.
type Savepoint = (&'static str, fn(&'static Texts) -> &'static str);
// INVARIANT: a group commits whole. Some faults (disk full, I/O) make SQLite roll back the transaction by itself; a
// later job's savepoint would then begin another one, and its commit would answer for changes that are lost. The
// outer savepoint is gone with the transaction, so that releasing it fails and every job of the group is told.
const FIRST: Savepoint =
    ("BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start", |texts| &texts.first_savepoint);
/// The job before left its own: many that stand in each other would slow every page that is written.
const NEXT: Savepoint = ("RELEASE SAVEPOINT call_start; SAVEPOINT call_start", |texts| &texts.next_savepoint);

/// Runs the jobs, writes the rows, commits, and answers everybody.
pub async fn commit(tx: &mut WriteTx, items: impl Iterator<Item = Item>) {
    let mut group = Group::default();
    for item in items {
        match item {
            Item::Audit { rows, events, reply } => {
                group.rows.extend(rows);
                group.events.extend(events);
                group.owed.push(Owed::Audit(reply));
            }
            Item::Job { workspace, asked, limit, run, reply } => {
                let left = group.job(tx, workspace, asked, limit, run).await;
                group.owed.push(Owed::Job(reply, left));
            }
        }
    }
    let owed = std::mem::take(&mut group.owed);
    settle(owed, &group.finish(tx).await);
}

impl Group {
    async fn job(
        &mut self,
        tx: &mut WriteTx,
        workspace: Id,
        asked: Option<Asked>,
        limit: Duration,
        run: Run,
    ) -> Left {
        let savepoint = match &self.begun {
            None => FIRST,
            Some(Ok(())) => NEXT,
            Some(Err(_)) => return Err(not_begun()),
        };
        let entered = enter(tx, workspace, asked, savepoint).await;
        if self.begun.is_none() {
            self.begun =
                Some(entered.as_ref().map(drop).map_err(|fault| StoreError::Unavailable(fault.to_string())));
        }
        let standing = entered?;
        run_one(tx, limit, |tx| run(tx, standing), self).await
    }

    async fn finish(self, tx: &mut WriteTx) -> Result<(), StoreError> {
        let place = if self.begun.is_some() { Place::Begun } else { Place::Alone };
        let done = match (self.begun.unwrap_or(Ok(())), &mut tx.0.inner) {
            (Ok(()), Inner::SqliteWrite(conn)) => batch::sqlite(conn, self.rows, &self.events, place).await,
            (begun, _) => begun,
        };
        if done.is_err() {
            // Best effort: after a failed COMMIT SQLite may have rolled back by itself.
            let _ = statement(tx, "ROLLBACK").await;
        }
        done
    }
}

/// Sets the job's savepoint and reads what is asked, in one message to the connection's thread.
async fn enter(
    tx: &mut WriteTx,
    workspace: Id,
    asked: Option<Asked>,
    (alone, with_standing): Savepoint,
) -> Result<Option<Standing>, StoreError> {
    (tx.0.workspace, tx.0.home, tx.0.ground) = (workspace, workspace, None);
    let (Some((who, ahead)), Inner::SqliteWrite(conn)) = (asked, &mut tx.0.inner) else {
        return statement(tx, alone).await.map(|()| None);
    };
    let told = standing::sqlite(conn, with_standing, workspace, who, ahead.as_ref()).await;
    let (standing, ground) = told.map_err(|fault| crate::db::unread(fault.into()))?;
    tx.0.ground = ground;
    Ok(standing)
}

/// Runs one job behind its own savepoint: an error, a panic or a time-out takes back that job alone.
async fn run_one(
    tx: &mut WriteTx,
    limit: Duration,
    run: impl for<'t> FnOnce(&'t mut WriteTx) -> BoxFuture<'t, Ended>,
    group: &mut Group,
) -> Left {
    let ended = tokio::time::timeout(limit, AssertUnwindSafe(run(&mut *tx)).catch_unwind()).await;
    let (rows, events) = (std::mem::take(&mut tx.0.audit), std::mem::take(&mut tx.0.events));
    match ended {
        Ok(Ok((answer, true))) => {
            group.rows.extend(rows);
            group.events.extend(events);
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
    if let Inner::SqliteWrite(conn) = &mut tx.0.inner {
        sqlx::query(sql).execute(&mut **conn).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tx, sqlite::open};

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
        (Item::Job { workspace: Id::nil(), asked: None, limit: Duration::from_mins(1), run, reply }, answer)
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
        commit(&mut tx, items.into_iter()).await;
        for answer in answers {
            assert!(answer.await.unwrap().is_err());
        }

        let (item, answer) = job_of(insert);
        commit(&mut tx, [item].into_iter()).await;
        answer.await.unwrap().unwrap();
        let Inner::SqliteWrite(conn) = &mut tx.0.inner else { panic!("it is SQLite") };
        let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM t").fetch_one(&mut **conn).await.unwrap();
        assert_eq!(rows, 1);
    }
}

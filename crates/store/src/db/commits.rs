//! One commit for what several writes leave (`docs/adr/0013`).

use std::{sync::Arc, time::Duration};

use sqlx::PgConnection;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};
use toolcrib_model::Id;

use crate::{
    StoreError,
    pg::{PgTx, within},
    pool::Pool,
};

/// Writes of one workspace are always in the same queue: no two groups of a process wait for each other's rows.
const QUEUES: usize = 4;
/// At most this many writes share a commit.
const MOST: usize = 64;
/// At most this many wait in one queue; more is refused with 503.
const LONGEST: usize = 1024;
/// A queue waits no longer for a row that somebody else holds. Its writes then go on alone, and those that don't need that
/// row are done.
const GROUP_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms';";
/// Whoever waited for longer is told so instead, and no server is waited for any longer.
const LIMIT: Duration = Duration::from_secs(15);

/// A write that has no transaction yet: it reads nothing but what it was told as it began, and all that it adds is left
/// for the commit.
pub struct Later {
    pub writes: Pool<PgConnection>,
    pub commits: Commits,
}

/// Commits what writes leave, in groups. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Commits(Arc<[mpsc::Sender<Left>]>);

/// What a write leaves.
#[derive(Debug)]
struct Left {
    workspace: Id,
    /// Each ends with a semicolon.
    statements: String,
    since: Instant,
    reply: oneshot::Sender<Result<(), StoreError>>,
}

impl Commits {
    /// They end with the last clone.
    pub fn start(writes: &Pool<PgConnection>) -> Self {
        let start = |_| {
            let (send, receive) = mpsc::channel(LONGEST);
            tokio::spawn(commit_groups(writes.clone(), receive));
            send
        };
        Self((0..QUEUES).map(start).collect())
    }

    /// Runs these statements on `workspace` and commits them, with those of others or alone: all of them or none.
    pub async fn commit(&self, workspace: Id, statements: String) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.queue(workspace)
            .try_send(Left { workspace, statements, since: Instant::now(), reply })
            .map_err(|_| StoreError::NotCommitted("too many writes wait for their commit".into()))?;
        answer.await.unwrap_or_else(|_| Err(StoreError::InDoubt("nobody answered".into())))
    }

    fn queue(&self, workspace: Id) -> &mpsc::Sender<Left> {
        // An id ends in chance.
        let [.., last] = workspace.as_bytes();
        &self.0[usize::from(*last) % QUEUES]
    }
}

async fn commit_groups(writes: Pool<PgConnection>, mut queue: mpsc::Receiver<Left>) {
    while let Some(first) = queue.recv().await {
        let begun = begin(&writes, first.workspace).await;
        // Whoever came while it began goes along.
        let mut group = vec![first];
        while group.len() < MOST
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        match begun {
            Ok(tx) => together(tx, group, &writes).await,
            Err(fault) => {
                for left in group {
                    left.tell(Err(not_begun(&fault)));
                }
            }
        }
    }
}

/// One commit for all. Where it is refused because of one of them each gets its own, and its own answer.
async fn together(tx: PgTx, group: Vec<Left>, writes: &Pool<PgConnection>) {
    let Some(place) = group.first().map(|left| left.workspace) else { return };
    let mut group: Vec<Left> = group.into_iter().filter_map(Left::in_time).collect();
    let ended = end(tx, joined(place, GROUP_LOCK_TIMEOUT, &group)).await;
    if group.len() == 1
        && !matches!(ended, Err(StoreError::Timeout))
        && let Some(only) = group.pop()
    {
        return only.tell(ended);
    }
    for left in group {
        match &ended {
            Ok(()) => left.tell(Ok(())),
            Err(StoreError::Unavailable(fault)) => left.tell(Err(StoreError::Unavailable(fault.clone()))),
            // Beside the queue: nobody else waits for those who wait.
            Err(_) => drop(tokio::spawn(alone(left, writes.clone()))),
        }
    }
}

/// The statements of a group whose transaction is in the workspace `place`, and their commit.
fn joined(mut place: Id, before: &str, group: &[Left]) -> String {
    let mut sql = String::with_capacity(group.iter().map(|left| left.statements.len() + 64).sum());
    sql.push_str(before);
    for left in group {
        if std::mem::replace(&mut place, left.workspace) != left.workspace {
            sql.push_str(&within(left.workspace));
        }
        sql.push_str(&left.statements);
    }
    sql.push_str("COMMIT");
    sql
}

/// As long as any statement may, it waits for rows that others hold.
async fn alone(left: Left, writes: Pool<PgConnection>) {
    let ended = match begin(&writes, left.workspace).await {
        Ok(tx) => end(tx, joined(left.workspace, "", std::slice::from_ref(&left))).await,
        Err(fault) => Err(not_begun(&fault)),
    };
    left.tell(ended);
}

async fn begin(writes: &Pool<PgConnection>, workspace: Id) -> Result<PgTx, StoreError> {
    let begun = timeout(LIMIT, PgTx::begin(writes, workspace, true, None)).await;
    Ok(begun.map_err(|_| StoreError::Timeout)??.0)
}

/// A server that says nothing is a connection that is lost: dropping it closes it.
async fn end(tx: PgTx, sql: String) -> Result<(), StoreError> {
    let ended = timeout(LIMIT, tx.end(sql)).await;
    ended.unwrap_or_else(|_| Err(StoreError::Unavailable("the server did not answer in time".into())))
}

fn not_begun(fault: &StoreError) -> StoreError {
    StoreError::NotCommitted(fault.to_string())
}

impl Left {
    /// Itself, unless it waited for so long that nobody expects its effect any more.
    fn in_time(self) -> Option<Self> {
        if self.since.elapsed() < LIMIT {
            return Some(self);
        }
        self.tell(Err(StoreError::NotCommitted("it waited too long for its commit".into())));
        None
    }

    /// A call that was cancelled has nobody to tell; its commit stands.
    fn tell(self, ended: Result<(), StoreError>) {
        drop(self.reply.send(ended));
    }
}

#[cfg(test)]
mod tests;

//! One commit for what several writes leave (`docs/adr/0013`).

use std::{fmt::Write as _, sync::Arc};

use sqlx::PgConnection;
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use crate::{StoreError, lender::Lender, pg::PgTx};

/// Writes of one workspace are always in the same queue: no two groups wait for each other's rows.
const QUEUES: usize = 4;
/// At most this many writes share a commit.
const MOST: usize = 64;
/// At most this many wait in one queue; more is refused with 503.
const LONGEST: usize = 1024;
/// A group waits no longer for a row that somebody else holds. Its writes then go on alone, and those that don't need
/// that row are done.
const PATIENCE: &str = "SET LOCAL lock_timeout = '200ms';";

/// A write that has no transaction yet: it reads nothing but what it was told as it began, and all that it adds is left
/// for the commit.
pub struct Later {
    pub writes: Lender<PgConnection>,
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
    reply: oneshot::Sender<Result<(), StoreError>>,
}

impl Commits {
    /// They end with the last clone.
    pub fn start(writes: &Lender<PgConnection>) -> Self {
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
        let queue =
            &self.0[workspace.as_bytes().iter().map(|byte| usize::from(*byte)).sum::<usize>() % QUEUES];
        queue
            .try_send(Left { workspace, statements, reply })
            .map_err(|_| StoreError::NotCommitted("too many writes wait for their commit".into()))?;
        answer.await.unwrap_or_else(|_| Err(StoreError::InDoubt("nobody answered".into())))
    }
}

async fn commit_groups(writes: Lender<PgConnection>, mut queue: mpsc::Receiver<Left>) {
    while let Some(first) = queue.recv().await {
        let begun = PgTx::begin(&writes, first.workspace, true, None).await;
        // Whoever came while it began goes along.
        let mut group = vec![first];
        while group.len() < MOST
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        match begun {
            Ok((tx, _)) => together(tx, group, &writes).await,
            Err(fault) => {
                for left in group {
                    left.tell(Err(not_begun(&fault)));
                }
            }
        }
    }
}

/// One commit for all. Where it is refused because of one of them each gets its own, and its own answer.
async fn together(tx: PgTx, mut group: Vec<Left>, writes: &Lender<PgConnection>) {
    let ended = tx.end(joined(&group)).await;
    if group.len() == 1
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

/// The statements of a group whose transaction is in the first one's workspace, and their commit.
fn joined(group: &[Left]) -> String {
    let mut sql = String::with_capacity(group.iter().map(|left| left.statements.len() + 64).sum());
    if group.len() > 1 {
        sql.push_str(PATIENCE);
    }
    let mut place = group.first().map(|left| left.workspace);
    for left in group {
        if place.replace(left.workspace) != Some(left.workspace) {
            let _ = write!(sql, "SET LOCAL app.workspace_id = '{}';", left.workspace);
        }
        sql.push_str(&left.statements);
    }
    sql.push_str("COMMIT");
    sql
}

async fn alone(left: Left, writes: Lender<PgConnection>) {
    let ended = match PgTx::begin(&writes, left.workspace, true, None).await {
        Ok((tx, _)) => tx.end(joined(std::slice::from_ref(&left))).await,
        Err(fault) => Err(not_begun(&fault)),
    };
    left.tell(ended);
}

fn not_begun(fault: &StoreError) -> StoreError {
    StoreError::NotCommitted(fault.to_string())
}

impl Left {
    /// A call that was cancelled has nobody to tell; its commit stands.
    fn tell(self, ended: Result<(), StoreError>) {
        drop(self.reply.send(ended));
    }
}

#[cfg(test)]
mod tests;

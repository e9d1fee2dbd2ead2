//! The task that owns the writing connection of SQLite. It lends the connection to one write after another and commits
//! for all writes that waited for it.

use std::time::Duration;

use sqlx::SqliteConnection;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::Instant,
};
use toolcrib_model::{FairQueue, Id};

use super::group::{Begun, Group, Request};
use crate::backend::{
    StoreError,
    bulk_insert::{BulkRows, WaitingRows},
    pool::record_wait,
    statements::{AccessQuery, Statements},
};

/// The most requests that wait; further ones are refused with 503.
const QUEUE: usize = 4096;
/// The most requests of one workspace that wait; further ones of this workspace are refused with 503.
const MAX_WAITING_PER_WORKSPACE: usize = 2048;
/// The time for which a group begins further writes.
pub const MAX_GROUP_TIME: Duration = Duration::from_millis(10);

/// Sends requests to the writer. Cheap to clone; the writer ends when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Writer {
    requests: mpsc::Sender<Request>,
    runtime: Handle,
}

impl Writer {
    /// Starts the writer on a thread of its own. No write begins in a group that has run for `max_group_time`.
    pub fn start(
        conn: SqliteConnection,
        statements: &'static Statements,
        max_group_time: Duration,
    ) -> Result<Self, StoreError> {
        let cannot = |error: std::io::Error| StoreError::Unavailable(format!("the writer's thread: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(cannot)?;
        let (requests, receive) = mpsc::channel(QUEUE);
        let writer = Self { requests, runtime: runtime.handle().clone() };
        let run = move || runtime.block_on(serve(Box::new(conn), statements, receive, max_group_time));
        std::thread::Builder::new().name("sqlite-writer".into()).spawn(run).map_err(cannot)?;
        Ok(writer)
    }

    /// Begins a write: waits for its turn and for the connection.
    pub async fn begin(&self, workspace: Id, access: Option<AccessQuery>) -> Begun {
        let (asked, (reply, begun)) = (Instant::now(), oneshot::channel());
        self.send(Request::Lease { workspace, access, reply })?;
        let begun = begun.await.map_err(|_| queue_full())?;
        record_wait("writes", asked);
        begun
    }

    /// Inserts the audit and outbox rows of a read, and returns after the commit.
    pub async fn insert(&self, rows: BulkRows) -> Result<(), StoreError> {
        let (reply, inserted) = oneshot::channel();
        self.send(Request::Rows(WaitingRows { rows, reply }))?;
        inserted.await.map_err(|_| queue_full())?
    }

    /// Runs a task on the writer's thread, where none of its statements waits until another thread wakes.
    pub fn spawn<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        self.runtime.spawn(task)
    }

    fn send(&self, request: Request) -> Result<(), StoreError> {
        self.requests.try_send(request).map_err(|_| queue_full())
    }
}

/// The requests that wait, in turn by workspace.
struct Waiting {
    requests: mpsc::Receiver<Request>,
    queue: FairQueue<Request>,
}

impl Waiting {
    /// Waits for the next request; `None` after the last sender was dropped.
    async fn next(&mut self) -> Option<Request> {
        match self.try_next() {
            None => self.requests.recv().await,
            request => request,
        }
    }

    /// The next request that has already arrived.
    fn try_next(&mut self) -> Option<Request> {
        while let Ok(request) = self.requests.try_recv() {
            if let Err(refused) = self.queue.push(request.workspace(), request) {
                refused.refuse();
            }
        }
        self.queue.pop()
    }
}

/// Serves requests until the last sender is dropped.
async fn serve(
    mut conn: Box<SqliteConnection>,
    statements: &'static Statements,
    requests: mpsc::Receiver<Request>,
    max_group_time: Duration,
) {
    let mut waiting = Waiting { requests, queue: FairQueue::new(MAX_WAITING_PER_WORKSPACE) };
    while let Some(first) = waiting.next().await {
        let mut group = Group::new(statements);
        let (began, mut next) = (Instant::now(), Some(first));
        while let Some(request) = next {
            // A lease returns its connection however it ends; without it nothing can be written.
            let Some(returned) = group.serve(conn, request).await else { return };
            conn = returned;
            let goes_on = !group.has_failed() && began.elapsed() < max_group_time;
            next = if goes_on { waiting.try_next() } else { None };
        }
        group.commit(&mut conn).await;
    }
}

impl Request {
    /// The workspace in whose turn the request is served: for rows of several workspaces, that of the first row.
    fn workspace(&self) -> Id {
        match self {
            Self::Lease { workspace, .. } => *workspace,
            Self::Rows(waiting) => waiting.rows.audit.first().map_or(Id::nil(), |row| row.workspace),
        }
    }

    /// Replies that too many requests of the workspace wait.
    fn refuse(self) {
        let refused = || StoreError::Unavailable("too many writes of this workspace wait".into());
        match self {
            Self::Lease { reply, .. } => drop(reply.send(Err(refused()))),
            Self::Rows(waiting) => drop(waiting.reply.send(Err(refused()))),
        }
    }
}

fn queue_full() -> StoreError {
    StoreError::Unavailable("the writer's queue is full or closed".into())
}

#[cfg(test)]
mod tests;

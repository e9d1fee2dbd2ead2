//! The writing connection while a caller holds it.

use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use crate::backend::{StoreError, bulk_insert::BulkRows};

/// The result of a write's transaction, sent after its group's commit.
pub type Reply = oneshot::Sender<Result<(), StoreError>>;

/// How a caller ends the use of the connection.
pub enum End {
    /// Inserts the rows and keeps the changes.
    Commit(BulkRows, Reply),
    /// Undoes the changes. There is no reply if the lease was dropped.
    Rollback(Option<Reply>),
    /// Undoes the changes and lends the connection again.
    Restart(oneshot::Sender<Lease>),
}

/// The connection on its way back to the writer.
pub struct Returned {
    pub conn: Box<SqliteConnection>,
    pub end: End,
}

/// The writing connection, inside the savepoint of one write. The writer alone begins, commits and rolls back, so that
/// no cancelled caller leaves half of that behind. Dropping the lease rolls back the write.
pub struct Lease(Option<(Box<SqliteConnection>, oneshot::Sender<Returned>)>);

impl Lease {
    /// Lends the connection. The receiver gets it back in any case.
    pub fn new(conn: Box<SqliteConnection>) -> (Self, oneshot::Receiver<Returned>) {
        let (give_back, returned) = oneshot::channel();
        (Self(Some((conn, give_back))), returned)
    }

    /// The connection, for statements.
    pub fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        self.0.as_mut().map(|(conn, _)| &mut **conn).ok_or_else(gone)
    }

    /// Keeps the changes, and returns after the group's commit.
    pub async fn commit(mut self, rows: BulkRows) -> Result<(), StoreError> {
        let (reply, committed) = oneshot::channel();
        self.give_back(End::Commit(rows, reply));
        committed.await.map_err(|_| gone())?
    }

    /// Undoes the changes, and returns after the group's commit: the write may have read what others of the group
    /// wrote.
    pub async fn rollback(mut self) -> Result<(), StoreError> {
        let (reply, committed) = oneshot::channel();
        self.give_back(End::Rollback(Some(reply)));
        committed.await.map_err(|_| gone())?
    }

    /// Undoes the changes. The lease can be used further.
    pub async fn restart(&mut self) -> Result<(), StoreError> {
        let (lend, again) = oneshot::channel();
        self.give_back(End::Restart(lend));
        *self = again.await.map_err(|_| gone())?;
        Ok(())
    }

    fn give_back(&mut self, end: End) {
        if let Some((conn, give_back)) = self.0.take() {
            // The writer ends only after it has the connection.
            drop(give_back.send(Returned { conn, end }));
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.give_back(End::Rollback(None));
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the group of this write has failed".into())
}

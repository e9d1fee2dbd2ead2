//! PostgreSQL: runs a write job in a transaction, from its begin to its commit.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use sqlx::PgConnection;
use tokio::sync::mpsc;
use toolcrib_model::Id;

use super::{PgPools, PgTx};
use crate::backend::{
    StoreError, Tx, WriteTx, bulk_insert,
    db::{JobFuture, opening_failed},
    pool::Pool,
    select::{SelectRows, Statement},
    sqlite::{self, WriterMessage},
    statements::{Opening, OpeningRow, Statements},
    transaction::Backend,
};

/// The PostgreSQL side of [`crate::Db`].
#[derive(Clone, Debug)]
pub struct PgDb {
    pub pools: PgPools,
    pub audit: mpsc::Sender<WriterMessage>,
    pub statements: &'static Statements,
}

impl PgDb {
    /// Begins a transaction with an opening SELECT and further statements, in one round trip.
    pub async fn begin(
        &self,
        pool: &Pool<PgConnection>,
        workspace: Id,
        opening: Opening,
        write: bool,
        statements: &[&Statement],
    ) -> Result<(Tx, Option<OpeningRow>, Vec<SelectRows>), StoreError> {
        let select = self.statements.open_pg(workspace, opening)?;
        let begun = PgTx::begin_with(pool, workspace, write, &select, statements).await;
        let (tx, rows) = begun.map_err(|error| match error {
            // The opening SELECT waits for no lock.
            StoreError::Timeout => error,
            error => opening_failed(error),
        })?;
        let mut rows = rows.into_iter();
        let row = rows.next().into_iter().flatten().next().map(OpeningRow::Pg);
        Ok((Tx::new(Backend::Pg(tx), workspace), row, rows.map(SelectRows::Pg).collect()))
    }

    /// Runs an opening SELECT without a transaction for further statements.
    pub async fn select_opening(
        &self,
        workspace: Id,
        opening: Opening,
    ) -> Result<Option<OpeningRow>, StoreError> {
        let select = self.statements.open_pg(workspace, opening)?;
        let rows = PgTx::select_once(&self.pools.reads, workspace, &select).await.map_err(opening_failed)?;
        Ok(rows.into_iter().next().map(OpeningRow::Pg))
    }
}

/// Runs `job` and commits its changes with its rows; see [`crate::Db::write`].
pub async fn run<T, E, F>(mut tx: WriteTx, limit: Duration, job: F) -> Result<T, E>
where
    E: From<StoreError>,
    F: for<'t> FnOnce(&'t mut WriteTx) -> JobFuture<'t, T, E>,
{
    // A panic or a time-out drops the transaction here, which closes its connection.
    let ended = tokio::time::timeout(limit, AssertUnwindSafe(job(&mut tx)).catch_unwind()).await;
    let ended = ended.map_err(|_| StoreError::Timeout)?.map_err(|_| sqlite::panicked())?;
    let Tx { backend, rows, .. } = tx.0;
    match (backend, ended) {
        (Backend::Pg(pg), _) if pg.refuted => {
            pg.end("ROLLBACK").await?;
            Err(StoreError::WrongAssumption.into())
        }
        (Backend::Pg(pg), Ok(answer)) => {
            let rows = bulk_insert::pg_rows(&rows)?;
            pg.commit(&rows).await.map_err(commit_error)?;
            Ok(answer)
        }
        (Backend::Pg(pg), Err(error)) => {
            pg.end("ROLLBACK").await?;
            Err(error)
        }
        (_, ended) => ended,
    }
}

/// The error of a failed commit: [`StoreError::NotCommitted`] if the server refused it, [`StoreError::InDoubt`] if the
/// server did not answer.
fn commit_error(error: StoreError) -> StoreError {
    match error {
        StoreError::Unavailable(error) => StoreError::InDoubt(error),
        StoreError::InDoubt(_) | StoreError::NotCommitted(_) | StoreError::WrongAssumption => error,
        error => StoreError::NotCommitted(error.to_string()),
    }
}

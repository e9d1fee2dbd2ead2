//! The first message of a transaction.

use sqlx::{PgConnection, postgres::PgRow};
use toolcrib_model::Id;

use super::{PgTx, set_workspace};
use crate::backend::{
    StoreError,
    pool::{Pool, PoolConnection},
    select::Statement,
};

impl PgTx {
    /// Begins a transaction on `workspace`.
    pub async fn begin(pool: &Pool<PgConnection>, workspace: Id, write: bool) -> Result<Self, StoreError> {
        Ok(Self::begin_with(pool, workspace, write, "", &[]).await?.0)
    }

    /// Begins a transaction on `workspace`, and runs an opening SELECT and further statements in the same round trip. Returns
    /// the rows of each of them.
    pub async fn begin_with(
        pool: &Pool<PgConnection>,
        workspace: Id,
        write: bool,
        opening: &str,
        statements: &[&Statement],
    ) -> Result<(Self, Vec<Vec<PgRow>>), StoreError> {
        let begin = if write { "BEGIN; " } else { "BEGIN READ ONLY; " };
        pool.begin(workspace, |conn| Self::begun(conn, workspace, [begin, opening], statements)).await?
    }

    /// Runs one SELECT on `workspace` in one round trip: the statements of one message are a transaction.
    pub async fn select_once(
        pool: &Pool<PgConnection>,
        workspace: Id,
        select: &str,
    ) -> Result<Vec<PgRow>, StoreError> {
        let (tx, rows) =
            pool.begin(workspace, |conn| Self::begun(conn, workspace, ["", select], &[])).await??;
        tx.conn.release();
        Ok(rows.into_iter().flatten().collect())
    }

    /// Sends the first message. Returns the rows of the opening SELECT, if it is not empty, and of each of `statements`. The
    /// inner error is one that another connection would get too.
    async fn begun(
        conn: PoolConnection<PgConnection>,
        workspace: Id,
        [begin, opening]: [&str; 2],
        statements: &[&Statement],
    ) -> Result<Result<(Self, Vec<Vec<PgRow>>), StoreError>, StoreError> {
        let before = if conn.in_read_transaction() { "COMMIT; " } else { "" };
        let mut tx = Self::new(conn);
        let (set, text) = (set_workspace(workspace), tx.text_of(workspace, statements).await?);
        let number = usize::from(!opening.is_empty()) + statements.len();
        match tx.send(&format!("{before}{begin}{set}{opening}{text}"), number).await {
            Ok(results) => Ok(Ok((tx, results.into_iter().map(|(rows, _)| rows).collect()))),
            Err(StoreError::Timeout) => Ok(Err(StoreError::Timeout)),
            Err(error) => Err(error),
        }
    }
}

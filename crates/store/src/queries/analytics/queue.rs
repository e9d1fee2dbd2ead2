//! The numbers of queued and running executions, now and at earlier hours. Earlier numbers are computed from
//! the times at which executions were requested, started and finished; no samples are stored.

use sqlx::FromRow;

use crate::{
    backend::{StoreError, Tx},
    tables::executions::ExecutionRow,
};

/// The numbers of executions that have not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Open {
    pub queued: i64,
    pub running: i64,
}

/// The numbers of executions at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct HourDepth {
    /// The moment, in microseconds.
    pub mark: i64,
    pub queued: i64,
    pub running: i64,
}

/// Counts the executions that are queued or running now.
pub async fn open(tx: &mut Tx) -> Result<Open, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) FILTER (WHERE status = 'queued') AS BIGINT) AS queued, \
        CAST(COUNT(*) FILTER (WHERE status = 'running') AS BIGINT) AS running \
        FROM executions WHERE workspace_id = $1 AND status IN ('queued', 'running')";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_one(c).await)
}

/// Returns the execution that has been queued longest.
pub async fn oldest_queued(tx: &mut Tx) -> Result<Option<ExecutionRow>, StoreError> {
    // The subquery makes both databases use the index by status, so that they don't scan ended executions.
    const SQL: &str = select!(executions
        " FROM executions WHERE workspace_id = $1 AND status = 'queued' AND created_at = \
        (SELECT MIN(created_at) FROM executions WHERE workspace_id = $1 AND status = 'queued') ORDER BY id LIMIT 1");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)
}

/// Returns the time at which the workspace's first execution was requested, in microseconds.
pub async fn first_execution(tx: &mut Tx) -> Result<Option<i64>, StoreError> {
    const SQL: &str = "SELECT MIN(created_at) FROM executions WHERE workspace_id = $1";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Returns the numbers at each hour from `first` to `last` (in microseconds, both inclusive), in order.
pub async fn hourly(tx: &mut Tx, first: i64, last: i64) -> Result<Vec<HourDepth>, StoreError> {
    const SQL: &str = "WITH RECURSIVE hours(mark) AS (SELECT CAST($2 AS BIGINT) \
            UNION ALL SELECT mark + 3600000000 FROM hours WHERE mark < $3), \
        runs AS (SELECT created_at, started_at, finished_at FROM executions \
            WHERE workspace_id = $1 AND finished_at > $2 \
            UNION ALL SELECT created_at, started_at, finished_at FROM executions \
            WHERE workspace_id = $1 AND status IN ('queued', 'running')) \
        SELECT h.mark, CAST(COUNT(*) FILTER (WHERE r.created_at <= h.mark \
            AND (r.started_at IS NULL OR r.started_at > h.mark)) AS BIGINT) AS queued, \
        CAST(COUNT(*) FILTER (WHERE r.started_at <= h.mark) AS BIGINT) AS running \
        FROM hours h LEFT JOIN runs r ON r.created_at <= h.mark AND (r.finished_at IS NULL OR r.finished_at > h.mark) \
        GROUP BY h.mark ORDER BY h.mark";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(first).bind(last)
        .fetch_all(c).await)
}

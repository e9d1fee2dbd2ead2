//! Executions that ended: how, how long they took, what they cost. A span asks when they ended.

use sqlx::FromRow;

use super::Span;
use crate::backend::{StoreError, Tx};

/// How executions ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Outcomes {
    /// Those that went well.
    pub completed: i64,
    /// Those that went wrong.
    pub failed: i64,
    /// Those that were stopped.
    pub cancelled: i64,
}

/// How long completed executions took, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Took {
    /// Completed executions whose beginning is known.
    pub samples: i64,
    /// All their time.
    pub total: i64,
    /// The middle one, or the one before the middle.
    pub low: Option<i64>,
    /// The middle one, or the one behind the middle.
    pub high: Option<i64>,
    /// The shortest time that at least 95 in 100 did not exceed.
    pub p95: Option<i64>,
}

/// What the executions of a day cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct DayCost {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// Whether they ended in the span's second half.
    pub late: bool,
    /// Executions with model calls.
    pub samples: i64,
    /// Executions without any.
    pub no_calls: i64,
    /// The cost of the calls, in millionths of a dollar.
    pub cost_microusd: i64,
}

/// How the executions of the span ended.
pub async fn outcomes(tx: &mut Tx, span: Span) -> Result<Outcomes, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) FILTER (WHERE status = 'completed') AS BIGINT) AS completed, \
        CAST(COUNT(*) FILTER (WHERE status = 'failed') AS BIGINT) AS failed, \
        CAST(COUNT(*) FILTER (WHERE status = 'cancelled') AS BIGINT) AS cancelled \
        FROM executions WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3";
    Ok(within!(tx, span, SQL, fetch_one)?)
}

/// How long the completed executions of the span took.
pub async fn took(tx: &mut Tx, span: Span) -> Result<Took, StoreError> {
    const SQL: &str = "WITH runs AS (SELECT finished_at - started_at AS took FROM executions \
            WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3 \
            AND status = 'completed' AND started_at IS NOT NULL), \
        placed AS (SELECT took, ROW_NUMBER() OVER (ORDER BY took) AS place, COUNT(*) OVER () AS among FROM runs) \
        SELECT CAST(COUNT(*) AS BIGINT) AS samples, CAST(COALESCE(SUM(took), 0) AS BIGINT) AS total, \
        MAX(CASE WHEN place = (among + 1) / 2 THEN took END) AS low, \
        MAX(CASE WHEN place = among / 2 + 1 THEN took END) AS high, \
        MAX(CASE WHEN place = (among * 95 + 99) / 100 THEN took END) AS p95 FROM placed";
    Ok(within!(tx, span, SQL, fetch_one)?)
}

/// How many of the completed executions of the span took at most so many microseconds.
pub async fn took_at_most(tx: &mut Tx, span: Span, most: i64) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM executions \
        WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3 \
        AND status = 'completed' AND started_at IS NOT NULL AND finished_at - started_at <= $4";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(span.from).bind(span.until).bind(most)
        .fetch_one(c).await)?,
    )
}

/// What the executions of the span cost, by day and by half: before `middle` (microseconds) or not. In order; days
/// without any are left out.
pub async fn costs(tx: &mut Tx, span: Span, middle: i64) -> Result<Vec<DayCost>, StoreError> {
    const SQL: &str = "SELECT day, late, CAST(COUNT(*) FILTER (WHERE calls > 0) AS BIGINT) AS samples, \
        CAST(COUNT(*) FILTER (WHERE calls = 0) AS BIGINT) AS no_calls, \
        CAST(COALESCE(SUM(cost), 0) AS BIGINT) AS cost_microusd FROM ( \
            SELECT finished_at / 86400000000 AS day, finished_at >= $4 AS late, (SELECT COUNT(*) FROM llm_usage u \
                WHERE u.workspace_id = $1 AND u.execution_id = e.id) AS calls, (SELECT SUM(cost_microusd) FROM llm_usage u \
                WHERE u.workspace_id = $1 AND u.execution_id = e.id) AS cost FROM executions e \
            WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3 \
        ) runs GROUP BY day, late ORDER BY day, late";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until).bind(middle)
        .fetch_all(c).await)?,
    )
}

//! Outcomes, durations and costs of ended executions. An execution belongs to the span in which it ended.

use sqlx::FromRow;

use super::{
    Span,
    sorted::{medians, nth, sorted},
};
use crate::backend::{StoreError, Tx};

/// The numbers of ended executions by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Outcomes {
    pub completed: i64,
    pub failed: i64,
    pub cancelled: i64,
}

/// The durations of completed executions, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Durations {
    /// The number of completed executions with a known start.
    pub samples: i64,
    /// The number of those with a duration of at most `most`.
    pub at_most: i64,
    pub total: i64,
    /// The lower median.
    pub low: Option<i64>,
    /// The upper median.
    pub high: Option<i64>,
    /// The 95th percentile: the shortest duration that at least 95 % do not exceed.
    pub p95: Option<i64>,
}

/// The cost of the executions of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct DayCost {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// Whether the executions ended in the second part of the span.
    pub late: bool,
    /// The number of executions with model calls.
    pub samples: i64,
    /// The number of executions without model calls.
    pub no_calls: i64,
    /// The cost of the calls, in millionths of a dollar.
    pub cost_microusd: i64,
}

/// Counts the executions of the span by outcome.
pub async fn outcomes(tx: &mut Tx, span: Span) -> Result<Outcomes, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) FILTER (WHERE status = 'completed') AS BIGINT) AS completed, \
        CAST(COUNT(*) FILTER (WHERE status = 'failed') AS BIGINT) AS failed, \
        CAST(COUNT(*) FILTER (WHERE status = 'cancelled') AS BIGINT) AS cancelled \
        FROM executions WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until)
        .fetch_one(c).await)
}

/// Returns the durations of the completed executions of the span, and how many of them are at most `most` microseconds.
pub async fn durations(tx: &mut Tx, span: Span, most: i64) -> Result<Durations, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            concat!(
                "WITH runs AS (SELECT finished_at - started_at AS took FROM executions \
                    WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3 \
                    AND status = 'completed' AND started_at IS NOT NULL), \
                 whole AS MATERIALIZED (SELECT CAST(COUNT(*) AS BIGINT) AS samples, \
                    CAST(COUNT(*) FILTER (WHERE took <= $4) AS BIGINT) AS at_most, \
                    CAST(COALESCE(SUM(took), 0) AS BIGINT) AS total, ",
                sorted!($database),
                " AS durations FROM runs) SELECT samples, at_most, total, ",
                medians!($database, "samples"),
                ", ",
                nth!($database, "(samples * 95 + 99) / 100"),
                " AS p95 FROM whole"
            )
        };
    }
    let sql = tx.sql(sql!(sqlite), sql!(pg));
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(span.from).bind(span.until)
        .bind(most).fetch_one(c).await)
}

/// Returns the cost of the span's executions by day and by part of the span: before or after `middle` (in
/// microseconds). In order; days without executions are omitted.
pub async fn costs(tx: &mut Tx, span: Span, middle: i64) -> Result<Vec<DayCost>, StoreError> {
    // Each call has a cost, so that an execution without a cost had no calls.
    const SQL: &str = "WITH runs AS MATERIALIZED (SELECT finished_at / 86400000000 AS day, finished_at >= $4 AS late, \
            (SELECT CAST(SUM(cost_microusd) AS BIGINT) FROM llm_usage u \
                WHERE u.workspace_id = $1 AND u.execution_id = e.id) AS cost FROM executions e \
            WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3) \
        SELECT day, late, CAST(COUNT(cost) AS BIGINT) AS samples, CAST(COUNT(*) - COUNT(cost) AS BIGINT) AS no_calls, \
        CAST(COALESCE(SUM(cost), 0) AS BIGINT) AS cost_microusd FROM runs GROUP BY day, late ORDER BY day, late";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until)
        .bind(middle).fetch_all(c).await)
}

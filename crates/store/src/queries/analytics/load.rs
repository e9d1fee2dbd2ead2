//! The load over time: model calls and starts of executions.

use sqlx::FromRow;

use super::{
    Span,
    totals::{bind_parts, by_quarter, calls, quarters},
};
use crate::backend::{StoreError, Tx};

/// The load of a quarter of an hour, from which callers compute the hours of any time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Quarter {
    /// Quarters of an hour since 1970-01-01T00:00Z.
    pub quarter: i64,
    pub calls: i64,
    /// The number of executions that started.
    pub starts: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct HourCalls {
    /// Hours since 1970-01-01T00:00Z.
    pub hour: i64,
    pub calls: i64,
}

/// Returns the load of each quarter of an hour. Quarters without any load are omitted.
pub async fn quarters(tx: &mut Tx, span: Span) -> Result<Vec<Quarter>, StoreError> {
    const SQL: &str = concat!(
        "SELECT quarter, CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(starts) AS BIGINT) AS starts FROM ( \
            SELECT quarter, calls, 0 AS starts FROM ",
        quarters!(),
        " UNION ALL SELECT started_at / 900000000, 0, COUNT(*) FROM executions \
            WHERE workspace_id = $1 AND started_at >= $4 AND started_at < $7 GROUP BY 1) begun GROUP BY quarter"
    );
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_quarter(span))
        .fetch_all(c).await)
}

/// Returns the full hour (UTC) with the most model calls, the first one of equals, or `None` if there were no
/// calls.
pub async fn busiest_hour(tx: &mut Tx, span: Span) -> Result<Option<HourCalls>, StoreError> {
    const SQL: &str = concat!(
        "SELECT quarter / 4 AS hour, CAST(SUM(calls) AS BIGINT) AS calls FROM ",
        quarters!(),
        " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
    );
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_quarter(span))
        .fetch_optional(c).await)
}

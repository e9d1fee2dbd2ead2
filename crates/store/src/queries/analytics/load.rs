//! When there is much to do.

use sqlx::FromRow;

use super::Span;
use crate::backend::{StoreError, Tx};

/// What began in a quarter of an hour: every time zone's hours are made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Quarter {
    /// Quarters of an hour since 1970-01-01T00:00Z.
    pub quarter: i64,
    /// Model calls.
    pub calls: i64,
    /// Executions that began.
    pub starts: i64,
}

/// The model calls of an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct HourCalls {
    /// Hours since 1970-01-01T00:00Z.
    pub hour: i64,
    /// Model calls.
    pub calls: i64,
}

/// What began in each quarter of an hour; those in which nothing began are left out.
pub async fn quarters(tx: &mut Tx, span: Span) -> Result<Vec<Quarter>, StoreError> {
    const SQL: &str = "SELECT quarter, CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(starts) AS BIGINT) AS starts FROM ( \
            SELECT occurred_at / 900000000 AS quarter, COUNT(*) AS calls, 0 AS starts FROM llm_usage \
            WHERE workspace_id = $1 AND occurred_at >= $2 AND occurred_at < $3 GROUP BY 1 \
            UNION ALL SELECT started_at / 900000000, 0, COUNT(*) FROM executions \
            WHERE workspace_id = $1 AND started_at >= $2 AND started_at < $3 GROUP BY 1 \
        ) begun GROUP BY quarter";
    Ok(within!(tx, span, SQL, fetch_all)?)
}

/// The full hour (UTC) with the most model calls, the first of equals; `None` where there were none.
pub async fn busiest_hour(tx: &mut Tx, span: Span) -> Result<Option<HourCalls>, StoreError> {
    const SQL: &str = "SELECT occurred_at / 3600000000 AS hour, CAST(COUNT(*) AS BIGINT) AS calls FROM llm_usage \
        WHERE workspace_id = $1 AND occurred_at >= $2 AND occurred_at < $3 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1";
    Ok(within!(tx, span, SQL, fetch_optional)?)
}

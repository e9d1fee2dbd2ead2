//! Counts of calls, and of rows, by one of their columns.

use sqlx::AssertSqlSafe;
use toolcrib_model::{Id, Ts};

use super::{AuditColumn, AuditFilter, bind, calls};
use crate::backend::{StoreError, Tx};

const HOUR: i64 = 3_600_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Each call once, by its end, at the time of its first row.
    Calls,
    Rows,
}

impl Counted {
    const fn matches(self) -> &'static str {
        match self {
            Self::Calls => calls::MATCHES,
            Self::Rows => super::MATCHES,
        }
    }

    const fn expression(self, by: AuditColumn) -> &'static str {
        match (self, by) {
            (Self::Calls, AuditColumn::Decision) => calls::DECISION,
            (Self::Calls, AuditColumn::Outcome) => calls::OUTCOME,
            (Self::Calls, AuditColumn::Reason) => calls::REASON,
            _ => by.expression(),
        }
    }
}

/// Counts what matches by each value of `by`, most frequent first, at most 1,000 values; hours are in order of time,
/// and the last 1,000 are returned. The value of a principal, user or confirmation is its id; the value of an hour is
/// the RFC 3339 time at which it begins. What has no value is not counted.
pub async fn counts(
    tx: &mut Tx,
    filter: &AuditFilter,
    by: AuditColumn,
    of: Counted,
) -> Result<Vec<(String, i64)>, StoreError> {
    match by {
        AuditColumn::Principal | AuditColumn::User | AuditColumn::Confirmation => {
            let found: Vec<(Id, i64)> = count(tx, filter, by, of, "n DESC, value").await?;
            Ok(found.into_iter().map(|(id, n)| (id.to_string(), n)).collect())
        }
        AuditColumn::Hour => {
            let found: Vec<(i64, i64)> = count(tx, filter, by, of, "value DESC").await?;
            Ok(found
                .into_iter()
                .rev()
                .map(|(hour, n)| (Ts::from_micros(hour.saturating_mul(HOUR)).to_string(), n))
                .collect())
        }
        _ => count(tx, filter, by, of, "n DESC, value").await,
    }
}

async fn count<T>(
    tx: &mut Tx,
    filter: &AuditFilter,
    by: AuditColumn,
    of: Counted,
    order: &'static str,
) -> Result<Vec<(T, i64)>, StoreError>
where
    T: Send + Unpin,
    T: for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    let (expression, matches) = (of.expression(by), of.matches());
    let sql = format!(
        "SELECT value, CAST(COUNT(*) AS BIGINT) AS n FROM (SELECT {expression} AS value FROM action_log \
         WHERE workspace_id = $1 AND {matches}) counted WHERE value IS NOT NULL GROUP BY value ORDER BY {order} LIMIT 1000"
    );
    with_backend!(tx, workspace, c => bind!(sqlx::query_as(AssertSqlSafe(sql)), workspace, filter)
        .fetch_all(c).await)
}

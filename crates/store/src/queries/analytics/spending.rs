//! The number, tokens and costs of model calls.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::{
    Span,
    totals::{bind_parts, by_day, by_quarter, calls, days, quarters},
};
use crate::{
    backend::{StoreError, Tx},
    tables::llm_usage::UsageTotals,
};

/// Selects the columns of [`UsageTotals`].
macro_rules! sums {
    () => {
        "CAST(COALESCE(SUM(calls), 0) AS BIGINT) AS samples, \
         CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
         CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens, \
         CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens"
    };
}

#[derive(Clone, Debug, FromRow)]
pub struct ModelUse {
    pub model: String,
    pub provider: String,
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

#[derive(Clone, Debug, FromRow)]
pub struct AgentUse {
    /// The agent's id; `None` for calls without an agent.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` without an agent and if it no longer exists.
    pub name: Option<String>,
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

#[derive(Clone, Debug, FromRow)]
pub struct DayUse {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

pub async fn used(tx: &mut Tx, span: Span) -> Result<UsageTotals, StoreError> {
    const SQL: &str = concat!("SELECT ", sums!(), " FROM ", quarters!());
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_quarter(span))
        .fetch_one(c).await)
}

/// Returns the usage by model and provider.
pub async fn used_by_model(tx: &mut Tx, span: Span) -> Result<Vec<ModelUse>, StoreError> {
    const SQL: &str =
        concat!("SELECT model, provider, ", sums!(), " FROM ", quarters!(), " GROUP BY model, provider");
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_quarter(span))
        .fetch_all(c).await)
}

pub async fn used_by_agent(tx: &mut Tx, span: Span) -> Result<Vec<AgentUse>, StoreError> {
    const SQL: &str = concat!(
        "SELECT u.*, a.name FROM (SELECT agent_id, ",
        sums!(),
        " FROM ",
        days!(),
        " GROUP BY agent_id) u LEFT JOIN agents a ON a.workspace_id = $1 AND a.id = u.agent_id"
    );
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_day(span))
        .bind(Id::nil()).fetch_all(c).await)
}

/// Returns the usage by day, in order. Days without calls are omitted.
pub async fn used_by_day(tx: &mut Tx, span: Span) -> Result<Vec<DayUse>, StoreError> {
    const SQL: &str =
        concat!("SELECT quarter / 96 AS day, ", sums!(), " FROM ", quarters!(), " GROUP BY 1 ORDER BY 1");
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_quarter(span))
        .fetch_all(c).await)
}

/// Divides the span into periods of 24 hours, backwards from its end, and counts those with calls.
pub async fn days_with_calls(tx: &mut Tx, span: Span) -> Result<i64, StoreError> {
    // One lower bound for each period: with two, PostgreSQL begins the index at the span's.
    const SQL: &str = "WITH RECURSIVE periods(until) AS (SELECT CAST($3 AS BIGINT) \
            UNION ALL SELECT until - 86400000000 FROM periods WHERE until - 86400000000 > $2) \
        SELECT CAST(COUNT((SELECT 1 FROM llm_usage WHERE workspace_id = $1 AND occurred_at < until AND occurred_at >= \
            CASE WHEN until - 86400000000 > $2 THEN until - 86400000000 ELSE $2 END LIMIT 1)) AS BIGINT) FROM periods";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(span.from)
        .bind(span.until).fetch_one(c).await)
}

//! The number, tokens and costs of model calls.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::{
    Span,
    totals::{by_day, by_quarter, calls, days, quarters},
};
use crate::{backend::Select, tables::llm_usage::UsageTotals};

/// Selects the columns of [`UsageTotals`].
macro_rules! sums {
    () => {
        "CAST(COALESCE(SUM(calls), 0) AS BIGINT) AS samples, \
         CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
         CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens, \
         CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens"
    };
}

/// The usage of one model.
#[derive(Clone, Debug, FromRow)]
pub struct ModelUse {
    pub model: String,
    pub provider: String,
    /// The number of calls, tokens and costs.
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

/// The usage of one agent.
#[derive(Clone, Debug, FromRow)]
pub struct AgentUse {
    /// The agent's id; `None` for calls without an agent.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` without an agent and if it no longer exists.
    pub name: Option<String>,
    /// The number of calls, tokens and costs.
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

/// The usage of one day.
#[derive(Clone, Debug, FromRow)]
pub struct DayUse {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// The number of calls, tokens and costs.
    #[sqlx(flatten)]
    pub spent: UsageTotals,
}

/// Returns the usage of the span.
pub fn used(span: Span) -> Select<UsageTotals> {
    const SQL: &str = concat!("SELECT ", sums!(), " FROM ", quarters!());
    Select::one(SQL, by_quarter(span))
}

/// Returns the usage by model and provider.
pub fn used_by_model(span: Span) -> Select<Vec<ModelUse>> {
    const SQL: &str =
        concat!("SELECT model, provider, ", sums!(), " FROM ", quarters!(), " GROUP BY model, provider");
    Select::all(SQL, by_quarter(span))
}

/// Returns the usage by agent.
pub fn used_by_agent(span: Span) -> Select<Vec<AgentUse>> {
    const SQL: &str = concat!(
        "SELECT u.*, a.name FROM (SELECT agent_id, ",
        sums!(),
        " FROM ",
        days!(),
        " GROUP BY agent_id) u LEFT JOIN agents a ON a.workspace_id = $1 AND a.id = u.agent_id"
    );
    Select::all(SQL, by_day(span))
}

/// Returns the usage by day, in order. Days without calls are omitted.
pub fn used_by_day(span: Span) -> Select<Vec<DayUse>> {
    const SQL: &str =
        concat!("SELECT quarter / 96 AS day, ", sums!(), " FROM ", quarters!(), " GROUP BY 1 ORDER BY 1");
    Select::all(SQL, by_quarter(span))
}

/// Divides the span into periods of 24 hours, backwards from its end, and counts those with calls.
pub fn days_with_calls(span: Span) -> Select<i64> {
    // One lower bound for each period: with two, PostgreSQL begins the index at the span's.
    const SQL: &str = "WITH RECURSIVE periods(until) AS (SELECT CAST($3 AS BIGINT) \
            UNION ALL SELECT until - 86400000000 FROM periods WHERE until - 86400000000 > $2) \
        SELECT CAST(COUNT((SELECT 1 FROM llm_usage WHERE workspace_id = $1 AND occurred_at < until AND occurred_at >= \
            CASE WHEN until - 86400000000 > $2 THEN until - 86400000000 ELSE $2 END LIMIT 1)) AS BIGINT) FROM periods";
    Select::scalar(SQL, span.values())
}

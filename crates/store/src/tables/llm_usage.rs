//! The table `llm_usage`: tokens and costs of model calls, as the runtimes reported them.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Select, StoreError, WriteTx};

/// A row of `llm_usage`: one model call.
#[derive(Clone, Debug, FromRow)]
pub struct UsageRow {
    /// The id, assigned by the reporter.
    pub id: Id,
    /// When the call was made.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// The agent that made the call.
    pub agent_id: Option<Id>,
    /// The execution of a playbook to which the call belongs.
    pub execution_id: Option<Id>,
    /// The mission to which the call belongs.
    pub mission_id: Option<Id>,
    /// The model.
    pub model: String,
    /// The provider of the model.
    pub provider: String,
    /// The number of input tokens.
    pub input_tokens: i64,
    /// The number of output tokens.
    pub output_tokens: i64,
    /// The cost, in millionths of a dollar.
    pub cost_microusd: i64,
}

/// The totals of several model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct UsageTotals {
    /// The number of model calls.
    pub samples: i64,
    /// The total cost, in millionths of a dollar.
    pub cost_microusd: i64,
    /// The number of input tokens.
    pub input_tokens: i64,
    /// The number of output tokens.
    pub output_tokens: i64,
}

/// Returns the totals of a mission.
pub fn of_mission(mission: Id) -> Select<UsageTotals> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS samples, \
        CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
        CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens, \
        CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens \
        FROM llm_usage WHERE workspace_id = $1 AND mission_id = $2";
    Select::one(SQL, values![mission])
}

/// Locks the workspace's totals until the end of the transaction, which must come before the first of several inserts: each
/// changes the totals of its quarter of an hour and of its agent's day, and two transactions would wait for each other.
pub async fn lock_totals(tx: &mut WriteTx) -> Result<(), StoreError> {
    tx.lock("llm_usage").await
}

/// Inserts a model call. Returns `false` if this id was reported before.
pub async fn insert(tx: &mut WriteTx, row: &UsageRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO llm_usage (workspace_id, id, occurred_at, agent_id, execution_id, mission_id, model, \
        provider, input_tokens, output_tokens, cost_microusd) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (workspace_id, id) DO NOTHING";
    let workspace = tx.workspace;
    let added = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.occurred_at.as_micros())
        .bind(row.agent_id).bind(row.execution_id).bind(row.mission_id).bind(&row.model).bind(&row.provider)
        .bind(row.input_tokens).bind(row.output_tokens).bind(row.cost_microusd)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(added == 1)
}

//! What model calls used and cost, as the runtimes reported it.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// One model call.
#[derive(Clone, Debug, FromRow)]
pub struct UsageRow {
    /// The reporter's id of it.
    pub id: Id,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// The agent that made it.
    pub agent_id: Option<Id>,
    /// The playbook's execution that it was made in.
    pub execution_id: Option<Id>,
    /// The mission that it was made for.
    pub mission_id: Option<Id>,
    /// The model.
    pub model: String,
    /// Who serves the model.
    pub provider: String,
    /// Tokens read.
    pub input_tokens: i64,
    /// Tokens written.
    pub output_tokens: i64,
    /// What it cost, in millionths of a dollar.
    pub cost_microusd: i64,
}

/// What several model calls used together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct UsageTotals {
    /// Model calls.
    pub samples: i64,
    /// What they cost, in millionths of a dollar.
    pub cost_microusd: i64,
    /// Tokens read.
    pub input_tokens: i64,
    /// Tokens written.
    pub output_tokens: i64,
}

/// What was used for a mission.
pub async fn of_mission(tx: &mut Tx, mission: Id) -> Result<UsageTotals, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS samples, \
        CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
        CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens, \
        CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens \
        FROM llm_usage WHERE workspace_id = $1 AND mission_id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(mission).fetch_one(c).await)?)
}

/// Adds a model call; `false` where it is known already.
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

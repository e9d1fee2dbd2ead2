//! The table `llm_usage`: tokens and costs of model calls, as the runtimes reported them.

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx, hex_id, hex_optional_id, json, micros};

/// A row of `llm_usage`: one model call.
#[derive(Clone, Debug, Serialize)]
pub struct UsageRow {
    /// The id, assigned by the reporter.
    #[serde(serialize_with = "hex_id")]
    pub id: Id,
    /// When the call was made.
    #[serde(serialize_with = "micros")]
    pub occurred_at: Ts,
    /// The agent that made the call.
    #[serde(serialize_with = "hex_optional_id")]
    pub agent_id: Option<Id>,
    /// The execution of a playbook to which the call belongs.
    #[serde(serialize_with = "hex_optional_id")]
    pub execution_id: Option<Id>,
    /// The mission to which the call belongs.
    #[serde(serialize_with = "hex_optional_id")]
    pub mission_id: Option<Id>,
    pub model: String,
    pub provider: String,
    pub input_tokens: i64,
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
    pub input_tokens: i64,
    pub output_tokens: i64,
}

pub async fn of_mission(tx: &mut Tx, mission: Id) -> Result<UsageTotals, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS samples, \
        CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
        CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens, \
        CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens \
        FROM llm_usage WHERE workspace_id = $1 AND mission_id = $2";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(mission)
        .fetch_one(c).await)
}

/// Inserts model calls with one statement, and adds them to the totals of their periods. Returns the ids of those that
/// were not reported before.
///
/// A transaction calls this once: rows are inserted in the order of their ids and the totals change in the order of
/// their keys, so that two transactions wait for each other in one direction only.
pub async fn insert(tx: &mut WriteTx, rows: &[UsageRow]) -> Result<Vec<Id>, StoreError> {
    const SQLITE: &str = "INSERT INTO llm_usage (workspace_id, id, occurred_at, agent_id, execution_id, mission_id, model, \
        provider, input_tokens, output_tokens, cost_microusd) SELECT $1, unhex(v->>'id'), v->>'occurred_at', \
        unhex(v->>'agent_id'), unhex(v->>'execution_id'), unhex(v->>'mission_id'), v->>'model', v->>'provider', \
        v->>'input_tokens', v->>'output_tokens', v->>'cost_microusd' FROM (SELECT value AS v FROM json_each($2)) WHERE TRUE \
        ON CONFLICT (workspace_id, id) DO NOTHING RETURNING id";
    const PG: &str = "INSERT INTO llm_usage (workspace_id, id, occurred_at, agent_id, execution_id, mission_id, model, \
        provider, input_tokens, output_tokens, cost_microusd) SELECT $1, v.* FROM json_to_recordset(CAST($2 AS json)) \
        AS v(id UUID, occurred_at BIGINT, agent_id UUID, execution_id UUID, mission_id UUID, model TEXT, provider TEXT, \
        input_tokens BIGINT, output_tokens BIGINT, cost_microusd BIGINT) ORDER BY v.id \
        ON CONFLICT (workspace_id, id) DO NOTHING RETURNING id";
    let (workspace, rows) = (tx.workspace, json(rows)?);
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, c => sqlx::query_scalar(sql).bind(workspace).bind(rows).fetch_all(c).await)
}

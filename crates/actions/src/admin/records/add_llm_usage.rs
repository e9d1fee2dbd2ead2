//! Reports model calls.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_engine::prelude::*;
use toolcrib_store::{agents, llm_usage, llm_usage::UsageRow};

use super::{
    SCOPE,
    batch::{self, Batch, Recorded},
};

pub struct AddLlmUsage;

/// One model call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time of creation.
    pub at: Ts,
    /// Agent that made the call.
    pub agent_id: Option<Id>,
    /// Execution of the call.
    pub execution_id: Option<Id>,
    /// Mission of the call.
    pub mission_id: Option<Id>,
    /// The model.
    pub model: String,
    /// Provider of the model.
    pub provider: String,
    /// Tokens read.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub input_tokens: i64,
    /// Tokens written.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub output_tokens: i64,
    /// Cost in millionths of a US dollar.
    #[schemars(range(min = 0, max = 1_000_000_000_000_i64))]
    pub cost_microusd: i64,
}

impl From<Usage> for UsageRow {
    fn from(usage: Usage) -> Self {
        Self {
            id: usage.id,
            occurred_at: usage.at,
            agent_id: usage.agent_id,
            execution_id: usage.execution_id,
            mission_id: usage.mission_id,
            model: usage.model,
            provider: usage.provider,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_microusd: usage.cost_microusd,
        }
    }
}

impl WriteAction for AddLlmUsage {
    type Input = Batch<Usage>;
    type Output = Recorded;

    fn spec() -> Spec {
        Spec::program("records.add_llm_usage", Level::Write, Permission::ANALYTICS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report model calls with their tokens and cost. Records with a known ID are skipped; \
             invalid ones are listed in `rejected`.",
            )
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Batch<Usage>) -> Result<Recorded, ActionError> {
        let (good, mut recorded) = batch::validate::<Usage>(&input.records, cx.now)?;
        let rows: Vec<UsageRow> = good.into_iter().map(|(_, usage)| usage.into()).collect();
        let of: Vec<Id> = rows.iter().filter_map(|row| row.agent_id).collect();
        agents::lock_all(cx.tx, &of).await?;
        let mut new: BTreeSet<Id> = llm_usage::insert(cx.tx, &rows).await?.into_iter().collect();
        recorded.accepted = new.len();
        recorded.duplicates = rows.len() - new.len();

        let mut latest = BTreeMap::<Id, Ts>::new();
        for row in rows.iter().filter(|row| new.remove(&row.id)) {
            if let Some(agent) = row.agent_id {
                let at = latest.entry(agent).or_insert(row.occurred_at);
                *at = row.occurred_at.max(*at);
            }
        }
        for (agent, at) in latest {
            agents::set_last_active(cx.tx, agent, at).await?;
        }
        Ok(recorded)
    }

    fn describe(_: &Batch<Usage>, recorded: &Recorded) -> String {
        recorded.describe()
    }
}

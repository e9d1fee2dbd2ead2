//! Reports model calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, WriteAction, WriteCx};
use toolcrib_model::{Id, Ts};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{agents, llm_usage, llm_usage::UsageRow};

use super::{
    SCOPE,
    batch::{self, Batch, Kept, Record, Recorded, Timed},
};

/// `records.add_llm_usage`.
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

impl Timed for Usage {
    fn at(&self) -> Ts {
        self.at
    }
}

impl Record for Usage {
    fn agent(&self) -> Option<Id> {
        self.agent_id
    }

    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<Kept, ActionError> {
        let row = UsageRow {
            id: self.id,
            occurred_at: self.at,
            agent_id: self.agent_id,
            execution_id: self.execution_id,
            mission_id: self.mission_id,
            model: self.model,
            provider: self.provider,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cost_microusd: self.cost_microusd,
        };
        let new = llm_usage::insert(cx.tx, &row).await?;
        if let Some(agent) = self.agent_id.filter(|_| new) {
            agents::set_last_active(cx.tx, agent, self.at).await?;
        }
        Ok(new.into())
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

    async fn run(cx: &mut WriteCx<'_>, input: &Batch<Usage>) -> Result<Recorded, ActionError> {
        llm_usage::lock_totals(cx.tx).await?;
        batch::add(cx, input).await
    }

    fn describe(_: &Batch<Usage>, recorded: &Recorded) -> String {
        recorded.describe()
    }
}

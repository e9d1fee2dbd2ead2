//! The arguments of `settings.update`.

use toolcrib_access::ApprovalMode;
use toolcrib_engine::prelude::*;
use toolcrib_model::WorkRunner;

use super::view::AssistantBudget;
use crate::shared::{
    limits::{LimitsInput, OpenConfirmationsInput},
    present,
};

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Which calls a person must confirm. Only an owner can choose a weaker mode.
    pub approval_mode: Option<ApprovalMode>,
    /// Whether the approver must be another person than the requester. Only an owner can switch it off.
    pub four_eyes: Option<bool>,
    /// Whether agents of admins keep the role `admin`. Only an owner can switch it on.
    pub agents_inherit_admin: Option<bool>,
    /// Who carries out heartbeats, scheduled tasks, playbooks and missions: programs that read their events, or the assistant, as
    /// whoever set them up. With `internal`, a person confirms each call that sets up such work.
    pub runner: Option<WorkRunner>,
    /// URL template on an allowed host, with `{id}` for the confirmation; null for the page of this service.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1, max = 500), extend("x-nullable" = true))]
    #[expect(clippy::option_option, reason = "left out, null and a text are three wishes")]
    pub approve_url_template: Option<Option<String>>,
    /// Rate limits, in calls per minute. Only a system admin can change them.
    pub limits: Option<LimitsInput>,
    /// Maximum number of open confirmations.
    pub open_confirmations: Option<OpenConfirmationsInput>,
    /// Default model of agents.
    pub default_model: Option<String>,
    /// What the assistant may cost.
    pub assistant_budget: Option<AssistantBudgetInput>,
    /// `version` of the settings that you read. The call is refused if they have changed since.
    pub if_match: Option<String>,
}

/// What the assistant may cost, in millionths of a dollar. An omitted field keeps its value; null is for what the operator
/// allows.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[expect(clippy::option_option, reason = "left out, null and a number are three wishes")]
pub struct AssistantBudgetInput {
    /// One run.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>", range(min = 0, max = 1_000_000_000_000_i64), extend("x-nullable" = true))]
    pub run_microusd: Option<Option<i64>>,
    /// All runs in 24 hours.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>", range(min = 0, max = 1_000_000_000_000_i64), extend("x-nullable" = true))]
    pub day_microusd: Option<Option<i64>>,
    /// Those of these with no person beside them.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>", range(min = 0, max = 1_000_000_000_000_i64), extend("x-nullable" = true))]
    pub background_microusd: Option<Option<i64>>,
}

impl AssistantBudgetInput {
    /// Returns `budget` with the given fields replaced.
    pub fn over(self, budget: AssistantBudget) -> AssistantBudget {
        AssistantBudget {
            run_microusd: self.run_microusd.unwrap_or(budget.run_microusd),
            day_microusd: self.day_microusd.unwrap_or(budget.day_microusd),
            background_microusd: self.background_microusd.unwrap_or(budget.background_microusd),
        }
    }
}

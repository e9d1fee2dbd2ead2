//! Checks an agent against a blueprint.

use toolcrib_engine::prelude::*;
use toolcrib_store::blueprints;

use super::view;
use crate::shared::{
    blueprint::{Rules, SPENDING_DAYS, Verdict},
    refs::{self, Ref},
};

pub struct ValidateAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// ID or exact name. Default: the workspace's default blueprint.
    pub blueprint: Option<Ref>,
}

/// Result of `platform_validate_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the agent.
    pub agent_id: Id,
    /// Name of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: String,
    /// ID of the blueprint.
    pub blueprint_id: Id,
    /// Name of the blueprint.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub blueprint_name: String,
    /// Whether the agent complies with every rule.
    pub passed: bool,
    /// Result of each rule of the blueprint.
    pub rules: Vec<Verdict>,
}

impl ReadAction for ValidateAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_validate_agent", Category::Governance, Permission::GOVERNANCE_READ)
            .describe(
                "Check an agent against a blueprint: each rule with pass or fail and the reason. Changes nothing.",
            )
            .tags(&["blueprint", "rules", "compliance", "agent", "check", "validate"])
            .examples(&["Does the Researcher keep our rules?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let blueprint = match &input.blueprint {
            Some(reference) => view::blueprint(cx.tx, reference).await?,
            None => blueprints::default(cx.tx).await?.ok_or_else(|| {
                ActionError::invalid(
                    "/blueprint",
                    "required",
                    "is required, because this workspace has no default blueprint",
                )
            })?,
        };
        let since = cx.now.plus_days(-SPENDING_DAYS);
        let facts = blueprints::facts(cx.tx, agent.id, since).await?;
        let facts = facts.ok_or_else(|| ActionError::not_found("agent", input.agent.as_str()))?;
        let rules = Rules::parse(&blueprint.rules)?.evaluate(&facts);
        Ok(Output {
            agent_id: agent.id,
            agent_name: agent.name,
            blueprint_id: blueprint.id,
            blueprint_name: blueprint.name,
            passed: rules.iter().all(|verdict| verdict.passed),
            rules,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let broken = output.rules.iter().filter(|verdict| !verdict.passed).count();
        let (agent, blueprint) = (&output.agent_name, &output.blueprint_name);
        match broken {
            0 => format!("Agent `{agent}` complies with the blueprint `{blueprint}`"),
            _ => format!("Agent `{agent}` breaks {} of the blueprint `{blueprint}`", count(broken, "rule")),
        }
    }
}

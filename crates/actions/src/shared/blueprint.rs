//! The rules of a blueprint, and the checks of agents against them.

use serde_json::Value;
use toolcrib_engine::prelude::*;
use toolcrib_model::dollars;
use toolcrib_registry::ArgError;
use toolcrib_store::{
    Tx,
    agents::AgentRow,
    blueprints::{self, AgentFacts},
};

/// The period over which an agent's spend is summed, in days.
pub const SPENDING_DAYS: i64 = 30;

/// Rules for agents; an omitted rule is not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Rules {
    /// Minimum number of connected apps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub min_tools: Option<i64>,
    /// Whether instructions are required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_system_prompt: Option<bool>,
    /// Maximum spend in 30 days, in millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_budget_microusd: Option<i64>,
    /// Required tags, case-insensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 50)))]
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub required_tags: Option<Vec<String>>,
    /// Allowed models.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub allowed_models: Option<Vec<String>>,
}

/// What one rule says about an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    /// The rule's name.
    #[schemars(extend("x-ours" = true))]
    pub rule: &'static str,
    /// Whether the agent passes the rule.
    pub passed: bool,
    /// Reason.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub why: String,
}

impl Rules {
    /// Parses the stored JSON text.
    pub fn parse(text: &str) -> Result<Self, ActionError> {
        serde_json::from_str(text).map_err(|error| ActionError::internal(format!("stored rules: {error}")))
    }

    /// Returns the verdict of every rule that is set.
    pub fn evaluate(&self, agent: &AgentFacts) -> Vec<Verdict> {
        let mut verdicts = self.evaluate_settings(&agent.model, agent.prompted, &agent.tags);
        if let Some(least) = self.min_tools {
            let why = format!("it has {}, and needs {least}", count(agent.tools, "connected app"));
            verdicts.push(Verdict { rule: "min_tools", passed: agent.tools >= least, why });
        }
        if let Some(most) = self.max_budget_microusd {
            let spent = agent.spent_microusd;
            let why = format!("it spent {} of {} in {SPENDING_DAYS} days", dollars(spent), dollars(most));
            verdicts.push(Verdict { rule: "max_budget_microusd", passed: spent <= most, why });
        }
        verdicts
    }

    /// Returns the verdicts of the rules on an agent's own fields.
    fn evaluate_settings(&self, model: &str, prompted: bool, tags: &[String]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        if self.require_system_prompt == Some(true) {
            let why = if prompted { "it has a system prompt" } else { "it has no system prompt" };
            verdicts.push(Verdict { rule: "require_system_prompt", passed: prompted, why: why.to_owned() });
        }
        if let Some(required) = &self.required_tags {
            verdicts.push(evaluate_tags(required, tags));
        }
        if let Some(allowed) = &self.allowed_models {
            let passed = allowed.iter().any(|one| one == model);
            let why = if passed {
                format!("the model `{model}` is allowed")
            } else {
                format!("the model `{model}` is not among {}", quoted(allowed))
            };
            verdicts.push(Verdict { rule: "allowed_models", passed, why });
        }
        verdicts
    }
}

fn evaluate_tags(required: &[String], tags: &[String]) -> Verdict {
    let own: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
    let lacking: Vec<String> =
        required.iter().filter(|tag| !own.contains(&tag.to_lowercase())).cloned().collect();
    let passed = lacking.is_empty();
    let why = if passed {
        "it has every required tag".to_owned()
    } else {
        format!("it lacks the tags {}", quoted(&lacking))
    };
    Verdict { rule: "required_tags", passed, why }
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Returns 422 with every broken rule if an active agent breaks the workspace's default blueprint. Does not
/// check connected apps and spend, which an agent can only have after its creation. `platform_validate_agent`
/// checks them.
pub async fn admit(tx: &mut Tx, agent: &AgentRow) -> Result<(), ActionError> {
    match blueprints::default(tx).await? {
        Some(blueprint) if agent.status == "active" => check(&blueprint.name, &blueprint.rules, agent),
        _ => Ok(()),
    }
}

/// Returns 422 with every rule that an agent's own fields break. `rules` is the blueprint's JSON text.
pub fn check(blueprint: &str, rules: &str, agent: &AgentRow) -> Result<(), ActionError> {
    let rules = Rules::parse(rules)?;
    let prompted = agent.system_prompt.as_deref().is_some_and(|text| !text.trim().is_empty());
    let verdicts = rules.evaluate_settings(&agent.model, prompted, &agent.tags);
    let broken: Vec<ArgError> = verdicts
        .into_iter()
        .filter(|verdict| !verdict.passed)
        .map(|verdict| broken(verdict, agent))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    let rules: Vec<String> = broken.iter().map(|error| format!("`{}`", error.code)).collect();
    let rules = rules.join(", ");
    let detail = format!("agent `{}` would break the blueprint `{blueprint}`: {rules}", agent.name);
    let mut error = ActionError::invalid_all(broken);
    error.detail = detail;
    Err(error.quoting("blueprints").hint("`platform_get_blueprint` shows its rules"))
}

fn broken(verdict: Verdict, agent: &AgentRow) -> ArgError {
    let (pointer, got) = match verdict.rule {
        "require_system_prompt" => ("/system_prompt", None),
        "required_tags" => ("/tags", Some(json!(agent.tags))),
        _ => ("/model", Some(Value::String(agent.model.clone()))),
    };
    ArgError { got, ..ArgError::new(pointer, verdict.rule, verdict.why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_asks_something_says_pass_or_fail_and_why() {
        let agent = AgentFacts {
            agents: 1,
            model: "m1".into(),
            tags: vec!["Blue".into()],
            prompted: false,
            tools: 1,
            spent_microusd: 500,
        };
        let rules = |text: &str| Rules::parse(text).unwrap().evaluate(&agent);
        assert_eq!(rules("{}"), []);
        assert_eq!(rules(r#"{"require_system_prompt": false}"#), []);
        let cases = [
            (r#"{"require_system_prompt": true}"#, false, "it has no system prompt"),
            (r#"{"required_tags": ["BLUE"]}"#, true, "it has every required tag"),
            (r#"{"required_tags": ["blue", "red", "green"]}"#, false, "it lacks the tags `red`, `green`"),
            (r#"{"allowed_models": ["m2", "m1"]}"#, true, "the model `m1` is allowed"),
            (r#"{"allowed_models": ["m2", "m3"]}"#, false, "the model `m1` is not among `m2`, `m3`"),
            (r#"{"min_tools": 1}"#, true, "it has 1 connected app, and needs 1"),
            (r#"{"min_tools": 2}"#, false, "it has 1 connected app, and needs 2"),
            (r#"{"max_budget_microusd": 500}"#, true, "it spent $0.0005 of $0.0005 in 30 days"),
            (r#"{"max_budget_microusd": 499}"#, false, "it spent $0.0005 of $0.000499 in 30 days"),
        ];
        for (text, passed, why) in cases {
            let [verdict] = rules(text).try_into().unwrap();
            assert_eq!((verdict.passed, verdict.why.as_str()), (passed, why), "{text}");
        }
    }
}

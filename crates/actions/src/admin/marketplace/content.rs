//! The content of an item, by its kind.

use toolcrib_engine::prelude::*;
use toolcrib_registry::ArgError;

use crate::shared::items::ItemKind;

/// A template for agents.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Template {
    /// Role of the agents.
    pub role: AgentRole,
    /// Instructions of the agents.
    #[schemars(length(min = 1, max = 20_000))]
    pub system_prompt: String,
    /// Sampling temperature, from 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Slugs of suggested skills.
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(min = 1, max = 80)))]
    pub suggested_skills: Vec<String>,
}

/// What an agent is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AgentRole {
    /// Talks with people.
    Chatbot,
    /// Does tasks.
    Worker,
    /// Finds things out.
    Researcher,
    /// Writes programs.
    Coder,
}

/// A skill.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Skill {
    /// Instructions of the skill.
    #[schemars(length(min = 1, max = 20_000))]
    pub prompt: String,
}

/// A plugin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Plugin {
    /// Tools of the plugin.
    #[schemars(length(min = 1, max = 50))]
    pub tools: Vec<Tool>,
    /// App that must be connected before the plugin works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_app: Option<String>,
}

/// A tool of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Tool {
    /// Name.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// Description.
    #[schemars(length(min = 1, max = 1_000))]
    pub description: String,
}

/// Returns the given content as JSON text, with its kind. Returns `None` if none is given. 422 if several are
/// given.
pub fn given(
    template: Option<&Template>,
    skill: Option<&Skill>,
    plugin: Option<&Plugin>,
) -> Result<Option<(ItemKind, String)>, ActionError> {
    let mut found = Vec::new();
    found.extend(template.map(|template| ("/template", ItemKind::Agent, json!(template))));
    found.extend(skill.map(|skill| ("/skill", ItemKind::Skill, json!(skill))));
    found.extend(plugin.map(|plugin| ("/plugin", ItemKind::Plugin, json!(plugin))));
    if found.len() > 1 {
        let error = |(pointer, _, _): &(&str, ItemKind, _)| {
            ArgError::new(pointer, "several", "an item is one of `template`, `skill` and `plugin`")
        };
        return Err(ActionError::invalid_all(found.iter().map(error).collect()));
    }
    Ok(found.pop().map(|(_, kind, content)| (kind, content.to_string())))
}

//! Marketplace items as callers see them: agent templates, skills, plugins.

use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, marketplace::ItemRow};

toolcrib_model::closed_set! {
    "an item kind",
    /// The kind of an item.
    ItemKind {
        /// A template for agents.
        Agent = "agent",
        /// A prompt that teaches an agent something.
        Skill = "skill",
        /// A set of tools.
        Plugin = "plugin",
    }
}

impl ItemKind {
    /// Returns the action that lists items of this kind.
    pub const fn browse(self) -> &'static str {
        match self {
            Self::Agent => "platform_browse_marketplace_agents",
            Self::Skill => "platform_browse_marketplace_skills",
            Self::Plugin => "platform_browse_marketplace_plugins",
        }
    }
}

/// What every item has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ItemView {
    /// ID.
    pub id: Id,
    /// Slug, unique per kind.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub slug: String,
    /// Display name.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub name: String,
    /// Category, such as `support`.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub category: String,
    /// Description.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub description: String,
    /// Tags.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub tags: Vec<String>,
    /// Version of the content.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub version: String,
    /// Author.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub author: String,
    /// Time of publication.
    pub published_at: Ts,
    /// Whether it is installed here; of a template: whether an agent here has its name.
    pub installed: bool,
    /// Number of workspaces that installed it.
    pub install_count: i64,
}

impl From<&ItemRow> for ItemView {
    fn from(row: &ItemRow) -> Self {
        Self {
            id: row.id,
            slug: row.slug.clone(),
            name: row.name.clone(),
            category: row.category.clone(),
            description: row.description.clone(),
            tags: row.tags.clone(),
            version: row.version.clone(),
            author: row.author.clone(),
            published_at: row.published_at,
            installed: row.installed,
            install_count: row.install_count,
        }
    }
}

/// A template for agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateView {
    /// What every item has.
    #[serde(flatten)]
    pub item: ItemView,
    /// `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// Instructions of the agents.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub system_prompt: String,
    /// Sampling temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// Slugs of suggested skills.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub suggested_skills: Vec<String>,
}

#[derive(Deserialize)]
struct TemplateContent {
    role: String,
    system_prompt: String,
    temperature: Option<f64>,
    #[serde(default)]
    suggested_skills: Vec<String>,
}

impl TryFrom<&ItemRow> for TemplateView {
    type Error = ActionError;

    fn try_from(row: &ItemRow) -> Result<Self, ActionError> {
        let content: TemplateContent = content(row)?;
        Ok(Self {
            item: row.into(),
            role: content.role,
            system_prompt: content.system_prompt,
            temperature: content.temperature,
            suggested_skills: content.suggested_skills,
        })
    }
}

/// A skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillView {
    /// What every item has.
    #[serde(flatten)]
    pub item: ItemView,
    /// About how many tokens its prompt adds to each turn: a quarter of its characters, rounded up.
    pub token_cost: i64,
}

#[derive(Deserialize)]
struct SkillContent {
    prompt: String,
}

impl TryFrom<&ItemRow> for SkillView {
    type Error = ActionError;

    fn try_from(row: &ItemRow) -> Result<Self, ActionError> {
        let content: SkillContent = content(row)?;
        Ok(Self { item: row.into(), token_cost: tokens(&content.prompt) })
    }
}

/// A plugin.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PluginView {
    /// What every item has.
    #[serde(flatten)]
    pub item: ItemView,
    /// Tools in the plugin.
    pub tools: Vec<PluginTool>,
    /// The app that must be connected for it to work; null if none is needed.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub requires_app: Option<String>,
}

/// A tool of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PluginTool {
    /// Name.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub name: String,
    /// Description.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub description: String,
}

#[derive(Deserialize)]
struct PluginContent {
    tools: Vec<PluginTool>,
    requires_app: Option<String>,
}

impl TryFrom<&ItemRow> for PluginView {
    type Error = ActionError;

    fn try_from(row: &ItemRow) -> Result<Self, ActionError> {
        let content: PluginContent = content(row)?;
        Ok(Self { item: row.into(), tools: content.tools, requires_app: content.requires_app })
    }
}

/// Estimates the number of tokens without a tokenizer: one for every four characters, rounded up.
fn tokens(text: &str) -> i64 {
    i64::try_from(text.chars().count().div_ceil(4)).unwrap_or(i64::MAX)
}

fn content<T: for<'de> Deserialize<'de>>(row: &ItemRow) -> Result<T, ActionError> {
    serde_json::from_str(&row.content).map_err(|error| {
        StoreError::Inconsistent(format!("content of {} `{}`: {error}", row.kind, row.slug)).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_are_a_token() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("abcde")], [0, 1, 1, 2]);
        // Characters are counted, not bytes: these four have two bytes each.
        assert_eq!(tokens("äöüß"), 1);
    }
}

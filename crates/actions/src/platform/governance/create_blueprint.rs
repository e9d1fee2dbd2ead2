//! Creates a blueprint.

use toolcrib_engine::prelude::*;
use toolcrib_store::{blueprints, blueprints::BlueprintRow};

use super::view::{BlueprintView, taken};
use crate::shared::{blueprint::Rules, check_characters, or_conflict};

pub struct CreateBlueprint;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the blueprint, unique in the workspace.
    pub name: String,
    /// Purpose of the blueprint.
    #[schemars(length(min = 1, max = 2000))]
    pub description: Option<String>,
    /// Rules for agents.
    pub rules: Rules,
    /// Whether new and changed agents are checked against the blueprint. Default: `false`.
    pub is_default: Option<bool>,
}

impl WriteAction for CreateBlueprint {
    type Input = Input;
    type Output = BlueprintView;

    fn spec() -> Spec {
        Spec::write("platform_create_blueprint", Category::Governance, Permission::GOVERNANCE_MANAGE).creates()
            .describe("Create a blueprint: rules for agents. New and changed agents are checked against the default blueprint.")
            .tags(&["blueprint", "rules", "policy", "compliance", "new"])
            .examples(&["Require a system prompt for all agents", "Allow only two models"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_characters("/name", &input.name)?;
        if blueprints::by_name(cx.tx, &input.name).await?.is_some() {
            return Err(taken(&input.name));
        }
        Ok(Target { label: format!("blueprint `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<BlueprintView, ActionError> {
        let is_default = input.is_default.unwrap_or_default();
        let row = BlueprintRow {
            id: cx.new_id(),
            name: input.name.clone(),
            description: input.description.clone(),
            rules: json!(input.rules).to_string(),
            default_slot: is_default.then_some(1),
            version: 1,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            updated_at: cx.now,
        };
        if is_default {
            blueprints::clear_default(cx.tx, row.id, cx.now).await?;
        }
        or_conflict(blueprints::insert(cx.tx, &row).await, || taken(&input.name))?;
        let data = json!({ "id": row.id, "name": row.name, "is_default": is_default });
        cx.emit("blueprint.created", "governance:read", data);
        BlueprintView::new(row)
    }

    fn describe(_: &Input, blueprint: &BlueprintView) -> String {
        let default = if blueprint.is_default { " as the default" } else { "" };
        format!("Created blueprint `{}`{default}", blueprint.name)
    }
}

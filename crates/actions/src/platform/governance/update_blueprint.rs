//! Changes a blueprint.

use toolcrib_engine::prelude::*;
use toolcrib_store::{blueprints, blueprints::BlueprintRow};

use super::view::{self, BlueprintView, taken};
use crate::shared::{blueprint::Rules, check_characters, or_conflict, refs::Ref};

pub struct UpdateBlueprint;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub blueprint: Ref,
    /// New name, unique in the workspace.
    pub name: Option<String>,
    /// Purpose of the blueprint.
    #[schemars(length(min = 1, max = 2000))]
    pub description: Option<String>,
    /// Rules for agents. Replaces all rules.
    pub rules: Option<Rules>,
    /// Whether new and changed agents are checked against the blueprint.
    pub is_default: Option<bool>,
}

/// Result of `platform_update_blueprint`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Blueprint after the call.
    #[serde(flatten)]
    pub blueprint: BlueprintView,
    /// Whether the call changed anything.
    pub changed: bool,
    /// Names of the changed fields.
    #[schemars(extend("x-ours" = true))]
    pub changed_fields: Vec<&'static str>,
}

impl WriteAction for UpdateBlueprint {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_update_blueprint", Category::Governance, Permission::GOVERNANCE_MANAGE)
            .describe("Change a blueprint's name, description or rules, or make it the default. Existing agents stay unchanged.")
            .tags(&["blueprint", "rules", "policy", "edit", "default"])
            .examples(&["Make the strict blueprint the default", "Also allow the small model"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = view::blueprint(cx.tx, &input.blueprint).await?;
        if let Some(name) = input.name.as_ref().filter(|name| **name != row.name) {
            check_characters("/name", name)?;
        }
        input.blueprint = row.id.into();
        let label = format!("blueprint `{}`", row.name);
        Ok(Target { id: Some(row.id), label, version: Some(row.version), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mut row = view::lock(cx.tx, &input.blueprint).await?;
        let changed_fields = apply(input, &mut row)?;
        if changed_fields.is_empty() {
            return Ok(Output { blueprint: BlueprintView::new(row)?, changed: false, changed_fields });
        }
        row.updated_at = cx.now;
        if row.default_slot.is_some() {
            blueprints::clear_default(cx.tx, row.id, cx.now).await?;
        }
        if !or_conflict(blueprints::update(cx.tx, &row).await, || taken(&row.name))? {
            let detail = format!("blueprint `{}` was changed by another call at the same time", row.name);
            return Err(ActionError::conflict(detail)
                .hint("get the blueprint with `platform_get_blueprint` and repeat the call"));
        }
        let data = json!({ "id": row.id, "name": row.name, "changed": changed_fields });
        cx.emit("blueprint.updated", "governance:read", data);
        Ok(Output { blueprint: BlueprintView::new(row)?, changed: true, changed_fields })
    }

    fn describe(_: &Input, output: &Output) -> String {
        if output.changed {
            format!("Updated blueprint `{}`: {}", output.blueprint.name, output.changed_fields.join(", "))
        } else {
            format!("Nothing to change: blueprint `{}` already has these values", output.blueprint.name)
        }
    }
}

/// Sets the given fields whose values differ, and returns their names.
fn apply(input: &Input, row: &mut BlueprintRow) -> Result<Vec<&'static str>, ActionError> {
    let mut changed = Vec::new();
    if let Some(name) = input.name.as_ref().filter(|name| **name != row.name) {
        row.name.clone_from(name);
        changed.push("name");
    }
    if input.description.is_some() && input.description != row.description {
        row.description.clone_from(&input.description);
        changed.push("description");
    }
    if let Some(rules) = &input.rules
        && *rules != Rules::parse(&row.rules)?
    {
        row.rules = json!(rules).to_string();
        changed.push("rules");
    }
    if let Some(is_default) = input.is_default.filter(|wanted| *wanted != row.default_slot.is_some()) {
        row.default_slot = is_default.then_some(1);
        changed.push("is_default");
    }
    Ok(changed)
}

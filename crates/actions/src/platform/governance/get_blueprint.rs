//! Gets one blueprint.

use toolcrib_engine::prelude::*;

use super::view::{self, BlueprintView};
use crate::shared::refs::Ref;

pub struct GetBlueprint;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub blueprint: Ref,
}

impl ReadAction for GetBlueprint {
    type Input = Input;
    type Output = BlueprintView;

    fn spec() -> Spec {
        Spec::read("platform_get_blueprint", Category::Governance, Permission::GOVERNANCE_READ)
            .describe("Get one blueprint with its rules. To check an agent against a blueprint use platform_validate_agent.")
            .tags(&["blueprint", "rules", "policy", "details"])
            .examples(&["What does the support blueprint ask for?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<BlueprintView, ActionError> {
        BlueprintView::new(view::blueprint(cx.tx, &input.blueprint).await?)
    }

    fn describe(_: &Input, blueprint: &BlueprintView) -> String {
        format!("Blueprint `{}`", blueprint.name)
    }
}

//! Gets the workspace's settings.

use toolcrib_engine::prelude::*;

use super::view::{SettingsView, stored};

pub struct GetSettings;

/// No arguments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl ReadAction for GetSettings {
    type Input = Input;
    type Output = SettingsView;

    fn spec() -> Spec {
        Spec::program("settings.get", Level::Read, Permission::SETTINGS_MANAGE)
            .also_system("workspaces:limits")
            .describe("Get the workspace's settings and limits.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &Input) -> Result<SettingsView, ActionError> {
        Ok(stored(cx.tx).await?.1)
    }

    fn describe(_: &Input, settings: &SettingsView) -> String {
        format!("The approval mode is `{}`", settings.approval_mode.as_str())
    }
}

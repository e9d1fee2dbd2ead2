//! Gets the workspace's settings.

use toolcrib_engine::prelude::*;

use super::view::{SettingsView, stored};
use crate::shared::NoArguments;

pub struct GetSettings;

impl ReadAction for GetSettings {
    type Input = NoArguments;
    type Output = SettingsView;

    fn spec() -> Spec {
        Spec::program("settings.get", Level::Read, Permission::SETTINGS_MANAGE)
            .also_system("workspaces:limits")
            .describe("Get the workspace's settings and limits.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<SettingsView, ActionError> {
        Ok(stored(cx.tx).await?.1)
    }

    fn describe(_: &NoArguments, settings: &SettingsView) -> String {
        format!("The approval mode is `{}`", settings.approval_mode.as_str())
    }
}

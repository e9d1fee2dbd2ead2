//! Installs a plugin of the marketplace in the workspace.

use toolcrib_engine::prelude::*;

use super::install::{self, Output};
use crate::shared::{
    items::{ItemKind, PluginView},
    refs::Ref,
};

pub struct InstallPlugin;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID, slug or exact name.
    pub plugin: Ref,
}

impl WriteAction for InstallPlugin {
    type Input = Input;
    type Output = Output<PluginView>;

    fn spec() -> Spec {
        Spec::write("platform_install_plugin", Category::Marketplace, Permission::MARKETPLACE_MANAGE).creates()
            .promoted()
            .describe("Install a marketplace plugin here. To give it to an agent afterwards, use platform_assign_plugin_to_agent.")
            .tags(&["marketplace", "plugin", "add", "enable", "extension"])
            .examples(&["Install the GitHub issues plugin"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        install::target(cx, ItemKind::Plugin, &mut input.plugin).await
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output<PluginView>, ActionError> {
        install::install(cx, ItemKind::Plugin, &input.plugin).await
    }

    fn describe(_: &Input, output: &Output<PluginView>) -> String {
        install::describe(ItemKind::Plugin, &output.item.item.name, output.changed)
    }
}

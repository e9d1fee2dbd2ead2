//! Lists the plugins that are installed in the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;

use super::installed::{self, Installed};
use crate::shared::items::{ItemKind, PluginView};

pub struct ListWorkspacePlugins;

impl ReadAction for ListWorkspacePlugins {
    type Input = PageArgs;
    type Output = Page<Installed<PluginView>>;

    fn spec() -> Spec {
        Spec::read("platform_list_workspace_plugins", Category::Workspace, Permission::WORKSPACE_READ)
            .describe("List the plugins installed in this workspace. For what could be installed, use platform_browse_marketplace_plugins.")
            .tags(&["workspace", "plugin", "installed", "extension"])
            .examples(&["Which plugins do we have?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Self::Output, ActionError> {
        installed::list(cx, ItemKind::Plugin, input).await
    }

    fn describe(_: &PageArgs, page: &Self::Output) -> String {
        format!("Found {}", count(page.items.len(), "installed plugin"))
    }
}

//! Lists the marketplace's plugins.

use toolcrib_engine::prelude::*;

use super::browse::{self, Input};
use crate::shared::items::{ItemKind, PluginView};

pub struct BrowseMarketplacePlugins;

impl ReadAction for BrowseMarketplacePlugins {
    type Input = Input;
    type Output = Page<PluginView>;

    fn spec() -> Spec {
        Spec::read("platform_browse_marketplace_plugins", Category::Marketplace, Permission::MARKETPLACE_READ)
            .promoted()
            .describe("Browse plugins to install, with the tools each brings. For installed ones, use platform_list_workspace_plugins.")
            .tags(&["marketplace", "plugin", "extension", "add-on", "store"])
            .examples(&["Is there a plugin for GitHub?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<PluginView>, ActionError> {
        browse::browse(cx, ItemKind::Plugin, input).await
    }

    fn describe(_: &Input, page: &Page<PluginView>) -> String {
        format!("Found {}", count(page.items.len(), "plugin"))
    }
}

//! Lists the models that are installed in the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_model::{PageArgs, Paged};
use toolcrib_store::{
    models::{self, ModelRow},
    workspaces,
};

use crate::shared::page;

pub struct ListWorkspaceModels;

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The installed models.
    #[serde(flatten)]
    pub page: Page<InstalledModel>,
    /// The model of agents that name none; null where none was chosen.
    #[schemars(extend("x-ours" = true))]
    pub default_model: Option<String>,
}

impl Paged for Output {
    fn ends(&self) -> &[Cursor] {
        self.page.ends()
    }
}

/// An installed model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstalledModel {
    /// The model.
    #[serde(flatten)]
    pub model: ModelRow,
    /// Whether agents that name no model use it.
    pub default: bool,
    /// Time of installation.
    pub installed_at: Ts,
    /// Number of agents that use this model.
    pub agents: i64,
}

impl ReadAction for ListWorkspaceModels {
    type Input = PageArgs;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_list_workspace_models", Category::Workspace, Permission::WORKSPACE_READ)
            .describe("List the models that agents of this workspace can use, with the default. For all, use platform_list_llms.")
            .tags(&["workspace", "model", "llm", "installed", "default"])
            .examples(&["Which models can our agents use?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Output, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let default_model = workspaces::get(cx.tx).await?.and_then(|own| own.default_model);
        let rows = models::installed(cx.tx, cursor, limit + 1).await?;
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.installed_at, id: row.install_id });
        let page = page.map(|row| InstalledModel {
            default: default_model.as_ref() == Some(&row.model.model),
            model: row.model,
            installed_at: row.installed_at,
            agents: row.agents,
        });
        Ok(Output { page, default_model })
    }

    fn describe(_: &PageArgs, output: &Output) -> String {
        format!("Found {}", count(output.page.items.len(), "installed model"))
    }
}

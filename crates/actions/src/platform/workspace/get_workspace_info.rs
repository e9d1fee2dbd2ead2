//! Gets the workspace's name, plan, limits and counts.

use toolcrib_engine::prelude::*;
use toolcrib_store::workspaces::{self, Counts};

use crate::shared::NoArguments;

pub struct GetWorkspaceInfo;

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID.
    pub id: Id,
    /// Display name.
    #[schemars(extend("x-untrusted" = "names of workspaces"))]
    pub name: String,
    /// Plan of the workspace.
    #[schemars(extend("x-ours" = true))]
    pub plan: String,
    /// `standard`, `confirm_writes` or `read_only`.
    #[schemars(extend("x-ours" = true))]
    pub approval_mode: String,
    /// The model of agents that name none; null where none was chosen.
    #[schemars(extend("x-ours" = true))]
    pub default_model: Option<String>,
    /// How many calls a minute it may make.
    pub limits: Limits,
    /// How much is in it.
    pub counts: Counts,
    /// Time of creation.
    pub created_at: Ts,
}

/// How many calls a minute a workspace may make.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Limits {
    /// Calls that change something.
    pub write_per_minute: i64,
    /// Calls that read.
    pub read_per_minute: i64,
    /// Calls that ask an outside service.
    pub external_per_minute: i64,
    /// Calls of tools that the caller runs.
    pub client_per_minute: i64,
}

impl ReadAction for GetWorkspaceInfo {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_workspace_info", Category::Workspace, Permission::WORKSPACE_READ)
            .describe("Get this workspace's name, plan, limits and how many members and agents it has.")
            .tags(&["workspace", "overview", "plan", "limits", "members"])
            .examples(&["Which plan are we on?", "How many people are in this workspace?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let row = workspaces::get(cx.tx).await?;
        let counts = workspaces::counts(cx.tx).await?;
        let row = row.ok_or_else(|| ActionError::not_found("workspace", &cx.caller.workspace.to_string()))?;
        Ok(Output {
            id: row.id,
            name: row.name,
            plan: row.plan,
            approval_mode: row.settings.approval_mode,
            default_model: row.default_model,
            limits: Limits {
                write_per_minute: row.settings.write_per_minute,
                read_per_minute: row.settings.read_per_minute,
                external_per_minute: row.settings.external_per_minute,
                client_per_minute: row.settings.client_per_minute,
            },
            counts,
            created_at: row.created_at,
        })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Workspace `{}`", output.name)
    }
}

//! Gets the caller's workspace.

use toolcrib_engine::prelude::*;

use super::view::{WorkspaceView, own};

pub struct GetWorkspace;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The workspace of this call.
    pub id: Id,
}

impl ReadAction for GetWorkspace {
    type Input = Input;
    type Output = WorkspaceView;

    fn spec() -> Spec {
        Spec::program("workspaces.get", Level::Read, Permission::WORKSPACE_READ)
            .describe("Get the workspace that the call names.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<WorkspaceView, ActionError> {
        let row = own(cx.tx, cx.caller, input.id).await?;
        Ok(WorkspaceView::new(row, cx.caller.role))
    }

    fn describe(_: &Input, workspace: &WorkspaceView) -> String {
        format!("Found the workspace `{}`", workspace.name)
    }
}

//! Gets the caller's workspace.

use toolcrib_engine::prelude::*;
use toolcrib_store::lookup::Membership;

use super::view::own;

pub struct GetWorkspace;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The workspace of this call.
    pub id: Id,
}

impl ReadAction for GetWorkspace {
    type Input = Input;
    type Output = Membership;

    fn spec() -> Spec {
        Spec::program("workspaces.get", Level::Read, Permission::WORKSPACE_READ)
            .describe("Get the workspace that the call names.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Membership, ActionError> {
        let row = own(cx.tx, cx.caller, input.id).await?;
        Ok(Membership::new(row, cx.caller.role))
    }

    fn describe(_: &Input, workspace: &Membership) -> String {
        format!("Found the workspace `{}`", workspace.name)
    }
}

//! Renames the caller's workspace.

use toolcrib_engine::prelude::*;
use toolcrib_store::{lookup::Membership, workspaces};

use super::view::own;
use crate::admin::guard;

pub struct UpdateWorkspace;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The workspace of this call.
    pub id: Id,
    /// Display name.
    pub name: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The workspace as it is now.
    #[serde(flatten)]
    pub workspace: Membership,
    /// Whether anything changed.
    pub changed: bool,
}

impl WriteAction for UpdateWorkspace {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("workspaces.update", Level::Write, Permission::SETTINGS_MANAGE)
            .describe("Rename the workspace that the call names.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = own(cx.tx, cx.caller, input.id).await?;
        Ok(Target { id: Some(row.id), label: format!("workspace `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = own(cx.tx, cx.caller, input.id).await?;
        let role = cx.caller.role;
        if row.name == input.name {
            return Ok(Output { workspace: Membership::new(row, role), changed: false });
        }
        guard::lock(cx).await?;
        let mut row = own(cx.tx, cx.caller, input.id).await?;
        row.name.clone_from(&input.name);
        workspaces::update(cx.tx, &row, cx.now).await?;
        cx.emit("workspace.updated", "workspace:read", json!({ "id": row.id, "name": row.name }));
        Ok(Output { workspace: Membership::new(row, role), changed: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("The workspace is called `{}`", output.workspace.name)
    }
}

//! Deletes the caller's workspace.

use toolcrib_access::Caller;
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, workspaces, workspaces::WorkspaceRow};

use super::view::own;
use crate::admin::guard;

pub struct DeleteWorkspace;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The workspace of this call.
    pub id: Id,
    /// Exact name of the workspace, as a confirmation.
    pub name: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted workspace.
    pub id: Id,
    /// Name.
    pub name: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteWorkspace {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("workspaces.delete", Level::Write, Permission::WORKSPACE_DELETE).deletes()
            .describe(
                "Delete the workspace that the call names. Its name must be repeated. Nobody can use it afterwards.",
            )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = typed(cx.tx, cx.caller, input).await?;
        Ok(Target { id: Some(row.id), label: format!("workspace `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let row = typed(cx.tx, cx.caller, input).await?;
        workspaces::delete(cx.tx, cx.now).await?;
        cx.emit("workspace.deleted", "workspace:read", json!({ "id": row.id, "name": row.name }));
        Ok(Output { id: row.id, name: row.name, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted the workspace `{}`", output.name)
    }
}

async fn typed(tx: &mut Tx, caller: &Caller, input: &Input) -> Result<WorkspaceRow, ActionError> {
    let row = own(tx, caller, input.id).await?;
    if row.name.trim() == input.name {
        return Ok(row);
    }
    Err(ActionError::invalid("/name", "phrase", "must be the workspace's exact name"))
}

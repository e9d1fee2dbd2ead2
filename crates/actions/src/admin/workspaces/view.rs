//! The workspaces that a caller may see.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    lookup::{self, Membership},
    workspaces::{self, WorkspaceRow},
};

/// Returns the workspaces of which a person is a member. For a key it returns only the key's own workspace,
/// even if the key acts for a member of other workspaces.
pub async fn mine(cx: &mut ReadCx<'_>) -> Result<Vec<Membership>, ActionError> {
    match cx.caller.principal {
        Principal::User { user_id } => Ok(lookup::memberships_in(cx.tx, user_id).await?),
        Principal::Agent { .. } | Principal::Service { .. } => {
            let own = workspaces::get(cx.tx).await?;
            Ok(own.map(|row| Membership::new(row, cx.caller.role)).into_iter().collect())
        }
        Principal::Operator { .. } => Ok(Vec::new()),
    }
}

/// Returns every workspace, with the role of a system admin who is a member too.
pub async fn all(cx: &mut ReadCx<'_>) -> Result<Vec<Membership>, ActionError> {
    let own = mine(cx).await?;
    let role = |id| own.iter().find(|own| own.id == id).and_then(|own| own.role.clone());
    let all = lookup::all_workspaces(cx.tx).await?;
    Ok(all.into_iter().map(|row| Membership { role: role(row.id), ..row }).collect())
}

/// Returns the caller's workspace. 404 for every other ID, whether that workspace exists or not.
pub async fn own(tx: &mut Tx, caller: &Caller, id: Id) -> Result<WorkspaceRow, ActionError> {
    let row = if id == caller.workspace { workspaces::get(tx).await? } else { None };
    row.ok_or_else(|| {
        ActionError::new(
            toolcrib_model::ErrorCode::NotFound,
            format!("there is no workspace `{id}` for you here"),
        )
        .hint("name it in `X-Workspace-Id` too; `GET /v1/workspaces` lists yours")
    })
}

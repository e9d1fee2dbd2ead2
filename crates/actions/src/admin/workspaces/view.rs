//! A workspace as callers see it, and the workspaces that a caller may see.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_store::{
    Tx,
    lookup::{self, Membership},
    workspaces::{self, WorkspaceRow},
};

/// A workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkspaceView {
    /// ID.
    pub id: Id,
    /// Display name.
    pub name: String,
    /// ID at the identity provider.
    pub external_id: Option<String>,
    /// Product that was used.
    pub plan: String,
    /// Role of the caller in the workspace; null if the caller has none.
    pub role: Option<String>,
    /// Time of creation.
    pub created_at: Ts,
}

impl WorkspaceView {
    /// Returns the view of a workspace for a caller with `role`.
    pub fn new(row: WorkspaceRow, role: Option<Role>) -> Self {
        Self {
            id: row.id,
            name: row.name,
            external_id: row.external_id,
            plan: row.plan,
            role: role.map(|role| role.as_str().to_owned()),
            created_at: row.created_at,
        }
    }
}

impl From<Membership> for WorkspaceView {
    fn from(row: Membership) -> Self {
        Self {
            id: row.id,
            name: row.name,
            external_id: row.external_id,
            plan: row.plan,
            role: row.role,
            created_at: row.created_at,
        }
    }
}

/// Returns the workspaces of which a person is a member. For a key it returns only the key's own workspace,
/// even if the key acts for a member of other workspaces.
pub async fn mine(cx: &mut ReadCx<'_>) -> Result<Vec<WorkspaceView>, ActionError> {
    match cx.caller.principal {
        Principal::User { user_id } => {
            let found = lookup::memberships_in(cx.tx, user_id).await?;
            Ok(found.into_iter().map(WorkspaceView::from).collect())
        }
        Principal::Agent { .. } | Principal::Service { .. } => {
            let own = workspaces::get(cx.tx).await?;
            Ok(own.map(|row| WorkspaceView::new(row, cx.caller.role)).into_iter().collect())
        }
        Principal::Operator { .. } => Ok(Vec::new()),
    }
}

/// Returns every workspace, with the role of a system admin who is a member too.
pub async fn all(cx: &mut ReadCx<'_>) -> Result<Vec<WorkspaceView>, ActionError> {
    let own = mine(cx).await?;
    let role = |id| own.iter().find(|own| own.id == id).and_then(|own| own.role.clone());
    let all = lookup::all_workspaces(cx.tx).await?;
    Ok(all.into_iter().map(|row| WorkspaceView { role: role(row.id), ..row.into() }).collect())
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

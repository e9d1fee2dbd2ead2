//! Who may give and take which role, why there is always an owner, and with four eyes always two who may approve.

use toolcrib_access::Caller;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Role};
use toolcrib_registry::Permission;
use toolcrib_store::{Tx, members, members::MemberRow, workspaces};

use super::super::guard::forbidden;

/// The member; 404 for everybody else, members of other workspaces included.
pub async fn find(tx: &mut Tx, user_id: Id) -> Result<MemberRow, ActionError> {
    members::get(tx, user_id).await?.ok_or_else(|| ActionError::not_found("member", &user_id.to_string()))
}

/// Roles up to editor are given by whoever manages members; admin and owner by whoever may give any role.
pub fn may_give(caller: &Caller, role: Role) -> Result<(), ActionError> {
    if role <= Role::Editor || caller.holds(Permission::MEMBERS_CHANGE_ROLE) {
        return Ok(());
    }
    Err(forbidden(format!(
        "giving the role `{role}` needs the permission `{}`",
        Permission::MEMBERS_CHANGE_ROLE
    ))
    .hint("ask an owner, or give a role up to `editor`"))
}

/// The same for changing or removing somebody: admins and owners are the owners' affair. So is a role that is unknown.
pub fn may_change(caller: &Caller, row: &MemberRow) -> Result<(), ActionError> {
    let high = row.role.parse::<Role>().map_or(true, |role| role > Role::Editor);
    if !high || caller.holds(Permission::MEMBERS_CHANGE_ROLE) {
        return Ok(());
    }
    let needed = Permission::MEMBERS_CHANGE_ROLE;
    Err(forbidden(format!("changing or removing an {} needs the permission `{needed}`", row.role))
        .hint("ask an owner"))
}

/// 409 where `row` is the only active owner. Ask it where they would stop being one.
pub async fn not_last_owner(tx: &mut Tx, row: &MemberRow) -> Result<(), ActionError> {
    let owner = Role::Owner.as_str();
    if row.role != owner || !row.active || members::count_active(tx, owner).await? > 1 {
        return Ok(());
    }
    Err(ActionError::conflict("this is the workspace's last active owner")
        .hint("make another member owner first"))
}

/// Whether the member may approve what others ask: what four eyes need two of.
fn approves(row: &MemberRow) -> bool {
    row.active && row.role.parse::<Role>().is_ok_and(|role| role >= Role::Admin)
}

/// 409 where the workspace wants four eyes and `row` is one of the last two who have them. Ask it where they would stop
/// being one.
pub async fn not_second_last_approver(tx: &mut Tx, row: &MemberRow) -> Result<(), ActionError> {
    if !approves(row) || !workspaces::get(tx).await?.is_some_and(|workspace| workspace.four_eyes) {
        return Ok(());
    }
    if members::count_approvers(tx).await? > 2 {
        return Ok(());
    }
    Err(ActionError::conflict("four eyes need two active admins or owners; without this one there are fewer")
        .hint("make another member admin first, or let an owner switch `four_eyes` off"))
}

//! Checks of changes to members: who may give and take which role, that an owner remains, and that two
//! approvers remain while `four_eyes` is on.

use toolcrib_access::Caller;
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_store::{Tx, members, members::MemberRow, workspaces};

use super::super::guard::forbidden;

/// Returns the member. 404 if the user is not a member of this workspace.
pub async fn find(tx: &mut Tx, user_id: Id) -> Result<MemberRow, ActionError> {
    members::get(tx, user_id).await?.ok_or_else(|| ActionError::not_found("member", &user_id.to_string()))
}

/// Returns the name of a member for sentences: the display name, or else the subject.
pub fn called(row: &MemberRow) -> &str {
    row.display_name.as_deref().unwrap_or(&row.subject)
}

/// Returns 403 if the caller may not give the role. Roles up to editor need no further permission, admin and
/// owner need `MEMBERS_CHANGE_ROLE`.
pub fn may_give(caller: &Caller, role: Role) -> Result<(), ActionError> {
    if caller.highest_role_to_give() >= Some(role) {
        return Ok(());
    }
    Err(forbidden(format!(
        "giving the role `{role}` needs the permission `{}`",
        Permission::MEMBERS_CHANGE_ROLE
    ))
    .hint("ask an owner, or give a role up to `editor`"))
}

/// Returns 403 if the caller may not change or remove the member. Admins, owners and members with an unknown
/// role need `MEMBERS_CHANGE_ROLE`.
pub fn may_change(caller: &Caller, row: &MemberRow) -> Result<(), ActionError> {
    let high = row.role.parse::<Role>().map_or(true, |role| role > Role::Editor);
    if !high || caller.holds(&Permission::MEMBERS_CHANGE_ROLE) {
        return Ok(());
    }
    let needed = Permission::MEMBERS_CHANGE_ROLE;
    Err(forbidden(format!("changing or removing an {} needs the permission `{needed}`", row.role))
        .hint("ask an owner"))
}

/// Returns 409 if `row` is the only active owner. Call it for changes after which the member is no active
/// owner.
pub async fn not_last_owner(tx: &mut Tx, row: &MemberRow) -> Result<(), ActionError> {
    let owner = Role::Owner.as_str();
    if row.role != owner || !row.active || members::count_active(tx, owner).await? > 1 {
        return Ok(());
    }
    Err(ActionError::conflict("this is the workspace's last active owner")
        .hint("make another member owner first"))
}

/// Whether the member may approve calls of others. `four_eyes` needs two such members.
fn approves(row: &MemberRow) -> bool {
    row.active && row.role.parse::<Role>().is_ok_and(|role| role >= Role::Admin)
}

/// Returns 409 if `four_eyes` is on and `row` is one of the last two approvers. Call it for changes after
/// which the member is no approver.
pub async fn not_second_last_approver(tx: &mut Tx, row: &MemberRow) -> Result<(), ActionError> {
    if !approves(row) || !workspaces::get(tx).await?.is_some_and(|workspace| workspace.settings.four_eyes) {
        return Ok(());
    }
    if members::count_approvers(tx).await? > 2 {
        return Ok(());
    }
    Err(ActionError::conflict("four eyes need two active admins or owners; without this one there are fewer")
        .hint("make another member admin first, or let an owner switch `four_eyes` off"))
}

//! Who may see, claim, report and revoke an open call.

use toolcrib_access::{Caller, Principal};
use toolcrib_model::{Id, Role};
use toolcrib_store::open_calls::OpenCallRow;

use crate::{base::ActionError, confirmations::requester};

/// Returns whether the call was made by this principal, or on behalf of this user, who uses their own credential.
pub(super) fn is_own(caller: &Caller, row: &OpenCallRow) -> bool {
    let same = requester(caller) == row.principal() && caller.principal.kind() == row.principal_kind;
    same || is_user_of(caller, row)
}

/// Returns whether the caller is the user on whose behalf the call was made, with their own credential.
pub(super) fn is_user_of(caller: &Caller, row: &OpenCallRow) -> bool {
    matches!(caller.principal, Principal::User { user_id } if row.user_id == Some(user_id))
}

/// Returns whether the caller is an admin of the workspace with their own credential.
pub(super) fn is_admin(caller: &Caller) -> bool {
    matches!(caller.principal, Principal::User { .. }) && caller.role >= Some(Role::Admin)
}

/// Makes the error for a call that does not exist or belongs to another caller.
pub(super) fn not_found(id: Id) -> ActionError {
    ActionError::not_found("call", &id.to_string())
}

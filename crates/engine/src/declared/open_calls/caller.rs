//! Who may see, claim, report and revoke an open call.

use toolcrib_access::{Caller, Principal};
use toolcrib_auth::Authenticated;
use toolcrib_model::{ErrorCode, ExecutorKind, Id, Role};
use toolcrib_store::{WriteTx, open_calls::OpenCallRow};

use crate::{base::ActionError, confirm::requester, engine::Engine};

impl Engine {
    /// Begins a write, with the caller as the transaction reads them.
    pub(super) async fn begin_as(
        &self,
        authenticated: &Authenticated,
    ) -> Result<(WriteTx, Caller), ActionError> {
        let claims = self.claims(authenticated).await?;
        let (tx, access) = self.db.begin_write_as(claims.workspace, claims.actor_ids()).await?;
        match claims.caller(access.as_ref()) {
            Ok((caller, _)) => Ok((tx, caller)),
            Err(error) => tx.end(Err(error)).await,
        }
    }
}

/// Returns whether the call was made by this principal, or on behalf of this user, who uses their own credential.
pub(super) fn is_own(caller: &Caller, row: &OpenCallRow) -> bool {
    let same = requester(caller) == row.principal() && caller.principal.kind().as_str() == row.principal_kind;
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

/// Refuses what only the application does with a call that it runs.
pub(super) fn run_by_caller(row: &OpenCallRow) -> Result<(), ActionError> {
    if row.executor == ExecutorKind::Client {
        return Ok(());
    }
    Err(ActionError::new(ErrorCode::Conflict, "this service runs the call, and records how it ends")
        .hint("wait for its end with `GET /v1/calls/{id}?wait=30`"))
}

/// Makes the error for a call that does not exist here or belongs to another caller. It says the same of each, so it
/// tells nothing about the calls of others.
pub(super) fn not_found(id: Id) -> ActionError {
    ActionError::not_found("call", &id.to_string()).hint(
        "only writes that run outside of this service are kept here; the outcome of a read, and of a write that runs \
         in this service, is the response to its call",
    )
}

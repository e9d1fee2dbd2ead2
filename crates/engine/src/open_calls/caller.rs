//! Who may see, claim, report and revoke an open call.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, ExecutorKind, Id, Role};
use toolcrib_store::{JobFuture, WriteTx, open_calls::OpenCallRow, write_job};

use crate::{
    base::ActionError,
    caller::{Authenticated, CallerClaims},
    confirmations::requester,
    gates::early_exit::EarlyExit,
    pipeline::Engine,
};

impl Engine {
    /// Runs `job` in a write transaction, with the caller as the transaction reads them.
    pub(super) async fn write_as<T, F>(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        job: F,
    ) -> Result<T, ActionError>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Self, &'t mut WriteTx, Caller) -> JobFuture<'t, T, EarlyExit> + Send + 'static,
    {
        let types = &self.settings.caller_types;
        let claims = CallerClaims::resolve(&self.db, types, authenticated, false).await?;
        let (workspace, actor, engine) = (claims.workspace, claims.actor_ids(), self.clone());
        let job = write_job(move |tx, access| {
            async move {
                let (caller, _) = claims.caller(access.as_ref())?;
                job(&engine, tx, caller).await
            }
            .boxed()
        });
        Ok(self.db.write_with_access(workspace, actor, self.write_limit(10), job).await?)
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

/// Makes the error for a call that does not exist or belongs to another caller.
pub(super) fn not_found(id: Id) -> ActionError {
    ActionError::not_found("call", &id.to_string())
}

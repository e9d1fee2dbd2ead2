//! Revokes a call that nobody has claimed.

use std::sync::Arc;

use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{ErrorCode, Id, OpenCallState, Outcome};
use toolcrib_store::{WriteTx, open_calls, within};

use super::{
    caller::{is_admin, is_own, is_user_of, not_found},
    end::CallOutcome,
    view::OpenCallView,
};
use crate::{base::ActionError, confirm::DecisionMeta, engine::Engine, gates::early_exit::EarlyExit};

impl Engine {
    /// Revokes a call: by its user or an admin, with their own credential. A call that runs can't be revoked.
    pub async fn revoke_call(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        meta: DecisionMeta,
    ) -> Result<OpenCallView, ActionError> {
        let (mut tx, caller) = self.begin_as(authenticated).await?;
        let ended = within(self.write_timeout(10), self.revoke_in(&mut tx, &caller, id, &meta)).await?;
        tx.end(ended).await?;
        self.open_call(authenticated, id).await
    }

    async fn revoke_in(
        &self,
        tx: &mut WriteTx,
        caller: &Caller,
        id: Id,
        meta: &DecisionMeta,
    ) -> Result<(), EarlyExit> {
        let visible = |row: &open_calls::OpenCallRow| is_own(caller, row) || is_admin(caller);
        let Some(row) = open_calls::get(tx, id).await?.filter(visible) else {
            return Err(not_found(id).into());
        };
        if !is_user_of(caller, &row) && !is_admin(caller) {
            let detail = "only the user on whose behalf the call was made, or an admin, may revoke it";
            return Err(ActionError::new(ErrorCode::PermissionDenied, detail).into());
        }
        let context = self.decision_context(meta);
        let conflict = |detail: &str| Err(ActionError::new(ErrorCode::Conflict, detail).into());
        match row.state {
            OpenCallState::Ready => {
                let outcome = CallOutcome::without_report(Outcome::NotRun, "revoked");
                let catalog = self.catalog_in(tx).await?;
                self.end_call(tx, &context, &catalog, &row, outcome).await
            }
            OpenCallState::Running => conflict("the call is claimed and runs; it can't be revoked any more"),
            // Whether it was revoked or not claimed, it did not run and will not.
            OpenCallState::NotRun => Ok(()),
            _ => conflict("the call has ended"),
        }
    }
}

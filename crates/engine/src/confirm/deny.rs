//! Denials of confirmations.

use std::sync::Arc;

use toolcrib_auth::Authenticated;
use toolcrib_model::{AuditDecision, ConfirmationStatus, Id};
use toolcrib_store::{
    AccessRow, WriteTx,
    confirmations::{self, Transition},
    within,
};

use super::{
    decide::LockedConfirmation,
    decider::{Decider, DecisionMeta},
};
use crate::{
    base::ActionError,
    confirm::{ConfirmationView, DecisionAudit, transition::undecided},
    engine::Engine,
    gates::early_exit::EarlyExit,
};

impl Engine {
    /// Denies a confirmation. The requester sees the reason. Later calls are not affected.
    pub async fn deny(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        reason: Option<String>,
        meta: DecisionMeta,
    ) -> Result<ConfirmationView, ActionError> {
        let decider = Decider::of(self, authenticated, meta.user_token.as_ref()).await?;
        let (workspace, actor) = decider.actor();
        let engine = self.clone();
        let decide = async move {
            let (mut tx, access) = engine.db.begin_write_as(workspace, actor).await?;
            let work = engine.deny_in(&mut tx, &decider, access.as_ref(), id, reason.as_deref(), &meta);
            let denied = within(engine.write_timeout(10), work).await?;
            tx.end(denied).await
        };
        // The decision runs in its own task, so that it completes even if the client disconnects.
        let task = tokio::spawn(decide);
        match task.await {
            Ok(Ok(Ok(view))) => Ok(view),
            Ok(Ok(Err(error)) | Err(EarlyExit::Failed(error))) => Err(error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn deny_in(
        &self,
        tx: &mut WriteTx,
        decider: &Decider,
        access: Option<&AccessRow>,
        id: Id,
        reason: Option<&str>,
        meta: &DecisionMeta,
    ) -> Result<Result<ConfirmationView, ActionError>, EarlyExit> {
        let found = confirmations::lock(tx, id).await?;
        let LockedConfirmation { context, decider, row, catalog, .. } =
            match self.check_decidable(tx, decider, access, id, found, meta, "deny").await? {
                Ok(locked) => locked,
                Err(error) => return Ok(Err(error)),
            };
        let caller = &decider.caller;
        let step = Transition {
            by: caller.principal.user(),
            reason,
            ..undecided(&row, &context, ConfirmationStatus::Denied, Some(caller.principal.id()), None)
        };
        let audit = DecisionAudit::new(AuditDecision::Denied, "deny", None);
        let records = self.records(&catalog);
        let denied = records.end_without_run(tx, &context, caller, &row, &step, audit).await?;
        Ok(Ok(self.show_confirmation(tx, &decider, &catalog, context.now, denied).await?))
    }
}

//! What a database that was restored from a backup can't go on with.

use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Outcome, Surface};
use toolcrib_store::{WriteTx, confirmations, confirmations::ConfirmationRow, open_calls};

use crate::{
    base::ActionError,
    confirm::{
        DecisionAudit, requester_of,
        transition::{apply, history, undecided},
    },
    declared::open_calls::CallOutcome,
    engine::Engine,
    events::emit,
    gates::early_exit::EarlyExit,
};

/// Why a confirmation ended.
const WHY: &str = "the database was restored from a backup";

/// What was ended in one workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndedWork {
    /// Confirmations that are `void` now.
    pub confirmations: u64,
    /// Calls whose outcome is `unknown` now.
    pub calls: u64,
}

impl Engine {
    /// Ends the open confirmations and calls of the transaction's workspace: they may have been decided or answered
    /// after the backup was made.
    pub async fn end_restored(&self, tx: &mut WriteTx) -> Result<EndedWork, ActionError> {
        self.end_restored_work(tx).await.map_err(ActionError::from)
    }

    async fn end_restored_work(&self, tx: &mut WriteTx) -> Result<EndedWork, EarlyExit> {
        let now = self.clock.now();
        let mut ended = EndedWork::default();
        for row in confirmations::all_open(tx, now).await? {
            self.void_restored(tx, &row).await?;
            ended.confirmations += 1;
        }
        for row in open_calls::all_open(tx).await? {
            let catalog = self.catalog_in(tx).await?;
            let outcome = CallOutcome::without_report(Outcome::Unknown, "restored");
            let context = self.system_context(Surface::Cli, String::new());
            self.end_call(tx, &context, (&catalog, &row), outcome).await?;
            ended.calls += 1;
        }
        Ok(ended)
    }

    async fn void_restored(&self, tx: &mut WriteTx, row: &ConfirmationRow) -> Result<(), EarlyExit> {
        let context = self.system_context(Surface::Cli, row.request_id.clone());
        let steps = history(row, &context, ConfirmationStatus::Void, None, None);
        let step = undecided(row, &context, ConfirmationStatus::Void, &steps);
        apply(tx, row, &confirmations::Transition { reason: Some(WHY), ..step }).await?;
        let claims = requester_of(row)?;
        let audit = DecisionAudit::new(AuditDecision::Denied, "restored", Some(ErrorCode::Void));
        let catalog = self.catalog_in(tx).await?;
        let caller = claims.into_caller_without_role();
        self.records(&catalog).write_decision(tx, &context, &caller, row, audit);
        Ok(emit::denied(catalog.registry(), self.stamp(context.now), tx, row, Some(WHY)).await?)
    }
}

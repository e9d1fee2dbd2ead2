//! What a database that was restored from a backup can't go on with.

use toolcrib_model::{Outcome, Surface};
use toolcrib_store::{WriteTx, confirmations, open_calls};

use crate::{
    base::ActionError,
    confirm::void::{VoidReason, void},
    declared::open_calls::CallOutcome,
    engine::Engine,
    gates::early_exit::EarlyExit,
};

/// Why a confirmation ended.
const RESTORED: VoidReason =
    VoidReason { reason: "restored", sentence: "the database was restored from a backup" };

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
            let catalog = self.catalog_in(tx).await?;
            let context = self.system_context(Surface::Cli, row.request_id.clone());
            void(tx, &catalog, self.ids.as_ref(), &context, &row, RESTORED).await?;
            ended.confirmations += 1;
        }
        for row in open_calls::all_open(tx).await? {
            let catalog = self.catalog_in(tx).await?;
            let outcome = CallOutcome::without_report(Outcome::Unknown, "restored");
            let context = self.system_context(Surface::Cli, String::new());
            self.end_call(tx, &context, &catalog, &row, outcome).await?;
            ended.calls += 1;
        }
        Ok(ended)
    }
}

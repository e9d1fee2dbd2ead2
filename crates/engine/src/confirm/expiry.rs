//! Expires confirmations that nobody decided in time.

use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Id};
use toolcrib_store::{StoreError, WORKER_LIMIT, WriteTx, confirmations, within};

use crate::{
    base::ActionError,
    confirm::{DecisionAudit, requester_of, transition::undecided, write_decision},
    engine::Engine,
    events::emit,
};

/// Number of records that one query returns.
const BATCH: i64 = 50;

impl Engine {
    /// Marks overdue confirmations as expired, each once with audit row and event, even if several processes
    /// do this. Returns their number. Runs in a worker. Before the worker runs, an overdue record is already
    /// shown as expired and can't be decided.
    pub async fn expire_overdue(&self) -> Result<usize, ActionError> {
        let mut ended = 0;
        loop {
            let found = confirmations::overdue(&self.db, self.clock.now(), BATCH).await?;
            let before = ended;
            for (workspace, id) in &found {
                let mut tx = self.db.begin_write(*workspace).await?;
                let expired = within(WORKER_LIMIT, self.expire(&mut tx, *id)).await?;
                ended += usize::from(tx.end(expired).await?);
            }
            // If another process expired all of them, it expires the rest as well.
            if found.len() < usize::try_from(BATCH).unwrap_or(0) || ended == before {
                return Ok(ended);
            }
        }
    }

    async fn expire(&self, tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
        let Some(row) = confirmations::lock(tx, id).await? else { return Ok(false) };
        let context = self.system_context(row.surface, row.request_id.clone());
        let step = undecided(&row, &context, ConfirmationStatus::Expired, None, None);
        if !row.status.is_open() || confirmations::transition(tx, &row, &step).await?.is_none() {
            return Ok(false);
        }
        let claims = requester_of(&row).map_err(|error| StoreError::Inconsistent(error.detail))?;
        let decision_audit = DecisionAudit::new(AuditDecision::Expired, "expired", Some(ErrorCode::Expired));
        let catalog = self.catalog_in(tx).await.map_err(|error| StoreError::Inconsistent(error.detail))?;
        // Expiry has no acting caller, so the requester's role is not read.
        let caller = claims.into_caller_without_role();
        write_decision(&catalog, self.ids.as_ref(), tx, &context, &caller, &row, decision_audit);
        emit::expired(catalog.registry(), self.stamp(context.now), tx, &row).await?;
        Ok(true)
    }
}

//! Ends calls that were not claimed or not reported in time.

use toolcrib_model::{ErrorCode, ExecutorKind, Id, OpenCallState, Outcome, Surface};
use toolcrib_store::{WORKER_LIMIT, WriteTx, open_calls, within};

use super::end::CallOutcome;
use crate::{base::ActionError, engine::Engine, gates::early_exit::EarlyExit};

/// Number of calls that one query returns.
const BATCH: i64 = 50;
/// Seconds for which a call is kept after its end.
const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

impl Engine {
    /// Ends calls whose time is over, each once even if several processes do this, and deletes calls that ended 30 days
    /// ago. Returns the number of calls that ended. Runs in a worker.
    pub async fn end_overdue_calls(&self) -> Result<usize, ActionError> {
        let mut ended = 0;
        loop {
            let found = open_calls::due(&self.db, self.clock.now(), BATCH).await?;
            let before = ended;
            for call in &found {
                match self.end_overdue(call.workspace_id, call.call_id).await {
                    Ok(has_ended) => ended += usize::from(has_ended),
                    // It is not in the way of others.
                    Err(exit) => {
                        let error = ActionError::from(exit);
                        tracing::error!(call_id = %call.call_id, cause = error.cause(), "an overdue call can't be ended");
                    }
                }
            }
            if found.len() < usize::try_from(BATCH).unwrap_or(0) || ended == before {
                break;
            }
        }
        let long_ago = self.clock.now().plus_seconds(-KEPT_SECONDS);
        let mut tx = self.db.begin_write_as_worker().await?;
        within(WORKER_LIMIT, open_calls::delete_ended_before(&mut tx, long_ago)).await??;
        tx.commit().await?;
        Ok(ended)
    }

    async fn end_overdue(&self, workspace: Id, id: Id) -> Result<bool, EarlyExit> {
        let mut tx = self.db.begin_write(workspace).await?;
        let over = within(WORKER_LIMIT, self.end_overdue_in(&mut tx, id)).await?;
        tx.end(over).await
    }

    async fn end_overdue_in(&self, tx: &mut WriteTx, id: Id) -> Result<bool, EarlyExit> {
        let Some(row) = open_calls::get(tx, id).await? else { return Ok(false) };
        let context = self.system_context(Surface::Rest, String::new());
        let is_over = |time: Option<i64>| time.is_some_and(|end| end <= context.now.as_micros());
        let (outcome, reason) = match row.state {
            OpenCallState::Ready if is_over(row.claim_by) => (Outcome::NotRun, "not_claimed"),
            OpenCallState::Running if is_over(row.end_by) && row.executor == ExecutorKind::Client => {
                (Outcome::Unknown, "not_reported")
            }
            // The process stopped between the request and the commit of its outcome.
            OpenCallState::Running if is_over(row.end_by) => (Outcome::Unknown, "lost"),
            _ => return Ok(false),
        };
        let catalog = self.catalog_in(tx).await?;
        let outcome = CallOutcome::without_report(outcome, reason);
        match self.end_call(tx, &context, &catalog, &row, outcome).await {
            Ok(()) => Ok(true),
            // Another end was faster.
            Err(EarlyExit::Failed(error)) if error.code == ErrorCode::Conflict => Ok(false),
            Err(exit) => Err(exit),
        }
    }
}

//! The end of a write: its action, its audit row and its commit.

use toolcrib_model::ErrorCode;
use toolcrib_store::{AccessRow, StoreError, WriteTx, within};

use super::{Call, remember::remember};
use crate::{
    audit,
    caller::CallerClaims,
    declared::client_calls,
    events::emit,
    gates::{
        self,
        early_exit::{EarlyExit, Refusal},
        limit::Cleared,
    },
    response::CallResponse,
};

impl Call {
    /// Runs gates 10 and 11 and commits. A call that is rolled back as a whole gets its audit row from the exit.
    pub(crate) async fn finish_write(
        &self,
        mut tx: WriteTx,
        cleared: Cleared,
    ) -> Result<CallResponse, EarlyExit> {
        let passed = cleared.clone();
        let ended = match within(self.limit, self.run_and_audit(&mut tx, cleared)).await {
            Ok(outcome) => tx.end(outcome).await,
            Err(stopped) => {
                drop(tx);
                Err(stopped.into())
            }
        };
        ended.map_err(|exit| after_rollback(exit, &passed))
    }

    /// Runs gates 10 and 11 and stores the response under the idempotency key, before the commit.
    async fn run_and_audit(&self, tx: &mut WriteTx, cleared: Cleared) -> Result<CallResponse, EarlyExit> {
        let (engine, context) = (&self.engine, &self.context);
        if let Some(times) = client_calls::client_times(cleared.action()) {
            let response = client_calls::start(engine.ids.as_ref(), context, tx, &cleared, times).await?;
            remember(context, tx, (cleared.action(), cleared.key()), &response).await?;
            return Ok(response);
        }
        let ran = gates::run::write(engine.gate_dependencies(), context, tx, cleared).await;
        let mut row = audit::row(context, ran.action().subject(), ran.audit_outcome(context));
        // If the call created a workspace, the row belongs to the new workspace.
        row.workspace_id = tx.workspace();
        tx.audit(row);
        for event in emit::ran(engine.ids.as_ref(), context, ran.action().subject(), ran.outcome().is_ok()) {
            tx.event(event);
        }
        let (action, key) = (ran.action().clone(), ran.key().cloned());
        let response = gates::run::response_of(context, ran);
        remember(context, tx, (&action, key.as_ref()), &response).await?;
        Ok(response)
    }
}

/// Gives an audit row to the exit of a call that passed its gates and was rolled back. The call gets no row if audit rows
/// can't be written or if it is unknown whether the commit happened.
fn after_rollback(exit: EarlyExit, passed: &Cleared) -> EarlyExit {
    let EarlyExit::Unaudited(error) = exit else { return exit };
    let reason = match error.code {
        ErrorCode::Timeout => "timeout",
        ErrorCode::Internal => "failed",
        _ => return EarlyExit::Unaudited(error),
    };
    EarlyExit::Refused(Box::new(Refusal::rolled_back(error, reason, passed)))
}

impl CallerClaims {
    /// Repeats gates 3 and 5 with what the writing transaction reads.
    pub(crate) fn recheck_access(
        &self,
        access: Option<&AccessRow>,
        cleared: &Cleared,
    ) -> Result<(), EarlyExit> {
        let (caller, policy) = self.caller(access)?;
        let action = cleared.action();
        let is_declared = action.catalog().declared(&action.spec().name).is_some();
        if is_declared && policy.toolset_version != action.policy().toolset_version {
            return Err(EarlyExit::Retry);
        }
        gates::access::recheck(&caller, cleared.action().spec(), &policy).map_err(|error| {
            EarlyExit::Refused(Box::new(Refusal::denied(error, cleared.action().subject().clone())))
        })
    }
}

impl From<StoreError> for EarlyExit {
    fn from(error: StoreError) -> Self {
        Self::Unaudited(error.into())
    }
}

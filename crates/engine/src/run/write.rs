//! A write: gates, action and audit row in one transaction.

use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_store::{WriteTx, within};

use super::Call;
use crate::{
    audit,
    base::CallContext,
    declared::client_calls,
    events::emit,
    gates::{
        self,
        early_exit::{EarlyExit, Refusal},
        idempotency::{Key, KeyState},
        limit::Cleared,
        lookup::FoundCall,
        parse::Parsed,
    },
    response::CallResponse,
};

impl Call {
    /// Runs a write. On SQLite, whose one writer others wait for, the next write of a workspace after one that ended
    /// early is checked in a read first, so that a caller that is refused again and again holds up nobody.
    pub(super) async fn write(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        if !self.engine.db.is_sqlite() {
            return Box::pin(self.write_at_once(parsed)).await;
        }
        let (early_ended, workspace) = (&self.engine.early_ended_writes, self.claims.workspace);
        let ended = if early_ended.contains(workspace) {
            Box::pin(self.check_then_write(parsed)).await
        } else {
            Box::pin(self.write_at_once(parsed)).await
        };
        early_ended.set(workspace, ended.is_err());
        ended
    }

    /// Runs a write: gates, action and audit row in one transaction.
    async fn write_at_once(&self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let (mut tx, access) = self.begin_write().await?;
        match within(self.timeout, self.pass_gates(parsed, &mut tx, access.as_ref())).await? {
            Ok(cleared) => self.finish_write(tx, cleared).await,
            Err(exit) => tx.end(Err(exit)).await,
        }
    }

    /// Runs the gates in a read first, which refuses a call without waiting for the writer of SQLite.
    async fn check_then_write(&self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let cleared = self.pass_gates_in_read(parsed).await?;
        let (tx, access) = self.begin_write().await?;
        match self.claims.recheck_access(access.as_ref(), cleared.call()) {
            Ok(()) => self.finish_write(tx, cleared).await,
            Err(exit) => tx.end(Err(exit)).await,
        }
    }

    /// Runs gates 10 and 11 and commits. A call that took too long or failed internally is rolled back as a whole and
    /// becomes `Refused`, whose audit row `respond_early` commits in a transaction of its own.
    async fn finish_write(&self, mut tx: WriteTx, cleared: Cleared) -> Result<CallResponse, EarlyExit> {
        let passed = cleared.clone();
        let ended = match within(self.timeout, self.run_and_audit(&mut tx, cleared)).await {
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
        if let Some(times) = client_calls::client_times(cleared.call()) {
            let response = client_calls::start(engine.ids.as_ref(), context, tx, &cleared, times).await?;
            store_response(context, tx, cleared.call(), cleared.key(), &response).await?;
            return Ok(response);
        }
        let ran = gates::run::write(engine.gate_dependencies(), context, tx, cleared).await;
        let mut row = audit::row(context, ran.call().facts(), ran.audit_outcome(context));
        // If the call created a workspace, the row belongs to the new workspace.
        row.workspace_id = tx.workspace();
        tx.audit(row);
        for event in emit::ran(engine.ids.as_ref(), context, ran.call().facts(), ran.outcome().is_ok()) {
            tx.event(event);
        }
        let (call, key) = (ran.call().clone(), ran.key().cloned());
        let response = gates::run::response_of(context, ran);
        store_response(context, tx, &call, key.as_ref(), &response).await?;
        Ok(response)
    }
}

/// Stores the response under the call's idempotency key, if it has one.
async fn store_response(
    context: &CallContext,
    tx: &mut WriteTx,
    call: &FoundCall,
    key: Option<&Key>,
    answer: &CallResponse,
) -> Result<(), EarlyExit> {
    // A 5xx error may be temporary, so a retry with the same key must run again.
    let Some(key) = key.filter(|_| answer.status() < 500) else { return Ok(()) };
    // The key is looked up in the workspace in which the call began, even if the call has created another
    // one and switched to it.
    let (ended_in, began_in) = (tx.workspace(), call.facts().caller.workspace);
    tx.switch_workspace(began_in).await?;
    let ended = KeyState::Ended(answer.outcome.without_secrets(call.meta()));
    if !gates::idempotency::store(context, tx, call, key, &ended).await? {
        return Err(EarlyExit::Retry);
    }
    Ok(tx.switch_workspace(ended_in).await?)
}

/// Turns the exit of a call that passed its gates and was rolled back into `Refused`, so that it gets an audit row. The
/// call gets no row if audit rows can't be written or if it is unknown whether the commit happened.
fn after_rollback(exit: EarlyExit, cleared: &Cleared) -> EarlyExit {
    let EarlyExit::Failed(error) = exit else { return exit };
    let reason = match error.code {
        ErrorCode::Timeout => "timeout",
        ErrorCode::Internal => "failed",
        _ => return EarlyExit::Failed(error),
    };
    EarlyExit::Refused(Box::new(Refusal {
        error,
        decision: AuditDecision::AutoAllowed,
        reason,
        facts: cleared.call().facts().clone(),
        limit: Some(cleared.limit()),
        ran: Some(cleared.granted_by()),
    }))
}

//! Writes: gates 3 to 11 in one transaction.

use std::{sync::Arc, time::Duration};

use toolcrib_model::ErrorCode;
use toolcrib_store::{AccessRow, StoreError, Tx, WriteTx, within};

use super::{Engine, keyed_mutex::KeyGuard, remember::remember};
use crate::{
    audit,
    base::CallContext,
    caller::{CallerClaims, unavailable},
    client_calls,
    events::emit,
    gates::{
        self, CallKind,
        early_exit::{EarlyExit, Refusal, in_progress},
        limit::WithinLimits,
        membership::authorize_member,
        parse::Parsed,
    },
    response::CallResponse,
};

/// A running write.
pub(crate) struct WriteCall {
    pub engine: Arc<Engine>,
    pub context: CallContext,
    pub claims: CallerClaims,
    /// The timeout of the gates, and that of the action.
    pub limit: Duration,
}

impl WriteCall {
    pub async fn run(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        if !self.engine.db.is_sqlite() {
            return self.write(parsed).await;
        }
        let (refused_writes, workspace) = (&self.engine.refused_writes, self.claims.workspace);
        let ended = if refused_writes.contains(workspace) {
            self.check_then_write(parsed).await
        } else {
            self.write(parsed).await
        };
        refused_writes.set(workspace, ended.is_err());
        ended
    }

    /// Runs the call in one transaction.
    async fn write(&self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let (mut tx, access) = self.begin().await?;
        match within(self.limit, self.clear(&mut tx, parsed, access.as_ref())).await? {
            Ok(cleared) => self.finish(tx, cleared).await,
            Err(exit) => tx.end(Err(exit)).await,
        }
    }

    /// Runs the gates in a read first, which refuses a call without waiting for the writer of SQLite.
    async fn check_then_write(&self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let (workspace, actor) = (self.claims.workspace, self.claims.actor_ids());
        let (mut tx, access) =
            self.engine.db.read_with_access(workspace, actor).await.map_err(unavailable)?;
        let cleared = self.clear(&mut tx, parsed, access.as_ref()).await;
        tx.end().await?;
        let cleared = cleared?;
        let (tx, access) = self.begin().await?;
        match self.claims.recheck_access(access.as_ref(), &cleared) {
            Ok(()) => self.finish(tx, cleared).await,
            Err(exit) => tx.end(Err(exit)).await,
        }
    }

    async fn begin(&self) -> Result<(WriteTx, Option<AccessRow>), StoreError> {
        self.engine.db.begin_write_as(self.claims.workspace, self.claims.actor_ids()).await
    }

    /// Runs gates 3 to 9.
    async fn clear(
        &self,
        tx: &mut Tx,
        parsed: Parsed,
        access: Option<&AccessRow>,
    ) -> Result<WithinLimits, EarlyExit> {
        let admitted = authorize_member(parsed, &self.claims, access)?;
        let dependencies = self.engine.gate_dependencies();
        gates::run_gates(dependencies, &self.context, CallKind::Write, tx, admitted).await
    }

    /// Runs gates 10 and 11 and commits. A call that is rolled back as a whole gets its audit row from the exit.
    async fn finish(&self, mut tx: WriteTx, cleared: WithinLimits) -> Result<CallResponse, EarlyExit> {
        let passed = cleared.clone();
        let ended = match within(self.limit, finish(&self.engine, &self.context, &mut tx, cleared)).await {
            Ok(outcome) => tx.end(outcome).await,
            Err(stopped) => {
                drop(tx);
                Err(stopped.into())
            }
        };
        ended.map_err(|exit| after_rollback(exit, &passed))
    }
}

/// Gives an audit row to the exit of a call that passed its gates and was rolled back. The call gets no row if audit rows
/// can't be written or if it is unknown whether the commit happened.
fn after_rollback(exit: EarlyExit, passed: &WithinLimits) -> EarlyExit {
    let EarlyExit::Unaudited(error) = exit else { return exit };
    let reason = match error.code {
        ErrorCode::Timeout => "timeout",
        ErrorCode::Internal => "failed",
        _ => return EarlyExit::Unaudited(error),
    };
    EarlyExit::Refused(Box::new(Refusal::rolled_back(error, reason, passed)))
}

/// Runs gates 10 and 11 and stores the response under the idempotency key, before the commit.
async fn finish(
    engine: &Engine,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: WithinLimits,
) -> Result<CallResponse, EarlyExit> {
    if let Some(times) = client_calls::client_times(cleared.action()) {
        let answer = client_calls::start(engine.ids.as_ref(), context, tx, &cleared, times).await?;
        remember(context, tx, (cleared.action(), cleared.key()), &answer).await?;
        return Ok(answer);
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
    let answer = gates::run::response_of(context, ran);
    remember(context, tx, (&action, key.as_ref()), &answer).await?;
    Ok(answer)
}

impl CallerClaims {
    /// Repeats gates 3 and 5 with what the writing transaction reads.
    pub(crate) fn recheck_access(
        &self,
        access: Option<&AccessRow>,
        cleared: &WithinLimits,
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

impl Engine {
    /// Locks the idempotency key of the call, if it has one.
    pub(crate) async fn lock_key(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: &Parsed,
    ) -> Result<Option<KeyGuard>, EarlyExit> {
        let session = claims.session.as_deref();
        let Some(key) = gates::idempotency::key_text(context, session, || parsed.name()) else {
            return Ok(None);
        };
        match self.key_locks.lock(claims.workspace, claims.principal.key(), key).await {
            Some(held) => Ok(Some(held)),
            None => Err(in_progress().into()),
        }
    }
}

impl From<StoreError> for EarlyExit {
    fn from(error: StoreError) -> Self {
        Self::Unaudited(error.into())
    }
}

//! Writes. On PostgreSQL, gates 3 to 11 run in one transaction. On SQLite, gates 3 to 9 run on a reader, and
//! the single writer repeats the access decision with what its own transaction reads.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;
use toolcrib_store::{AccessRow, Db, StoreError, WriteTx, write_job};

use super::{Engine, keyed_mutex::KeyGuard, remember::remember, rollback_record::RollbackRecord};
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
    /// The timeout of the whole write.
    pub limit: Duration,
}

impl WriteCall {
    pub async fn run(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let record = RollbackRecord::default();
        let ended = match self.engine.db {
            Db::Pg(_) => self.write_in_one_transaction(parsed, record.clone()).boxed().await,
            Db::Sqlite(_) => self.check_then_write(parsed, record.clone()).boxed().await,
        };
        ended.map_err(|exit| match exit {
            EarlyExit::Unaudited(error) => record.rolled_back(error),
            exit => exit,
        })
    }

    async fn write_in_one_transaction(
        self,
        parsed: Parsed,
        record: RollbackRecord,
    ) -> Result<CallResponse, EarlyExit> {
        let db = self.engine.db.clone();
        let (workspace, actor) = (self.claims.workspace, self.claims.actor_ids());
        let limit = self.limit;
        let call = Arc::new(self);
        let (first, passed) = (call.clone(), record.clone());
        let job = write_job(move |tx, access| {
            async move {
                let admitted = authorize_member(parsed, &first.claims, access.as_ref())?;
                let dependencies = first.engine.gate_dependencies();
                let cleared =
                    gates::run_gates(dependencies, &first.context, CallKind::Write, tx, admitted).await?;
                record.store(&cleared);
                tx.assume_outcomes();
                finish(&first.engine, &first.context, tx, cleared).await
            }
            .boxed()
        });
        match db.write_with_access(workspace, actor, limit, job).await {
            Err(EarlyExit::RunAgain) => match passed.get() {
                Some(cleared) => call.write(cleared).await,
                None => Err(EarlyExit::Retry),
            },
            ended => ended,
        }
    }

    async fn check_then_write(
        self,
        parsed: Parsed,
        record: RollbackRecord,
    ) -> Result<CallResponse, EarlyExit> {
        let db = self.engine.db.clone();
        let (workspace, actor) = (self.claims.workspace, self.claims.actor_ids());
        let (mut tx, access) = db.read_with_access(workspace, actor).await.map_err(unavailable)?;
        let cleared = match authorize_member(parsed, &self.claims, access.as_ref()) {
            Ok(admitted) => {
                let dependencies = self.engine.gate_dependencies();
                gates::run_gates(dependencies, &self.context, CallKind::Write, &mut tx, admitted).await
            }
            Err(error) => Err(EarlyExit::Unaudited(error)),
        };
        tx.end().await?;
        let cleared = cleared?;
        record.store(&cleared);
        Arc::new(self).write(cleared).await
    }

    /// Runs a call that passed its gates, in a transaction of its own.
    async fn write(self: Arc<Self>, cleared: WithinLimits) -> Result<CallResponse, EarlyExit> {
        let db = self.engine.db.clone();
        let (workspace, actor, limit) = (self.claims.workspace, self.claims.actor_ids(), self.limit);
        let job = write_job(move |tx, access| {
            async move {
                self.claims.recheck_access(access.as_ref(), &cleared)?;
                finish(&self.engine, &self.context, tx, cleared).await
            }
            .boxed()
        });
        db.write_with_access(workspace, actor, limit, job).await
    }
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
        match error {
            StoreError::WrongAssumption => Self::RunAgain,
            error => Self::Unaudited(error.into()),
        }
    }
}

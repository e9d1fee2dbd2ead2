//! Writes. On PostgreSQL, gates 3 to 11 run in one transaction. On SQLite, gates 3 to 9 run on a reader, and
//! the single writer repeats the access decision with what its own transaction reads.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;
use toolcrib_store::{AccessRow, Db, StoreError, WriteTx, write_job};

use super::{Engine, keyed_mutex::KeyGuard, remember::remember, rollback_record::RollbackRecord};
use crate::{
    audit,
    base::{ActionError, CallContext},
    caller::{CallerClaims, unavailable},
    catalog::action::Done,
    client_calls,
    events::emit,
    gates::{
        self, CallKind,
        early_exit::{EarlyExit, Refusal, in_progress},
        limit::WithinLimits,
        membership::authorize_member,
        parse::Parsed,
        parts::{PartialResult, Parts},
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
        let in_parts = || {
            let meta = self.engine.catalog().registry().get(parsed.name());
            meta.is_some_and(|meta| gates::parts::needs_parts(&meta.spec, parsed.arguments()))
        };
        let ended = match self.engine.db {
            Db::Pg(_) if !in_parts() => self.write_in_one_transaction(parsed, record.clone()).boxed().await,
            _ => self.check_then_write(parsed, record.clone()).boxed().await,
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
                finish(&first.engine, &first.context, tx, cleared, None).await
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
        if gates::parts::needs_parts(cleared.action().spec(), &cleared.action().subject().arguments) {
            return self.in_parts(Parts::cut(cleared), &record).await;
        }
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
                finish(&self.engine, &self.context, tx, cleared, None).await
            }
            .boxed()
        });
        db.write_with_access(workspace, actor, limit, job).await
    }

    /// Commits the parts one after another, each with its audit row. Returns the response of the last part,
    /// or of the first that fails.
    async fn in_parts(self, parts: Parts, record: &RollbackRecord) -> Result<CallResponse, EarlyExit> {
        let call = Arc::new(self);
        let mut so_far = PartialResult::default();
        for (cleared, more) in parts.into_calls() {
            record.store(&cleared);
            let ended = call.clone().part(cleared, more, so_far.clone()).await;
            match ended {
                Ok((answer, left)) if more && answer.status() < 400 => {
                    drop(answer);
                    so_far = left;
                }
                Ok((answer, _)) => return Ok(answer),
                Err(EarlyExit::Unaudited(error)) => return Err(EarlyExit::Unaudited(so_far.failed(error))),
                Err(exit) => return Err(exit),
            }
        }
        Err(EarlyExit::Unaudited(ActionError::internal("a call was cut into no parts")))
    }

    async fn part(
        self: Arc<Self>,
        cleared: WithinLimits,
        more: bool,
        so_far: PartialResult,
    ) -> Result<(CallResponse, PartialResult), EarlyExit> {
        let db = self.engine.db.clone();
        let (workspace, actor, limit) = (self.claims.workspace, self.claims.actor_ids(), self.limit);
        // The response names the audit row of the last part.
        let mut context = self.context.clone();
        if more {
            context.call_id = self.engine.new_id();
        }
        let job = write_job(move |tx, access| {
            async move {
                self.claims.recheck_access(access.as_ref(), &cleared)?;
                let mut part = Part { so_far, more };
                let answer = finish(&self.engine, &context, tx, cleared, Some(&mut part)).await?;
                Ok((answer, part.so_far))
            }
            .boxed()
        });
        db.write_with_access(workspace, actor, limit, job).await
    }
}

/// A part of a call that is committed in parts.
struct Part {
    so_far: PartialResult,
    /// Whether other parts follow.
    more: bool,
}

impl Part {
    /// Adds the result of the part. Returns the result of the whole call for the last part.
    fn ended(&mut self, outcome: Result<Done, ActionError>, records: usize) -> Result<Done, ActionError> {
        let done = outcome.map_err(|error| self.so_far.failed(error))?;
        self.so_far.add(&done, records);
        if self.more { Ok(done) } else { std::mem::take(&mut self.so_far).done() }
    }
}

/// Runs gates 10 and 11 and stores the response under the idempotency key, before the commit.
async fn finish(
    engine: &Engine,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: WithinLimits,
    part: Option<&mut Part>,
) -> Result<CallResponse, EarlyExit> {
    if let Some(times) = client_calls::client_times(cleared.action()) {
        let answer = client_calls::start(engine.ids.as_ref(), context, tx, &cleared, times).await?;
        remember(context, tx, (cleared.action(), cleared.key()), &answer).await?;
        return Ok(answer);
    }
    let records = gates::parts::records(&cleared);
    let mut ran = gates::run::write(engine.gate_dependencies(), context, tx, cleared).await;
    let unfinished = part.as_ref().is_some_and(|part| part.more) && ran.outcome().is_ok();
    if let Some(part) = part {
        ran = ran.map_outcome(|outcome| part.ended(outcome, records));
    }
    let mut row = audit::row(context, ran.action().subject(), ran.audit_outcome(context));
    // If the call created a workspace, the row belongs to the new workspace.
    row.workspace_id = tx.workspace();
    tx.audit(row);
    let emitted = if unfinished {
        Vec::new()
    } else {
        emit::ran(engine.ids.as_ref(), context, ran.action().subject(), ran.outcome().is_ok())
    };
    for event in emitted {
        tx.event(event);
    }
    let (action, key) = (ran.action().clone(), ran.key().cloned());
    let answer = gates::run::response_of(context, ran);
    remember(context, tx, (&action, key.as_ref().filter(|_| !unfinished)), &answer).await?;
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

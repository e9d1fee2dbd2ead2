//! Gate 10: runs the action in a transaction of its level. A read has its timeout here, a write in `run::write`.

use std::time::Duration;

use toolcrib_model::{ErrorCode, ExecutorKind, Id};
use toolcrib_registry::LimitClass;
use toolcrib_store::{Tx, WriteTx};

use super::{GateDependencies, idempotency::Key, limit::Cleared, lookup::FoundCall, repair};
use crate::{
    audit::AuditOutcome,
    base::{ActionError, CallContext, Done, mask},
    catalog::{ExternalCx, ReadCx, WriteCx, action::ActionRunner},
    events::emit,
    response::{self, CallResponse, Completed, Outcome},
};

/// A call that ran, successfully or not.
pub struct Executed {
    cleared: Cleared,
    outcome: Result<Done, ActionError>,
}

impl Executed {
    pub fn new(mut cleared: Cleared, outcome: Result<Done, ActionError>) -> Self {
        let facts = cleared.call_mut().facts_mut();
        if let (true, Some(target), Ok(done)) = (facts.appends_created_id, &mut facts.target, &outcome)
            && let Some(id) = created_id(done)
        {
            *target = format!("{target} ({id})");
        }
        Self { cleared, outcome }
    }

    pub fn call(&self) -> &FoundCall {
        self.cleared.call()
    }

    /// Returns what ran the call, if an upstream did.
    pub fn executor(&self) -> Option<ExecutorKind> {
        self.cleared.upstream_runner().map(|runner| runner.executor())
    }

    /// Returns the idempotency key of the call.
    pub fn key(&self) -> Option<&Key> {
        self.cleared.key()
    }

    pub fn outcome(&self) -> &Result<Done, ActionError> {
        &self.outcome
    }

    pub fn audit_outcome(&self, context: &CallContext) -> AuditOutcome {
        AuditOutcome::of_run(context, self.cleared.granted_by(), self.outcome.as_ref().err())
    }
}

/// Returns the id of what an operation created. The audit row needs it: the later use of a key, for example,
/// is found by the key's id.
fn created_id(done: &Done) -> Option<Id> {
    #[derive(serde::Deserialize)]
    struct Made {
        id: Id,
    }
    serde_json::from_str::<Made>(done.data.get()).ok().map(|made| made.id)
}

/// Runs a read in a read-only transaction.
pub async fn read(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    mut cleared: Cleared,
) -> Executed {
    let outcome = loop {
        match read_once(dependencies, context, tx, &cleared).await {
            Err(error) if repair::respell(cleared.call_mut(), &error) => {}
            outcome => break outcome,
        }
    };
    Executed::new(cleared, outcome)
}

async fn read_once(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    cleared: &Cleared,
) -> Result<Done, ActionError> {
    let GateDependencies { limiter, grants, .. } = dependencies;
    let (caller, policy) = (&cleared.call().facts().caller, cleared.call().policy());
    let tools = cleared.call().tools();
    let Some(ActionRunner::Read(runner)) = tools.catalog.runner(&cleared.call().spec().name) else {
        return Err(wrong_runner());
    };
    let mut cx = ReadCx { caller, policy, now: context.now, tx, tools, limiter, grants };
    with_timeout(cleared, runner.run(&mut cx, cleared.call().facts().arguments.clone())).await
}

/// Runs a write. An error rolls back everything that the action wrote. What the gates write afterwards still
/// commits.
pub async fn write(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: Cleared,
) -> Executed {
    let GateDependencies { ids, limiter, grants, .. } = dependencies;
    let (caller, policy) = (&cleared.call().facts().caller, cleared.call().policy());
    let tools = cleared.call().tools();
    let Some(ActionRunner::Write(runner)) = tools.catalog.runner(&cleared.call().spec().name) else {
        return Executed::new(cleared, Err(wrong_runner()));
    };
    let notifies_admins = cleared.call().spec().notifies_admins;
    let now = context.now;
    let mut cx = WriteCx { caller, policy, now, ids, tx: &mut *tx, tools, limiter, grants, notifies_admins };
    let done = runner.run(&mut cx, cleared.call().facts().arguments.clone()).await;
    let notifies_admins = cx.notifies_admins;
    let outcome = match done {
        Ok(done) if notifies_admins => {
            let stamp = emit::Stamp { ids, now };
            let facts = cleared.call().facts();
            let notified = emit::notify_of_call(stamp, context, tx, facts, &done.description).await;
            notified.map(|()| done).map_err(ActionError::from)
        }
        outcome => outcome,
    };
    let outcome = match outcome {
        Ok(done) => Ok(done),
        Err(error) => tx.restart().await.map_err(ActionError::from).and(Err(error)),
    };
    Executed::new(cleared, outcome)
}

/// Runs a read of an external service, without a transaction.
pub async fn external(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    cleared: Cleared,
) -> Executed {
    if let Some(runner) = cleared.upstream_runner() {
        let outcome = runner.send(dependencies.runner_cx(context)).await.of_read();
        return Executed::new(cleared, outcome);
    }
    let GateDependencies { db, mcp_sessions, upstream_client: client, .. } = dependencies;
    let caller = &cleared.call().facts().caller;
    let tools = cleared.call().tools();
    let outcome = match tools.catalog.runner(&cleared.call().spec().name) {
        Some(ActionRunner::External(runner)) => {
            let cx = ExternalCx { caller, now: context.now, tools, db, client, mcp_sessions };
            with_timeout(&cleared, runner.run(&cx, cleared.call().facts().arguments.clone())).await
        }
        _ => Err(wrong_runner()),
    };
    Executed::new(cleared, outcome)
}

async fn with_timeout(
    cleared: &Cleared,
    run: impl Future<Output = Result<Done, ActionError>>,
) -> Result<Done, ActionError> {
    let limit = Duration::from_secs(u64::from(cleared.call().spec().timeout_seconds));
    tokio::time::timeout(limit, run).await.unwrap_or_else(|_| Err(timed_out(cleared.limit().class)))
}

fn timed_out(class: LimitClass) -> ActionError {
    let what = if class == LimitClass::External {
        "the external service did not answer in time"
    } else {
        "the call took too long"
    };
    ActionError::new(ErrorCode::Timeout, format!("{what}; nothing was done"))
}

/// The catalogue checks this at startup, so this error should not occur.
fn wrong_runner() -> ActionError {
    ActionError::internal("the action is registered in another way than its level says")
}

/// Returns the response of a call that reached gate 10.
pub fn response_of(context: &CallContext, ran: Executed) -> CallResponse {
    let Executed { cleared, outcome } = ran;
    let (call, limit) = (cleared.call(), cleared.limit());
    match outcome {
        Ok(done) => {
            let spec = call.spec();
            let mut payload = call.facts().arguments.clone();
            mask::mask(call.meta().input.value(), &mut payload);
            let completed = Completed {
                ok: true,
                status: "completed".into(),
                call_id: Some(context.call_id),
                action: spec.name.to_string(),
                via: Some(call.facts().via),
                permission_level: Some(spec.level),
                description: done.description,
                data: done.data,
                ends: done.ends,
                truncated: done.truncated,
                unreadable: done.unreadable,
                api_call: Some(response::api_call(spec, payload)),
                granted_by: Some(cleared.granted_by()),
                tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
                repaired: call.facts().repaired.clone(),
                replayed: false,
                secret_shown: false,
                executed_at: Some(context.now),
                duration_ms: i64::try_from(context.started.elapsed().as_millis()).ok(),
            };
            CallResponse { limit: Some(limit), ..Outcome::Completed(Box::new(completed)).into() }
        }
        Err(error) => response::refused(context, call.facts(), &error, Some(limit), "failed"),
    }
}

//! Gate 10: the action runs, in a transaction of its level, within its time.

use std::time::Duration;

use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::LimitClass;
use toolcrib_store::{StoreError, Tx, WriteTx};

use super::{idempotency::Key, limit::WithinLimits, lookup::KnownAction};
use crate::{
    ActionError, Engine, ExternalCx, ReadCx, WriteCx,
    action::{Done, Runner},
    call::CallContext,
    caller_tools::CallerTools,
    events::emit,
    limits::LimitState,
};

/// A call that ran, well or not.
pub struct Executed {
    pub(crate) found: KnownAction,
    pub(crate) key: Option<Key>,
    pub(crate) granted_by: &'static str,
    pub(crate) limit: LimitState,
    pub(crate) outcome: Result<Done, ActionError>,
    /// What is told where the commit finds that what was added is there already.
    pub(crate) taken: Option<ActionError>,
}

impl Executed {
    fn new(cleared: WithinLimits, outcome: Result<Done, ActionError>) -> Self {
        let WithinLimits { mut found, key, granted_by, limit, .. } = cleared;
        if let (true, Some(target), Ok(done)) = (found.subject.creates, &mut found.subject.target, &outcome)
            && let Some(id) = made(done)
        {
            *target = format!("{target} ({id})");
        }
        Self { found, key, granted_by, limit, outcome, taken: None }
    }
}

/// The id of what an operation made. Its audit row says it: what is done with a key, say, is found by the id of the key.
fn made(done: &Done) -> Option<Id> {
    #[derive(serde::Deserialize)]
    struct Made {
        id: Id,
    }
    serde_json::from_str::<Made>(done.data.get()).ok().map(|made| made.id)
}

/// Runs a read in its read-only transaction.
pub async fn read(engine: &Engine, context: &CallContext, tx: &mut Tx, cleared: WithinLimits) -> Executed {
    let (catalog, limiter) = (&engine.catalog, engine.limiter.as_ref());
    let (caller, policy) = (&cleared.found.subject.caller, &cleared.found.policy);
    let tools = CallerTools::new(catalog, caller, policy);
    let outcome = match catalog.runner(cleared.found.meta.spec.name) {
        Some(Runner::Read(runner)) => {
            let mut cx = ReadCx { caller, policy, now: context.now, tx, tools, limiter };
            let run = runner.run(&mut cx, cleared.found.subject.arguments.clone());
            within(&cleared, run).await
        }
        _ => Err(wrong_way()),
    };
    Executed::new(cleared, outcome)
}

/// Runs a write. On an error everything it changed is taken back; what the gates write afterwards still commits.
pub async fn write(
    engine: &Engine,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: WithinLimits,
) -> Executed {
    let Engine { catalog, ids, limiter, .. } = engine;
    let (ids, limiter) = (ids.as_ref(), limiter.as_ref());
    let (caller, policy) = (&cleared.found.subject.caller, &cleared.found.policy);
    let tools = CallerTools::new(catalog, caller, policy);
    let Some(Runner::Write(runner)) = catalog.runner(cleared.found.meta.spec.name) else {
        return Executed::new(cleared, Err(wrong_way()));
    };
    let tells_admins = cleared.found.meta.spec.notifies_admins;
    let (now, taken) = (context.now, None);
    let mut cx = WriteCx { caller, policy, now, ids, tx: &mut *tx, tools, limiter, tells_admins, taken };
    let done = runner.run(&mut cx, cleared.found.subject.arguments.clone()).await;
    let (tells_admins, taken) = (cx.tells_admins, cx.taken);
    let outcome = match done {
        Ok(done) => {
            let told = tells_admins.then_some(emit::Stamp { ids, now: context.now });
            let went = add_side_rows(told, context, tx, &cleared, &done).await;
            went.map(|()| done).map_err(|fault| as_told(fault, taken.as_ref()))
        }
        Err(fault) => Err(fault),
    };
    let outcome = match outcome {
        Ok(done) => Ok(done),
        Err(fault) => tx.rollback().await.map_err(ActionError::from).and(Err(fault)),
    };
    Executed { taken, ..Executed::new(cleared, outcome) }
}

/// A row that is there already is told as the action said.
fn as_told(fault: StoreError, taken: Option<&ActionError>) -> ActionError {
    match (fault, taken) {
        (StoreError::Duplicate, Some(taken)) => taken.clone(),
        (fault, _) => fault.into(),
    }
}

/// What goes with an action that ran well. Where more will be asked of the database than to commit, what the action left
/// for then is done now: a row that is there already is this action's failure.
async fn add_side_rows(
    told: Option<emit::Stamp<'_>>,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: &WithinLimits,
    done: &Done,
) -> Result<(), StoreError> {
    if let Some(stamp) = told {
        emit::admins(stamp, context, tx, &cleared.found, &done.description).await?;
    }
    if cleared.key.is_some() || context.confirmation.is_some() {
        tx.flush().await?;
    }
    Ok(())
}

/// Runs an action that asks an outside service, without any transaction.
pub async fn external(engine: &Engine, context: &CallContext, cleared: WithinLimits) -> Executed {
    let Engine { catalog, db, .. } = engine;
    let (caller, policy) = (&cleared.found.subject.caller, &cleared.found.policy);
    let tools = CallerTools::new(catalog, caller, policy);
    let outcome = match catalog.runner(cleared.found.meta.spec.name) {
        Some(Runner::External(runner)) => {
            let cx = ExternalCx { caller, now: context.now, tools, db };
            within(&cleared, runner.run(&cx, cleared.found.subject.arguments.clone())).await
        }
        _ => Err(wrong_way()),
    };
    Executed::new(cleared, outcome)
}

async fn within(
    cleared: &WithinLimits,
    run: impl Future<Output = Result<Done, ActionError>>,
) -> Result<Done, ActionError> {
    let limit = Duration::from_secs(u64::from(cleared.found.meta.spec.timeout_seconds));
    tokio::time::timeout(limit, run).await.unwrap_or_else(|_| Err(timed_out(cleared.limit.class)))
}

fn timed_out(class: LimitClass) -> ActionError {
    let what = if class == LimitClass::External {
        "the outside service did not answer in time"
    } else {
        "it took too long"
    };
    ActionError::new(ErrorCode::Timeout, format!("{what}; nothing was done"))
}

/// The catalogue checks this at start-up; here it is refused once more.
fn wrong_way() -> ActionError {
    ActionError::internal("the action is registered in another way than its level says")
}

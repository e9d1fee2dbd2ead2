//! Calls of tools that the caller runs: a read is handed out, a write is started and waits to be claimed.
//!
//! The call passed all gates. What it changes lies outside of this service, so its outcome is what the caller reports
//! (`crate::declared::open_calls`).

use serde_json::Value;
use toolcrib_model::{self as model, AuditDecision, ErrorCode, ExecutorKind, Id, IdGen, Ts};
use toolcrib_registry::Level;
use toolcrib_store::{
    AuditRow, WriteTx,
    confirmations::Requester,
    open_calls::{self, OpenCallRow},
};
use toolcrib_toolset::ToolExecutor;

use crate::{
    base::{ActionError, CallContext},
    catalog::Catalog,
    confirm::view::masked,
    declared::started_calls,
    events::emit,
    gates::{early_exit::EarlyExit, limit::Cleared, lookup::FoundCall},
    response::{CallResponse, Outcome, ToRun},
};

/// The most open calls that one caller runs.
const MAX_OPEN_PER_CALLER: i64 = 50;
/// The most open calls of a workspace that their callers run.
const MAX_OPEN_PER_WORKSPACE: i64 = 500;

/// The times of a tool that the caller runs, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientTimes {
    /// Seconds within which a call must be claimed.
    pub claim: u32,
    /// Seconds within which a claimed call must end.
    pub run: u32,
}

/// Returns the times of an action that the caller runs; `None` for the others.
pub(crate) fn client_times(call: &FoundCall) -> Option<ClientTimes> {
    times_of(call.catalog(), &call.spec().name)
}

/// Like [`client_times`], by name.
pub(crate) fn times_of(catalog: &Catalog, name: &str) -> Option<ClientTimes> {
    match catalog.declared(name)?.executor {
        ToolExecutor::Client { claim_seconds, run_seconds } => {
            Some(ClientTimes { claim: claim_seconds, run: run_seconds })
        }
        _ => None,
    }
}

/// Returns the response to a read, with the arguments to run it with, and its audit row.
pub(crate) fn hand_out(context: &CallContext, cleared: &Cleared) -> (CallResponse, AuditRow) {
    let row = started_calls::audit_row(context, cleared, ExecutorKind::Client, model::Outcome::HandedOut);
    (response(context, cleared, None), row)
}

/// Starts a write that the caller runs: inserts the open call, the start row and the events in one commit. Refuses too
/// many open calls.
pub(crate) async fn start(
    ids: &dyn IdGen,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: &Cleared,
    times: ClientTimes,
) -> Result<CallResponse, EarlyExit> {
    let claim_by = context.now.plus_seconds(i64::from(times.claim));
    let row = OpenCallRow {
        claim_by: Some(claim_by.as_micros()),
        ..started_calls::open_call(context, cleared, ExecutorKind::Client)
    };
    open_calls::lock_inserts(tx).await?;
    if let Some(error) = too_many(tx, row.principal()).await? {
        return Err(cleared.call().refuse(error, AuditDecision::RateLimited, "too_many_open_calls"));
    }
    open_calls::insert(tx, &row).await?;
    tx.audit(started_calls::audit_row(context, cleared, ExecutorKind::Client, model::Outcome::Started));
    for event in emit::to_run(ids, context, cleared.call().facts(), Some(claim_by)) {
        tx.event(event);
    }
    Ok(response(context, cleared, Some(claim_by)))
}

async fn too_many(tx: &mut WriteTx, by: Requester) -> Result<Option<ActionError>, EarlyExit> {
    let (own, all) = open_calls::count_open(tx, by).await?;
    let of_caller = own >= MAX_OPEN_PER_CALLER;
    if !of_caller && all < MAX_OPEN_PER_WORKSPACE {
        return Ok(None);
    }
    let whose = if of_caller {
        format!("{MAX_OPEN_PER_CALLER} calls of this caller")
    } else {
        format!("{MAX_OPEN_PER_WORKSPACE} calls of this workspace")
    };
    let error =
        ActionError::new(ErrorCode::TooManyPending, format!("{whose} are not finished by the application"));
    Ok(Some(error.hint("`GET /v1/calls?open=true` lists them; report their outcomes, or revoke them")))
}

fn response(context: &CallContext, cleared: &Cleared, claim_by: Option<Ts>) -> CallResponse {
    let facts = cleared.call().facts();
    let (catalog, arguments) = (cleared.call().catalog(), facts.arguments.clone());
    let body = ToRun {
        repaired: facts.repaired.clone(),
        tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
        ..to_run(catalog, context.call_id, &facts.action, arguments, claim_by)
    };
    CallResponse { limit: Some(cleared.limit()), ..Outcome::ToRun(Box::new(body)).into() }
}

/// Makes the response about a call: its id, tool and arguments. A call with `claim_by` is claimed first, so its
/// sensitive arguments are masked.
pub(crate) fn to_run(
    catalog: &Catalog,
    call_id: Id,
    action: &str,
    arguments: Value,
    claim_by: Option<Ts>,
) -> ToRun {
    let meta = catalog.registry().get(action).map(AsRef::as_ref);
    let tool = catalog.declared(action).zip(meta);
    ToRun {
        ok: false,
        status: "client_execution_required".into(),
        call_id,
        action: action.to_owned(),
        permission_level: meta.map_or(Level::Write, |meta| meta.spec.level),
        description: tool.map(|(tool, meta)| tool.sentence(meta, &arguments)).unwrap_or_default(),
        arguments: if claim_by.is_some() { masked(meta, arguments) } else { arguments },
        claim: claim_by.is_some(),
        claim_by,
        repaired: Vec::new(),
        tool_call_id: None,
    }
}

//! Calls of tools that the caller runs: a read is handed out, a write is started and waits to be claimed.
//!
//! The call passed all gates. What it changes lies outside of this service, so its outcome is what the caller reports
//! (`crate::open_calls`).

mod start;

pub(crate) use start::start;

use serde_json::Value;
use toolcrib_model::{ExecutorKind, Outcome, Ts};
use toolcrib_registry::Level;
use toolcrib_store::AuditRow;
use toolcrib_toolset::ToolExecutor;

use crate::{
    audit::{self, AuditOutcome},
    base::{CallContext, mask},
    catalog::Catalog,
    gates::{limit::WithinLimits, lookup::KnownAction},
    response::{CallResponse, ResponseBody, ToRun},
};

/// The times of a tool that the caller runs, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientTimes {
    /// In which a call must be claimed.
    pub claim: u32,
    /// In which a claimed call must end.
    pub run: u32,
}

/// Returns the times of an action that the caller runs; `None` for the others.
pub(crate) fn client_times(action: &KnownAction) -> Option<ClientTimes> {
    times_of(action.catalog(), &action.spec().name)
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
pub(crate) fn hand_out(context: &CallContext, cleared: &WithinLimits) -> (CallResponse, AuditRow) {
    let row = audit_row(context, cleared, Outcome::HandedOut);
    (response(context, cleared, None), row)
}

/// Makes the audit row of a call that the caller runs.
fn audit_row(context: &CallContext, cleared: &WithinLimits, outcome: Outcome) -> AuditRow {
    let action = cleared.action();
    let passed = AuditOutcome { outcome, ..AuditOutcome::of_run(context, cleared.granted_by(), None) };
    AuditRow {
        executor: Some(ExecutorKind::Client),
        definition: Some(action.meta().definition().to_owned()),
        ..audit::row(context, action.subject(), passed)
    }
}

/// Makes the response. A call with `claim_by` is claimed first, so its sensitive arguments are masked.
fn response(context: &CallContext, cleared: &WithinLimits, claim_by: Option<Ts>) -> CallResponse {
    let action = cleared.action();
    let (spec, subject) = (action.spec(), action.subject());
    let body = ToRun {
        ok: false,
        status: "client_execution_required",
        call_id: context.call_id,
        action: spec.name.to_string(),
        permission_level: spec.level,
        description: description(action),
        arguments: if claim_by.is_some() { masked(action) } else { subject.arguments.clone() },
        claim: spec.level != Level::Read,
        claim_by,
        repaired: subject.repaired.clone(),
        tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
    };
    CallResponse { body: ResponseBody::ToRun(Box::new(body)), limit: Some(cleared.limit()) }
}

fn description(action: &KnownAction) -> String {
    let tool = action.catalog().declared(&action.spec().name);
    tool.map(|tool| tool.sentence(action.meta(), &action.subject().arguments)).unwrap_or_default()
}

fn masked(action: &KnownAction) -> Value {
    let mut masked = action.subject().arguments.clone();
    mask::mask(action.meta().input.value(), &mut masked);
    masked
}

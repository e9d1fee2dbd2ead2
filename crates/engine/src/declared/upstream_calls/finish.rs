//! Sends the request of a started call, and commits how it ended.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use toolcrib_model::{self as model, ErrorCode, Id, OpenCallState};
use toolcrib_store::{
    WORKER_LIMIT, WriteTx,
    open_calls::{self, OpenCallRow},
    within,
};

use crate::{
    base::{ActionError, CallContext, mask},
    catalog::{Catalog, action::Done},
    declared::{
        open_calls::{CallAnswer, CallOutcome, CallResult},
        started_calls::StartedCall,
    },
    engine::Engine,
    gates::{self, early_exit::EarlyExit, lookup::KnownAction},
    response::{self, CallResponse, Outcome},
    upstream_requests::{UpstreamEnd, unknown},
};

/// How long the commit of an outcome waits before each further attempt.
const RETRIES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// The largest output that is kept with the call, in bytes of JSON.
const MAX_KEPT_OUTPUT: usize = 64 * 1024;

/// How a started call ended, as it is committed.
struct Ending {
    workspace: Id,
    /// The call as it was started.
    row: OpenCallRow,
    catalog: Arc<Catalog>,
    outcome: model::Outcome,
    answer: CallAnswer,
}

impl Engine {
    /// Sends the request, once, and commits the outcome row before it returns the response.
    pub(crate) async fn finish_call(self: &Arc<Self>, started: StartedCall) -> CallResponse {
        let StartedCall { context, cleared, row, runner } = started;
        let end = runner.send(self.gate_dependencies().runner_cx(&context)).await;
        let action = cleared.action().clone();
        let (outcome, releases_key) = (end.outcome(), matches!(end, UpstreamEnd::Failed { sent: false, .. }));
        let done = end.of_write();
        let result = stored_result(&action, outcome, &done);
        let error = done.as_ref().err().map(|error| error.code);
        let response = gates::run::upstream_response(&context, cleared, done);
        let kept = stored_outcome(&action, &response.outcome);
        let answer = CallAnswer { outcome: kept, result, error, releases_key };
        let (workspace, catalog) = (action.subject().caller.workspace, action.catalog().clone());
        let call_id = row.call_id;
        let ending = Ending { workspace, row, catalog, outcome, answer };
        match self.commit_ending(&context, &ending).await {
            Ok(()) => response,
            // Without its outcome row the call has no outcome: a worker will record that nobody knows it.
            Err(error) => {
                let cause = error.internal.as_deref().unwrap_or(&error.detail);
                tracing::error!(%call_id, cause, "the outcome of a call can't be recorded");
                let error = unknown("its outcome can't be recorded now");
                response::refused(&context, action.subject(), &error, None, "failed")
            }
        }
    }

    async fn commit_ending(&self, context: &CallContext, ending: &Ending) -> Result<(), ActionError> {
        let mut waits = RETRIES.into_iter();
        loop {
            let now = self.clock.now();
            let context = CallContext { call_id: self.ids.new_id(now), now, ..context.clone() };
            let ended = self.try_ending(&context, ending).await;
            match (ended.map_err(ActionError::from), waits.next()) {
                (Err(error), Some(wait)) if error.code.status() >= 500 => {
                    tracing::warn!(code = error.code.as_str(), "the commit of an outcome is repeated");
                    tokio::time::sleep(wait).await;
                }
                (ended, _) => return ended,
            }
        }
    }

    async fn try_ending(&self, context: &CallContext, ending: &Ending) -> Result<(), EarlyExit> {
        let mut tx = self.db.begin_write(ending.workspace).await?;
        let ended = within(WORKER_LIMIT, self.end_started(&mut tx, context, ending)).await?;
        tx.end(ended).await
    }

    async fn end_started(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        ending: &Ending,
    ) -> Result<(), EarlyExit> {
        // As a rule nobody else ended the call, so that it is still as it was started.
        let outcome = CallOutcome::answered(ending.outcome, None, &ending.answer);
        match self.end_call(tx, context, (&ending.catalog, &ending.row), outcome).await {
            Err(EarlyExit::Unaudited(error)) if error.code == ErrorCode::Conflict => {}
            ended => return ended,
        }
        // Another end was faster: that of the worker, or an earlier attempt that was committed although its connection was
        // lost.
        let found = open_calls::get(tx, ending.row.call_id).await?;
        let is_late = |row: &OpenCallRow| {
            row.state == OpenCallState::Unknown && ending.outcome != model::Outcome::Unknown
        };
        let Some(row) = found.filter(is_late) else { return Ok(()) };
        let outcome = CallOutcome::answered(ending.outcome, Some("late"), &ending.answer);
        match self.end_call(tx, context, (&ending.catalog, &row), outcome).await {
            Err(EarlyExit::Unaudited(error)) if error.code == ErrorCode::Conflict => Ok(()),
            ended => ended,
        }
    }
}

/// Returns the end as it is shown with the call: its sensitive values masked, without a large output.
fn stored_result(
    action: &KnownAction,
    status: model::Outcome,
    done: &Result<Done, ActionError>,
) -> CallResult {
    match done {
        Ok(done) => {
            let output = (done.data.get().len() <= MAX_KEPT_OUTPUT).then(|| {
                let mut output: Value = serde_json::from_str(done.data.get()).unwrap_or_default();
                mask::mask(action.meta().output.value(), &mut output);
                output
            });
            CallResult { description: Some(done.description.clone()), output, ..CallResult::new(status) }
        }
        Err(error) => CallResult { error: Some(error.detail.clone()), ..CallResult::new(status) },
    }
}

/// Returns the outcome as it is stored for repeated calls and with a confirmation.
fn stored_outcome(action: &KnownAction, outcome: &Outcome) -> Outcome {
    let mut kept = outcome.without_secrets(action.meta());
    if let Outcome::Completed(done) = &mut kept
        && done.data.get().len() > MAX_KEPT_OUTPUT
    {
        done.data = Box::default();
    }
    kept
}

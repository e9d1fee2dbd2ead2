//! Writes that an upstream runs. The commit that lets a call out repeats the access decision and has the start row; the
//! request is sent once, without a transaction; another commit has the outcome row.
//!
//! Before a person is asked about a call, the upstream is asked: for the session of the call, and its target.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use toolcrib_access::Limits;
use toolcrib_model::{self as model, AuditDecision, ErrorCode, Id, OpenCallState};
use toolcrib_registry::LimitClass;
use toolcrib_store::{
    WORKER_LIMIT, WriteTx,
    open_calls::{self, OpenCallRow},
    open_effects, within,
};

use crate::{
    base::{ActionError, CallContext, Done, UpstreamTarget, mask},
    catalog::{
        Catalog,
        action::{EffectCall, Found},
    },
    declared::{
        effects::{RecordFailed, first_look},
        open_calls::{CallAnswer, CallOutcome, CallResult},
        started_calls::StartedCall,
    },
    engine::Engine,
    gates::{
        self, confirmation::ConfirmationRequest, early_exit::EarlyExit, limit::Cleared, lookup::FoundCall,
    },
    limits::of_workspace,
    response::{self, CallResponse, Outcome},
    upstream_requests::{Runner, UpstreamEnd, unknown},
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
    /// Who ran a compiled effect, and its output if it succeeded.
    effect: Option<(Arc<dyn Runner>, Option<Value>)>,
}

impl Engine {
    /// Opens the session of a call that a person will be asked about. Returns its target; `None` if it has none there.
    pub(crate) async fn ask_before_confirmation(
        &self,
        context: &CallContext,
        request: &ConfirmationRequest,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (Some(runner), call) = (request.resolved.upstream_runner(), request.call()) else {
            return Ok(None);
        };
        let opened = runner.clone().open_session(self.gate_dependencies().runner_cx(context)).await;
        opened.map_err(|no_session| no_session.exit(call))?;
        self.target_of(context, call, runner.as_ref()).await
    }

    /// Resolves an effect about which nobody is asked.
    pub(crate) async fn resolve_effect(
        &self,
        context: &CallContext,
        cleared: &Cleared,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (Some(runner), call) = (cleared.upstream_runner(), cleared.call()) else { return Ok(None) };
        self.target_of(context, call, runner.as_ref()).await
    }

    /// Looks up the target of a call, and refuses the call if that fails.
    async fn target_of(
        &self,
        context: &CallContext,
        call: &FoundCall,
        runner: &dyn Runner,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (workspace, limits) = (call.facts().caller.workspace, &call.policy().limits);
        let target = self.look_up_target(context, workspace, limits, runner).await;
        target.map_err(|error| call.refuse(error, AuditDecision::Invalid, "target"))
    }

    /// Looks up the target of a call, within the limits of its workspace; `None` if it has none.
    pub(crate) async fn look_up_target(
        &self,
        context: &CallContext,
        workspace: Id,
        limits: &Limits,
        runner: &dyn Runner,
    ) -> Result<Option<UpstreamTarget>, ActionError> {
        if !runner.has_target() {
            return Ok(None);
        }
        match self.limiter.spend(of_workspace(workspace, LimitClass::External, limits)).await {
            Ok(_) => runner.target(self.gate_dependencies().runner_cx(context)).await.map(Some),
            Err(limited) => Err(limited.error(LimitClass::External)),
        }
    }

    /// Sends the request, once, and commits the outcome row before it returns the response.
    pub(crate) async fn finish_call(self: &Arc<Self>, started: StartedCall) -> CallResponse {
        let StartedCall { context, cleared, row, runner } = started;
        let end = runner.send(self.gate_dependencies().runner_cx(&context)).await;
        let end = self.look_up_unknown(&context, &row, runner.as_ref(), end).await;
        let call = cleared.call().clone();
        let (outcome, releases_key) = (end.outcome(), matches!(end, UpstreamEnd::Failed { sent: false, .. }));
        let done = end.of_write();
        let result = stored_result(&call, outcome, &done);
        let error = done.as_ref().err().map(|error| error.code);
        let output = done.as_ref().ok().and_then(|done| serde_json::from_str(done.data.get()).ok());
        let effect = runner.effect().is_some().then(|| (runner.clone(), output));
        let response = gates::run::response_of(&context, gates::run::Executed::new(cleared, done));
        let kept = stored_outcome(&call, &response.outcome);
        let answer = CallAnswer { outcome: kept, result, error, releases_key };
        let (workspace, catalog) = (call.facts().caller.workspace, call.catalog().clone());
        let call_id = row.call_id;
        let ending = Ending { workspace, row, catalog, outcome, answer, effect };
        match self.commit_ending(&context, &ending).await {
            Ok(()) => response,
            // Without its outcome row the call has no outcome: a worker will record that nobody knows it.
            Err(error) => {
                tracing::error!(%call_id, cause = error.cause(), "the outcome of a call can't be recorded");
                let error = unknown("its outcome can't be recorded now");
                response::refused(&context, call.facts(), &error, None, "failed")
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

    /// Commits the outcome with the record of an effect. A record that fails is left to a worker: the outcome is true
    /// without it.
    async fn try_ending(&self, context: &CallContext, ending: &Ending) -> Result<(), EarlyExit> {
        let mut ended = self.try_ending_with(context, ending, true).await;
        if let Err(RecordFailed::Record(error)) = &ended {
            tracing::warn!(call_id = %ending.row.call_id, cause = error.cause(), "the record of an effect is deferred");
            ended = self.try_ending_with(context, ending, false).await;
        }
        ended.map_err(RecordFailed::into_exit)
    }

    async fn try_ending_with(
        &self,
        context: &CallContext,
        ending: &Ending,
        record: bool,
    ) -> Result<(), RecordFailed> {
        let mut tx = self.db.begin_write(ending.workspace).await?;
        let work = async {
            let reason = (!record).then_some("record_deferred");
            self.end_started(&mut tx, context, ending, reason).await?;
            self.end_effect_row(&mut tx, ending, record).await
        };
        let ended = within(WORKER_LIMIT, work).await?;
        tx.end(ended).await
    }

    /// Deletes the row of an effect that ended, with its record; keeps it for a worker otherwise.
    async fn end_effect_row(
        &self,
        tx: &mut WriteTx,
        ending: &Ending,
        record: bool,
    ) -> Result<(), RecordFailed> {
        let Some((runner, output)) = &ending.effect else { return Ok(()) };
        let (Some(effect), call_id) = (runner.effect(), ending.row.call_id) else { return Ok(()) };
        let call = EffectCall { call_id, started_at: ending.row.created_at };
        let next = first_look(self.clock.now());
        match (ending.outcome, output) {
            // A worker that was faster has set the next look.
            (model::Outcome::Unknown, _) => drop(open_effects::claim(tx, call_id, 0, next).await?),
            (model::Outcome::Succeeded, Some(output)) if record => {
                if open_effects::delete(tx, call_id).await? {
                    let recorded = self.record_effect(tx, effect, &call, output.clone()).await;
                    recorded.map_err(RecordFailed::Record)?;
                }
            }
            (model::Outcome::Succeeded, Some(output)) => {
                open_effects::defer_record(tx, call_id, next, &output.to_string()).await?;
            }
            _ => drop(open_effects::delete(tx, call_id).await?),
        }
        Ok(())
    }

    /// Looks up an effect whose end nobody knows, a few times while its caller waits. What is not there may still come,
    /// because a server goes on with a request whose client left: then nobody knows it yet.
    async fn look_up_unknown(
        &self,
        context: &CallContext,
        row: &OpenCallRow,
        runner: &dyn Runner,
        end: UpstreamEnd,
    ) -> UpstreamEnd {
        let (UpstreamEnd::Unknown(_), Some(effect)) = (&end, runner.effect()) else { return end };
        let call = EffectCall { call_id: row.call_id, started_at: row.created_at };
        for wait in self.settings.effect_looks.clone() {
            tokio::time::sleep(wait).await;
            let cx = self.gate_dependencies().runner_cx(context);
            if let Found::True(done) = effect.look_up(cx, &call).await {
                return UpstreamEnd::Succeeded(done);
            }
        }
        end
    }

    async fn end_started(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        ending: &Ending,
        reason: Option<&'static str>,
    ) -> Result<(), EarlyExit> {
        // As a rule nobody else ended the call, so that it is still as it was started.
        let outcome = CallOutcome::answered(ending.outcome, reason, &ending.answer);
        match self.end_call(tx, context, &ending.catalog, &ending.row, outcome).await {
            Err(EarlyExit::Failed(error)) if error.code == ErrorCode::Conflict => {}
            ended => return ended,
        }
        // Another end was faster: that of the worker, or an earlier attempt that was committed although its connection
        // was lost.
        let found = open_calls::get(tx, ending.row.call_id).await?;
        let is_late = |row: &OpenCallRow| {
            row.state == OpenCallState::Unknown && ending.outcome != model::Outcome::Unknown
        };
        let Some(row) = found.filter(is_late) else { return Ok(()) };
        let outcome = CallOutcome::answered(ending.outcome, Some("late"), &ending.answer);
        match self.end_call(tx, context, &ending.catalog, &row, outcome).await {
            Err(EarlyExit::Failed(error)) if error.code == ErrorCode::Conflict => Ok(()),
            ended => ended,
        }
    }
}

/// Returns the end as it is shown with the call: its sensitive values masked, without a large output.
fn stored_result(call: &FoundCall, status: model::Outcome, done: &Result<Done, ActionError>) -> CallResult {
    match done {
        Ok(done) => {
            let output = (done.data.get().len() <= MAX_KEPT_OUTPUT).then(|| {
                let mut output: Value = serde_json::from_str(done.data.get()).unwrap_or_default();
                mask::mask(call.meta().output.value(), &mut output);
                output
            });
            CallResult { description: Some(done.description.clone()), output, ..CallResult::new(status) }
        }
        Err(error) => CallResult { error: Some(error.detail.clone()), ..CallResult::new(status) },
    }
}

/// Returns the outcome as it is stored for repeated calls and with a confirmation.
fn stored_outcome(call: &FoundCall, outcome: &Outcome) -> Outcome {
    let mut kept = outcome.without_secrets(call.meta());
    if let Outcome::Completed(done) = &mut kept
        && done.data.get().len() > MAX_KEPT_OUTPUT
    {
        done.data = Box::default();
    }
    kept
}

//! Ends of effects that nobody knows: a worker looks them up at the server, and writes records that failed.

mod lookups;

use std::sync::Arc;

pub use lookups::EffectLookups;
use serde_json::Value;
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{ErrorCode, Id, NotificationKind, OpenCallState, Outcome, Surface, Ts};
use toolcrib_store::{
    WORKER_LIMIT, WriteTx, open_calls, open_calls::OpenCallRow, open_effects, open_effects::OpenEffectRow,
    within,
};

use super::open_calls::{CallAnswer, CallOutcome, CallResult, late_outcome};
use crate::{
    base::{ActionError, Done, EffectResolution},
    caller::CallerClaims,
    catalog::{
        CallerTools, Catalog, WriteCx,
        action::{ActionRunner, EffectCall, Found},
    },
    engine::Engine,
    events::{NotificationText, notify_admins},
    gates::early_exit::EarlyExit,
    upstream_requests::{EffectRunner, RunnerCx},
};

/// Seconds from a failed look-up to the next. After the last, an effect that is not there has failed, and a record that
/// can't be written is the admins' business.
const RETRY_SECONDS: [i64; 4] = [60, 5 * 60, 30 * 60, 24 * 60 * 60];

/// Returns when a worker looks an effect up first.
pub(super) fn first_look(now: Ts) -> Ts {
    now.plus_seconds(RETRY_SECONDS[0])
}

/// Returns when a worker looks an effect up next, after this many look-ups; `None` after the last.
fn next_look(now: Ts, looks: i64) -> Option<Ts> {
    let seconds = RETRY_SECONDS.get(usize::try_from(looks).unwrap_or(usize::MAX))?;
    Some(now.plus_seconds(*seconds))
}

/// What a look-up did.
enum LookupOutcome {
    /// Its outcome and its record are committed.
    Ended,
    /// It has another look-up.
    Later,
    /// The service could not say, or the record failed.
    Unknown,
}

/// Why an outcome was not committed.
pub(super) enum RecordFailed {
    /// The pack's own rows could not be written.
    Record(ActionError),
    Other(EarlyExit),
}

impl RecordFailed {
    pub(super) fn into_exit(self) -> EarlyExit {
        match self {
            Self::Record(error) => EarlyExit::Failed(error),
            Self::Other(exit) => exit,
        }
    }
}

impl<E: Into<EarlyExit>> From<E> for RecordFailed {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// A look-up of an effect that this process has claimed.
struct Lookup<'l> {
    workspace: Id,
    row: &'l OpenEffectRow,
    call: Option<OpenCallRow>,
    catalog: &'l Arc<Catalog>,
    /// Whether no look-up comes after this one.
    is_last: bool,
}

/// How an effect ended, as a look-up found out.
struct LateEnd<'l> {
    lookup: &'l Lookup<'l>,
    runner: EffectRunner,
    /// The outcome of the call; `None` if it is committed and the record alone is missing.
    done: Option<Result<Done, ActionError>>,
}

impl LateEnd<'_> {
    /// Returns the output of a success, which is recorded.
    fn output(&self) -> Option<Value> {
        match &self.done {
            Some(done) => serde_json::from_str(done.as_ref().ok()?.data.get()).ok(),
            None => serde_json::from_str(self.lookup.row.output.as_deref()?).ok(),
        }
    }
}

impl Engine {
    /// Looks up the next due effect of a workspace; `None` if there is none. The look is claimed first: its number is
    /// counted, and the next look-up comes at its time whatever becomes of this one.
    async fn look_up_next(
        &self,
        workspace: Id,
        actions: &[String],
    ) -> Result<Option<LookupOutcome>, EarlyExit> {
        let now = self.clock.now();
        let mut tx = self.db.read(workspace).await?;
        let Some(row) = open_effects::next_due(&mut tx, now, actions).await? else {
            tx.end().await?;
            return Ok(None);
        };
        let call = open_calls::get(&mut tx, row.call_id).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let (call_id, looks, until) = (row.call_id, row.looks, claimed_until(&catalog, &row, now));
        let claim = async |tx: &mut WriteTx| Ok(open_effects::claim(tx, call_id, looks, until).await?);
        if !self.in_write(workspace, claim).await? {
            return Ok(Some(LookupOutcome::Later));
        }
        let is_last = next_look(now, looks).is_none();
        let lookup = Lookup { workspace, row: &row, call, catalog: &catalog, is_last };
        let outcome = match self.look_up_effect(&lookup).await {
            Err(EarlyExit::Failed(error)) if !matches!(error.code.status(), 503 | 504) => {
                tracing::error!(%call_id, cause = error.cause(), "an effect can't be looked up");
                LookupOutcome::Unknown
            }
            outcome => outcome?,
        };
        if is_last && matches!(outcome, LookupOutcome::Unknown) {
            self.give_up(workspace, &row).await?;
        }
        Ok(Some(outcome))
    }

    async fn look_up_effect(&self, lookup: &Lookup<'_>) -> Result<LookupOutcome, EarlyExit> {
        let Lookup { row, call, catalog, is_last, .. } = lookup;
        let runner = runner_of(catalog, row)?;
        let found = match (&row.output, call.as_ref().map(|call| call.state)) {
            (Some(_), _) => None,
            // The worker of overdue calls ends it first.
            (None, Some(OpenCallState::Running)) => return Ok(LookupOutcome::Unknown),
            (None, _) => Some(runner.look_up(self.runner_cx_of(row), &call_of(row)).await),
        };
        let done = match found {
            None => None,
            Some(Found::True(done)) => Some(Ok(done)),
            Some(Found::NotTrue) if *is_last => Some(Err(not_there())),
            Some(Found::NotTrue | Found::CannotTell) => return Ok(LookupOutcome::Unknown),
        };
        self.end_effect(&LateEnd { lookup, runner, done }).await
    }

    /// Commits what a look-up found. A record that fails has look-ups of its own: the outcome is true without it.
    async fn end_effect(&self, end: &LateEnd<'_>) -> Result<LookupOutcome, EarlyExit> {
        let mut ended = self.try_end(end, true).await;
        if let Err(RecordFailed::Record(error)) = &ended {
            let call_id = end.lookup.row.call_id;
            tracing::warn!(%call_id, cause = error.cause(), "the record of an effect failed");
            if end.done.is_none() {
                return Ok(LookupOutcome::Unknown);
            }
            ended = self.try_end(end, false).await;
        }
        match ended.map_err(RecordFailed::into_exit) {
            // Another end was faster.
            Err(EarlyExit::Failed(error)) if error.code == ErrorCode::Conflict => Ok(LookupOutcome::Later),
            ended => ended,
        }
    }

    async fn try_end(&self, end: &LateEnd<'_>, record: bool) -> Result<LookupOutcome, RecordFailed> {
        let mut tx = self.db.begin_write(end.lookup.workspace).await?;
        let ended = within(WORKER_LIMIT, self.end_in(&mut tx, end, record)).await?;
        tx.end(ended).await
    }

    /// Ends the call and its effect, with the record or with a row for the record.
    async fn end_in(
        &self,
        tx: &mut WriteTx,
        end: &LateEnd<'_>,
        record: bool,
    ) -> Result<LookupOutcome, RecordFailed> {
        let Lookup { row, call, catalog, .. } = end.lookup;
        let (output, next) = (end.output(), first_look(self.clock.now()));
        let (is_open, outcome) = match &output {
            Some(output) if !record => (
                open_effects::defer_record(tx, row.call_id, next, &output.to_string()).await?,
                LookupOutcome::Later,
            ),
            _ => (open_effects::delete(tx, row.call_id).await?, LookupOutcome::Ended),
        };
        if !is_open {
            return Ok(LookupOutcome::Later);
        }
        if let Some(done) = &end.done {
            self.end_late(tx, catalog, call.as_ref(), done).await?;
        }
        if let Some(output) = output.filter(|_| record) {
            let recorded = self.record_effect(tx, &end.runner, &call_of(row), output).await;
            recorded.map_err(RecordFailed::Record)?;
        }
        Ok(outcome)
    }

    /// Ends a call whose outcome nobody knew.
    async fn end_late(
        &self,
        tx: &mut WriteTx,
        catalog: &Arc<Catalog>,
        call: Option<&OpenCallRow>,
        done: &Result<Done, ActionError>,
    ) -> Result<(), EarlyExit> {
        let Some(call) = call else { return Ok(()) };
        let context = self.system_context(Surface::Rest, String::new());
        let outcome = if done.is_ok() { Outcome::Succeeded } else { Outcome::Failed };
        let result = match done {
            Ok(done) => CallResult {
                description: Some(done.description.clone()),
                output: serde_json::from_str(done.data.get()).ok(),
                ..CallResult::new(outcome)
            },
            Err(error) => CallResult { error: Some(error.detail.clone()), ..CallResult::new(outcome) },
        };
        let answer = CallAnswer {
            outcome: late_outcome(
                call.executor,
                &call.action,
                Some(call.call_id),
                call.tool_call_id.as_deref(),
                &result,
            ),
            result,
            error: done.as_ref().err().map(|error| error.code),
            releases_key: false,
        };
        self.end_call(tx, &context, catalog, call, CallOutcome::answered(outcome, Some("late"), &answer))
            .await
    }

    /// Writes the pack's own rows about a success.
    pub(super) async fn record_effect(
        &self,
        tx: &mut WriteTx,
        runner: &EffectRunner,
        call: &EffectCall,
        output: Value,
    ) -> Result<(), ActionError> {
        let policy = WorkspacePolicy::default();
        let mut cx = WriteCx {
            caller: &runner.caller,
            policy: &policy,
            now: self.clock.now(),
            ids: self.ids.as_ref(),
            tx,
            tools: CallerTools::new(&runner.catalog, &runner.caller, &policy),
            limiter: self.limiter.as_ref(),
            grants: self.grants.as_ref(),
            notifies_admins: false,
        };
        runner.action.record(&mut cx, call, runner.plan(), output).await
    }

    /// Ends an effect after its last look-up, and tells the admins that its record is missing.
    async fn give_up(&self, workspace: Id, row: &OpenEffectRow) -> Result<(), EarlyExit> {
        self.in_write(workspace, async |tx| {
            if !open_effects::delete(tx, row.call_id).await? {
                return Ok(());
            }
            let title = format!("`{}` can't be recorded", row.action);
            let body = format!(
                "The outcome of the call {} is in the audit log, but the pack could not look it up or write its own rows.",
                row.call_id
            );
            let data = serde_json::json!({ "call_id": row.call_id, "action": row.action });
            let text = NotificationText { kind: NotificationKind::EffectUnrecorded, title, body };
            Ok(notify_admins(self.stamp(self.clock.now()), tx, None, text, &data).await?)
        })
        .await
    }

    async fn in_write<T>(
        &self,
        workspace: Id,
        work: impl AsyncFnOnce(&mut WriteTx) -> Result<T, EarlyExit>,
    ) -> Result<T, EarlyExit> {
        let mut tx = self.db.begin_write(workspace).await?;
        let ended = within(WORKER_LIMIT, work(&mut tx)).await?;
        tx.end(ended).await
    }

    fn runner_cx_of<'c>(&'c self, row: &OpenEffectRow) -> RunnerCx<'c> {
        let dependencies = self.gate_dependencies();
        RunnerCx {
            db: dependencies.db,
            client: dependencies.upstream_client,
            sessions: dependencies.mcp_sessions,
            call_id: row.call_id,
            trace_id: None,
            now: self.clock.now(),
        }
    }
}

/// Returns until when a look-up is claimed: until the next one, and at least as long as it may take.
fn claimed_until(catalog: &Catalog, row: &OpenEffectRow, now: Ts) -> Ts {
    let timeout = catalog.registry().get(&row.action).map_or(0, |meta| meta.spec.timeout_seconds);
    let next = next_look(now, row.looks).unwrap_or(first_look(now));
    next.max(now.plus_seconds(i64::from(timeout)))
}

/// Returns the runner of a stored effect.
fn runner_of(catalog: &Arc<Catalog>, row: &OpenEffectRow) -> Result<EffectRunner, ActionError> {
    let (Some(ActionRunner::Effect(action)), Some(meta)) =
        (catalog.runner(&row.action), catalog.registry().get(&row.action))
    else {
        return Err(ActionError::internal(format!("`{}` has no effect", row.action)));
    };
    let broken = |error: serde_json::Error| ActionError::internal(format!("stored effect: {error}"));
    let claims: CallerClaims = serde_json::from_str(&row.requester).map_err(broken)?;
    let plan = serde_json::from_str(&row.plan).map_err(broken)?;
    Ok(EffectRunner {
        action: action.clone(),
        catalog: catalog.clone(),
        meta: meta.clone(),
        caller: claims.into_caller_without_role(),
        arguments: serde_json::from_str(&row.arguments).map_err(broken)?,
        resolution: Some(Box::new(EffectResolution {
            detail: None,
            key: row.target_key.clone(),
            plan,
            already: None,
        })),
    })
}

fn call_of(row: &OpenEffectRow) -> EffectCall {
    EffectCall { call_id: row.call_id, started_at: row.started_at }
}

fn not_there() -> ActionError {
    ActionError::new(ErrorCode::UpstreamError, "the service does not have what the call should have made")
        .hint("make the call again")
}

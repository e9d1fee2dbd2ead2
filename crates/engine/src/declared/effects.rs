//! Ends of effects that nobody knows: a worker looks them up at the server, and writes records that failed.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{ErrorCode, Id, OpenCallState, Outcome, Surface, Ts};
use toolcrib_store::{
    WORKER_LIMIT, WriteTx, open_calls, open_calls::OpenCallRow, open_effects, open_effects::OpenEffectRow,
    within,
};

use super::open_calls::{CallAnswer, CallOutcome, CallResult, late_outcome};
use crate::{
    base::{ActionError, EffectResolution},
    caller::CallerClaims,
    catalog::{
        CallerTools, Catalog, WriteCx,
        action::{ActionRunner, Done, EffectCall, Found},
    },
    confirm::DecisionMeta,
    engine::Engine,
    events::{NotificationText, notify_admins},
    gates::early_exit::EarlyExit,
    upstream_requests::{EffectRunner, RunnerCx},
};

/// Rows that one query returns.
const BATCH: i64 = 50;
/// Seconds from a failed look to the next. After the last, an effect that is not there has failed, and a record that can't be
/// written is the admins' business.
const LOOKS: [i64; 4] = [60, 5 * 60, 30 * 60, 24 * 60 * 60];
/// Returns when a worker looks next, after this many looks; `None` after the last.
pub(super) fn next_look(now: Ts, looks: i64) -> Option<Ts> {
    let seconds = LOOKS.get(usize::try_from(looks).unwrap_or(usize::MAX))?;
    Some(now.plus_seconds(*seconds))
}

impl Engine {
    /// Looks up the effects whose time has come, each in its workspace. Returns how many ended. Runs in a worker.
    pub async fn look_up_effects(self: &Arc<Self>) -> Result<usize, ActionError> {
        let mut ended = 0;
        for (workspace, call_id) in open_effects::due(&self.db, self.clock.now(), BATCH).await? {
            match self.look_up_effect(workspace, call_id).await {
                Ok(has_ended) => ended += usize::from(has_ended),
                Err(exit) => self.postpone_failed(workspace, call_id, exit.into()).await,
            }
        }
        Ok(ended)
    }

    /// Postpones an effect that can't be looked up, so that it is not in the way of others. While the database does not answer, it
    /// stays due.
    async fn postpone_failed(&self, workspace: Id, call_id: Id, error: ActionError) {
        tracing::error!(%call_id, cause = error.cause(), "an effect can't be looked up");
        if matches!(error.code.status(), 503 | 504) {
            return;
        }
        let postponed = async {
            let mut tx = self.db.read(workspace).await?;
            let row = open_effects::get(&mut tx, call_id).await?;
            tx.end().await?;
            match row {
                Some(row) => self.again(workspace, &row).await,
                None => Ok(false),
            }
        };
        if let Err(exit) = postponed.await {
            let error = ActionError::from(exit);
            tracing::error!(%call_id, cause = error.cause(), "an effect can't be postponed");
        }
    }

    async fn look_up_effect(self: &Arc<Self>, workspace: Id, call_id: Id) -> Result<bool, EarlyExit> {
        let mut tx = self.db.read(workspace).await?;
        let row = open_effects::get(&mut tx, call_id).await?;
        let call = open_calls::get(&mut tx, call_id).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let Some(row) = row else { return Ok(false) };
        // A build without the pack leaves the call alone, and looks again in a day.
        let Some(runner) = runner_of(&catalog, &row)? else {
            let tomorrow = self.clock.now().plus_seconds(24 * 60 * 60);
            self.in_write(workspace, async |tx| {
                Ok(open_effects::postpone(tx, call_id, Some(tomorrow), None).await?)
            })
            .await?;
            return Ok(false);
        };
        let found = match (&row.output, call.as_ref().map(|call| call.state)) {
            (Some(_), _) => None,
            // The worker of overdue calls ends it first.
            (None, Some(OpenCallState::Running)) => return self.again(workspace, &row).await,
            (None, _) => Some(runner.look_up(self.runner_cx_of(&row), &call_of(&row)).await),
        };
        let ended = self.end_effect(workspace, &row, call, (&catalog, &runner), found).await;
        match ended {
            Err(EarlyExit::Failed(error)) if error.code != ErrorCode::Conflict => {
                tracing::warn!(%call_id, cause = error.cause(), "the record of an effect failed; it is tried again");
                self.again(workspace, &row).await
            }
            Err(EarlyExit::Failed(_)) => Ok(false),
            ended => ended,
        }
    }

    /// Commits what a look found.
    async fn end_effect(
        &self,
        workspace: Id,
        row: &OpenEffectRow,
        call: Option<OpenCallRow>,
        (catalog, runner): (&Arc<Catalog>, &EffectRunner),
        found: Option<Found<Done>>,
    ) -> Result<bool, EarlyExit> {
        let is_last = next_look(self.clock.now(), row.looks).is_none();
        let done = match found {
            None => None,
            Some(Found::True(done)) => Some(Ok(done)),
            Some(Found::NotTrue) if is_last => Some(Err(not_there())),
            Some(Found::NotTrue | Found::CannotTell) => return self.again(workspace, row).await,
        };
        self.in_write(workspace, async |tx| {
            if !open_effects::delete(tx, row.call_id).await? {
                return Ok(false);
            }
            let output = match (&done, &row.output) {
                (Some(done), _) => {
                    self.end_late(tx, catalog, call.as_ref(), done).await?;
                    done.as_ref().ok().and_then(|done| serde_json::from_str(done.data.get()).ok())
                }
                (None, Some(output)) => serde_json::from_str(output).ok(),
                (None, None) => None,
            };
            if let Some(output) = output {
                self.record_effect(tx, runner, &call_of(row), output).await?;
            }
            Ok(true)
        })
        .await
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
        let context = self.decision_context(&DecisionMeta {
            surface: Surface::Rest,
            request_id: String::new(),
            trace_id: None,
            user_token: None,
        });
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
                (call.executor, &call.action),
                Some(call.call_id),
                call.tool_call_id.as_deref(),
                &result,
            ),
            result,
            error: done.as_ref().err().map(|error| error.code),
            releases_key: false,
        };
        self.end_call(tx, &context, (catalog, call), CallOutcome::answered(outcome, Some("late"), &answer))
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

    /// Sets the next look; after the last, tells the admins if a record is missing.
    async fn again(&self, workspace: Id, row: &OpenEffectRow) -> Result<bool, EarlyExit> {
        let next = next_look(self.clock.now(), row.looks);
        self.in_write(workspace, async |tx| {
            if next.is_some() {
                open_effects::postpone(tx, row.call_id, next, None).await?;
                return Ok(false);
            }
            open_effects::delete(tx, row.call_id).await?;
            let title = format!("`{}` can't be recorded", row.action);
            let body = format!(
                "The outcome of the call {} is in the audit log, but the pack could not look it up or write its own rows.",
                row.call_id
            );
            let data = serde_json::json!({ "call_id": row.call_id, "action": row.action });
            let text = NotificationText { kind: "effect_unrecorded", title, body };
            notify_admins(self.stamp(self.clock.now()), tx, None, text, &data).await?;
            Ok(false)
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

/// Returns the runner of a stored effect; `None` if this build lacks its action.
fn runner_of(catalog: &Arc<Catalog>, row: &OpenEffectRow) -> Result<Option<EffectRunner>, ActionError> {
    let (Some(ActionRunner::Effect(action)), Some(meta)) =
        (catalog.runner(&row.action), catalog.registry().get(&row.action))
    else {
        return Ok(None);
    };
    let broken = |error: serde_json::Error| ActionError::internal(format!("stored effect: {error}"));
    let claims: CallerClaims = serde_json::from_str(&row.requester).map_err(broken)?;
    let plan = serde_json::from_str(&row.plan).map_err(broken)?;
    Ok(Some(EffectRunner {
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
    }))
}

fn call_of(row: &OpenEffectRow) -> EffectCall {
    EffectCall { call_id: row.call_id, started_at: row.started_at }
}

fn not_there() -> ActionError {
    ActionError::new(ErrorCode::UpstreamError, "the service does not have what the call should have made")
        .hint("make the call again")
}

//! One run that this process holds: the order of its steps, and its end.

use std::sync::Arc;

use toolcrib_access::role_holds;
use toolcrib_auth::{Authenticated, StoredCaller};
use toolcrib_connectors::llm::Finish;
use toolcrib_engine::{ActionError, AdmittedCaller, NO_MEMBER, Stamp};
use toolcrib_model::{ErrorCode, Id, PlannedCallState, RunKind, RunState, Surface, WorkRunner};
use toolcrib_registry::Permission;
use toolcrib_store::{
    StoreError, WORKER_LIMIT, WriteTx,
    assistant_runs::{self, Progress, RunRow},
    assistant_steps::{self, CallRow, StepRow},
    keys,
    llm_usage::{self, UsageRow},
    models::ModelRow,
    within,
};

use crate::{
    Assistant,
    background::{self, RunEnd},
    lease::{Lease, LeaseState},
    live::LiveRun,
    run_metrics,
    transcript::{self, Step, StoredRun},
};

/// The most steps of a run with a person, and of one without.
const MAX_STEPS: i64 = 10;
const MAX_BACKGROUND_STEPS: i64 = 20;
/// Why a step ended that the model had not finished.
pub const UNFINISHED: &str = "stopped";
/// How many processes may lose a run before it fails.
const MAX_LOST: i64 = 3;

/// Why a run does not go on here.
pub enum Halt {
    /// Another process may have it. Nothing more is stored.
    Lost,
    /// This process ends.
    Released,
    /// Somebody stopped it.
    Stopped,
    /// It fails, with a code and a sentence.
    Failed(ErrorCode, String),
    /// The database can't be used now. The run is taken again when the lease has ended.
    Store(StoreError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ActionError> for Halt {
    fn from(error: ActionError) -> Self {
        match error.code {
            ErrorCode::StoreUnavailable
            | ErrorCode::AuthorizationUnavailable
            | ErrorCode::AuditUnavailable
            | ErrorCode::Overloaded
            | ErrorCode::Timeout => Self::Store(StoreError::Inconsistent(error.detail)),
            code => Self::Failed(code, error.detail),
        }
    }
}

/// A run that this process holds.
pub struct OpenRun {
    pub(crate) assistant: Arc<Assistant>,
    pub(crate) workspace: Id,
    pub(crate) row: RunRow,
    pub(crate) caller: StoredCaller,
    pub(crate) lease: Arc<Lease>,
    /// Shows this process's readers what the model says.
    pub(crate) live: LiveRun,
    pub(crate) steps: Vec<Step>,
    /// The earlier runs that the model is shown; `None` before the first request.
    pub(crate) earlier: Option<Vec<StoredRun>>,
    /// About how many tokens the own steps may have; `None` before the first request.
    pub(crate) room: Option<usize>,
    /// The mission that the calls are for.
    pub(crate) mission: Option<Id>,
    /// About how many tokens the request has that the model has not answered.
    pub(crate) asked: Option<i64>,
    /// The price of the model; `None` before the first request, and for a model without one.
    pub(crate) price: Option<ModelRow>,
    /// Whether calls of the last step may have begun in another process, or before the run waited.
    pub(crate) is_resumed: bool,
}

impl OpenRun {
    pub fn new(assistant: Arc<Assistant>, workspace: Id, row: RunRow) -> Self {
        let caller = StoredCaller::from_text(row.caller.as_str());
        let live = assistant.live.begin(row.id);
        let lease = Arc::new(Lease::begin(&assistant, workspace, row.id, row.fence, live.stop_check()));
        Self {
            assistant,
            workspace,
            row,
            caller,
            lease,
            live,
            steps: Vec::new(),
            earlier: None,
            room: None,
            mission: None,
            asked: None,
            price: None,
            is_resumed: true,
        }
    }

    /// Carries the run out until it ends, waits for people, or can't go on in this process.
    pub async fn carry_out(mut self) {
        let (lease, run, assistant) = (self.lease.clone(), self.row.id, self.assistant.clone());
        let halted = tokio::select! {
            halted = self.run_steps() => halted,
            () = lease.lost() => Err(Halt::Lost),
            () = assistant.ends() => Err(Halt::Released),
        };
        let ended = match halted {
            Ok(()) => Ok(()),
            Err(Halt::Stopped) => self.end(RunState::Stopped, None).await,
            Err(Halt::Failed(code, sentence)) => self.end(RunState::Failed, Some((code, &sentence))).await,
            Err(Halt::Released) => self.release().await,
            Err(halt) => Err(halt),
        };
        match ended {
            Ok(()) => {}
            Err(Halt::Store(error)) => {
                tracing::warn!(%run, %error, "a run of the assistant can't go on now; it is taken again");
            }
            Err(Halt::Failed(code, why)) => {
                tracing::error!(%run, code = code.as_str(), why, "a run of the assistant can't be ended");
            }
            Err(_) => {
                run_metrics::lost();
                tracing::warn!(%run, "another process has a run of the assistant");
            }
        }
    }

    async fn run_steps(&mut self) -> Result<(), Halt> {
        self.load().await?;
        if self.row.lost > MAX_LOST {
            let detail = "its process ended, or could not use the database, again and again";
            return Err(Halt::Failed(ErrorCode::Internal, detail.to_owned()));
        }
        loop {
            self.check_end()?;
            let has_open_calls = self
                .steps
                .last()
                .is_some_and(|step| step.calls.iter().any(|call| call.state != PlannedCallState::Answered));
            let goes_on = if has_open_calls { self.answer_calls().await? } else { self.ask().await? };
            self.is_resumed = false;
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Ends the run if it was asked to stop, or is past its deadline.
    pub fn check_end(&self) -> Result<(), Halt> {
        match self.lease.state() {
            LeaseState::Stopping => return Err(Halt::Stopped),
            LeaseState::Lost => return Err(Halt::Lost),
            LeaseState::Held => {}
        }
        if self.row.stop {
            return Err(Halt::Stopped);
        }
        if self.assistant.engine.clock().now() >= self.row.deadline {
            return Err(overdue());
        }
        Ok(())
    }

    async fn load(&mut self) -> Result<(), Halt> {
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let steps = transcript::steps_of_run(&mut tx, self.row.id).await?;
        tx.end().await?;
        self.steps = steps;
        Ok(())
    }

    /// Returns the caller as they are now, with their tools.
    pub async fn admit(&self) -> Result<AdmittedCaller, Halt> {
        if self.row.caller.is_empty() {
            return Err(forbidden("whoever set it up is not known, or may not use the assistant"));
        }
        let authenticated = Authenticated::stored(self.caller.clone());
        let admitted = self.assistant.engine.admit_with_catalog(&authenticated, Surface::Assistant).await;
        let who = if self.row.kind.is_background() { "whoever set it up" } else { "the person" };
        // Others read the error too.
        let admitted = admitted.map_err(|error| match error.detail.as_str() {
            NO_MEMBER => forbidden(&format!("{who} is not an active member of this workspace")),
            _ => error.into(),
        })?;
        if let Some(key) = admitted.caller.credential {
            self.check_key(key).await?;
        }
        if self.row.kind.is_background() {
            // The workspace may have chosen programs of its own meanwhile.
            if admitted.policy.runner == WorkRunner::External {
                return Err(Halt::Stopped);
            }
        }
        if !admitted.caller.role.is_some_and(|role| role_holds(role, &Permission::ASSISTANT_USE)) {
            return Err(forbidden(&format!("{who} may not use the assistant")));
        }
        Ok(admitted)
    }

    /// Ends the run if the key that started it has expired. Of a revoked one the engine says so.
    async fn check_key(&self, key: Id) -> Result<(), Halt> {
        let now = self.assistant.engine.clock().now();
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let is_good = keys::is_good(&mut tx, key, now).await?;
        tx.end().await?;
        if is_good { Ok(()) } else { Err(forbidden("the key has expired")) }
    }

    /// Answers the calls that are open, stores all answers, and ends the run.
    async fn end(&mut self, state: RunState, error: Option<(ErrorCode, &str)>) -> Result<(), Halt> {
        let reason = match error {
            Some((_, sentence)) => format!("the run failed: {sentence}"),
            None => "the run was stopped".to_owned(),
        };
        self.close_open_calls(&reason).await?;
        // Those that ran before the end have answers too, which are not stored yet.
        let calls = self.last_calls();
        let error = error.map(|(code, sentence)| (code.as_str(), sentence));
        let unfinished = self.unfinished_step();
        self.commit(state, error, unfinished.as_ref(), &calls).await
    }

    /// Releases the run as it was stored last.
    async fn release(&self) -> Result<(), Halt> {
        let mut tx = self.assistant.db.begin_write(self.workspace).await?;
        let work = assistant_runs::release(&mut tx, self.row.id, self.row.fence);
        let released = within(WORKER_LIMIT, work).await?;
        if tx.end(released).await? { Ok(()) } else { Err(Halt::Lost) }
    }

    /// Commits a step of the run: what is new of it, and its state. Fails with [`Halt::Lost`] if another process has
    /// taken the run.
    pub async fn commit(
        &mut self,
        state: RunState,
        error: Option<(&str, &str)>,
        new: Option<&Step>,
        changed: &[CallRow],
    ) -> Result<(), Halt> {
        let now = self.assistant.engine.clock().now();
        let usage = new.map(|step| self.usage(&step.row));
        let row = self.counted(new);
        let mut tx = self.assistant.db.begin_write(self.workspace).await?;
        let progress = Progress { state, error, now };
        let (stamp, text) = (self.assistant.engine.stamp(now), self.last_text(new));
        let work = store(&mut tx, &row, &progress, new, changed, usage, stamp, text);
        let stored = within(WORKER_LIMIT, work).await?;
        let is_stored = tx.end(stored).await?;
        if is_stored {
            run_metrics::stored(&self.row, &row, state, now);
        }
        self.row = row;
        self.asked = None;
        self.live.committed();
        if is_stored { Ok(()) } else { Err(Halt::Lost) }
    }

    /// Returns what the model said in the last step, which may be a new one.
    fn last_text<'s>(&'s self, new: Option<&'s Step>) -> &'s str {
        new.or(self.steps.last()).map(|step| step.row.text.as_str()).unwrap_or_default()
    }

    /// Returns the tokens of a step, for statistics and the budgets of missions.
    fn usage(&self, step: &StepRow) -> UsageRow {
        UsageRow {
            id: self.assistant.engine.new_id(),
            occurred_at: step.created_at,
            agent_id: self.row.agent_id,
            execution_id: self.row.ref_id.filter(|_| self.row.kind == RunKind::Playbook),
            mission_id: self.mission,
            model: step.model.clone(),
            provider: self.row.upstream.clone().unwrap_or_else(|| "operator".to_owned()),
            input_tokens: step.input_tokens,
            output_tokens: step.output_tokens,
            cost_microusd: self.cost(step),
        }
    }
}

/// Stores a step of a run, and does what follows if it ends; `text` is what the model said last. Returns `false`,
/// having stored nothing, if another process has taken the run.
async fn store(
    tx: &mut WriteTx,
    row: &RunRow,
    progress: &Progress<'_>,
    new: Option<&Step>,
    changed: &[CallRow],
    usage: Option<UsageRow>,
    stamp: Stamp<'_>,
    text: &str,
) -> Result<bool, StoreError> {
    if !progress.state.is_open() {
        background::lock(tx, row).await?;
    }
    if !assistant_runs::update(tx, row, progress).await? {
        return Ok(false);
    }
    if let Some(step) = new {
        assistant_steps::insert(tx, &step.row).await?;
        for call in &step.calls {
            assistant_steps::insert_call(tx, call).await?;
        }
    }
    if let Some(usage) = usage {
        llm_usage::insert(tx, &[usage]).await?;
    }
    for call in changed {
        assistant_steps::update_call(tx, call).await?;
    }
    if !progress.state.is_open() {
        let end = RunEnd { run: row, state: progress.state, error: progress.error, text };
        background::follow(tx, stamp, &end).await?;
    }
    Ok(true)
}

/// Returns how many steps a run of this kind may have.
pub const fn most_steps(kind: RunKind) -> i64 {
    if kind.is_background() { MAX_BACKGROUND_STEPS } else { MAX_STEPS }
}

/// Ends a run at its deadline.
pub fn overdue() -> Halt {
    Halt::Failed(ErrorCode::Timeout, "it took longer than it may".to_owned())
}

/// Ends a run whose caller may not act any more.
pub fn forbidden(why: &str) -> Halt {
    Halt::Failed(ErrorCode::PermissionDenied, why.to_owned())
}

/// Returns the word for why an answer ended.
pub const fn finish_word(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Calls => "calls",
        Finish::Length => "length",
        Finish::ContentFilter => "content_filter",
        Finish::Refusal => "refusal",
    }
}

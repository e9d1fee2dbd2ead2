//! Runs with no person beside them: the run that something due gets, and what follows its end.
//!
//! There is no coordinator. The transaction that says what is due also queues its run, and the commit that ends the run
//! does what follows: it stores the result, and queues what comes next. A run acts as whoever set the work up. If that
//! is not possible any more, the run fails, and the work ends.
//!
//! To add a kind: a variant of [`RunKind`], a file with what begins it and what follows its end, a line in [`follow`].

mod data;
pub mod heartbeat;
pub mod mission;
pub mod playbook;
pub mod schedule;

use serde_json::{Value, json};
use toolcrib_auth::StoredCaller;
use toolcrib_engine::{BackgroundCaller, BackgroundWork, NotificationText, Stamp, notify_admins};
use toolcrib_model::{ErrorCode, Id, NotificationKind, RunKind, RunState, Ts, WorkRunner};
use toolcrib_store::{
    StoreError, Tx, WriteTx, agents,
    assistant_runs::{self, RunRow},
    executions, heartbeats, missions,
    notifications::{self, Audience, NotificationRow},
    schedules, workspaces,
};

/// How long a run may take, with what it waits for.
pub(crate) const DEADLINE_SECONDS: i64 = 24 * 3600;
/// Letters of a text in a notification.
const MAX_BODY: usize = 2_000;
/// Why runs fail in a database that was restored from a backup.
const RESTORED: &str = "the database was restored from a backup";

/// What a run is queued for.
struct Work {
    kind: RunKind,
    /// The agent of a heartbeat, a schedule, an execution or a mission.
    ref_id: Id,
    /// The position of a step or a task.
    position: Option<i64>,
    agent: Option<Id>,
    message: String,
    reads_only: bool,
    seconds: i64,
}

impl Work {
    fn new(kind: RunKind, ref_id: Id, message: String) -> Self {
        let (position, agent, reads_only) = (None, None, false);
        Self { kind, ref_id, position, agent, message, reads_only, seconds: DEADLINE_SECONDS }
    }

    /// Returns the thread of its runs. A client can't choose such a name.
    fn thread(&self) -> String {
        match self.position {
            Some(position) => format!("{}:{}:{position}", self.kind, self.ref_id),
            None => format!("{}:{}", self.kind, self.ref_id),
        }
    }

    fn caller_type(&self) -> &'static str {
        match self.kind {
            RunKind::Heartbeat => "heartbeat",
            RunKind::Playbook => "playbook",
            RunKind::Schedule | RunKind::Mission | RunKind::Chat => "mission",
        }
    }
}

pub struct RunEnd<'e> {
    pub run: &'e RunRow,
    pub state: RunState,
    /// Why it failed: a code, and a sentence.
    pub error: Option<(&'e str, &'e str)>,
    /// What the model said in the last step.
    pub text: &'e str,
}

impl RunEnd<'_> {
    /// Returns whether whoever set the work up may not do it any more.
    fn is_forbidden(&self) -> bool {
        self.error.is_some_and(|(code, _)| code == ErrorCode::PermissionDenied.as_str())
    }

    /// Returns whether work that was last changed at a time ends with the run: its caller may not act any more, and
    /// nobody has set it up anew meanwhile.
    fn ends(&self, changed: Ts) -> bool {
        self.is_forbidden() && changed <= self.run.created_at
    }

    /// Returns why the run has no result; `None` if it has one.
    fn failure(&self) -> Option<String> {
        match (self.state, self.error) {
            (_, Some((_, sentence))) => Some(sentence.to_owned()),
            (RunState::Stopped, None) => Some("the run was stopped".to_owned()),
            _ => None,
        }
    }

    /// Returns whether the run was stopped because the workspace's own programs go on with its work.
    async fn is_for_programs(&self, tx: &mut WriteTx) -> Result<bool, StoreError> {
        Ok(self.state == RunState::Stopped && !is_internal(tx).await?)
    }

    /// Returns the ID of what the run was for.
    fn ref_id(&self) -> Id {
        self.run.ref_id.unwrap_or(Id::nil())
    }

    /// Sends what became of the run to the person for whom it acted, or of a key's run to the admins. Of failures in a
    /// row, the first one.
    async fn notify(&self, tx: &mut WriteTx, stamp: Stamp<'_>, what: &str) -> Result<(), StoreError> {
        match self.failure() {
            // Whoever stopped it knows, or chose another runner.
            Some(_) if self.state == RunState::Stopped => Ok(()),
            Some(_) if self.failed_before(tx).await? => Ok(()),
            Some(failure) => self.notify_failed(tx, stamp, what, &failure).await,
            None => self.send(tx, stamp, what.to_owned(), self.text).await,
        }
    }

    /// Like [`RunEnd::notify`], that something failed as a whole.
    async fn notify_failed(
        &self,
        tx: &mut WriteTx,
        stamp: Stamp<'_>,
        what: &str,
        why: &str,
    ) -> Result<(), StoreError> {
        self.send(tx, stamp, format!("{what} failed"), why).await
    }

    async fn send(
        &self,
        tx: &mut WriteTx,
        stamp: Stamp<'_>,
        title: String,
        body: &str,
    ) -> Result<(), StoreError> {
        let row = NotificationRow {
            id: stamp.new_id(),
            kind: NotificationKind::AssistantRun,
            audience: self.run.user_id.map_or(Audience::Admins { except: None }, Audience::One),
            title,
            body: cut(body, MAX_BODY),
            data: json!({ "run": self.run.id, "kind": self.run.kind, "about": self.run.ref_id }).to_string(),
            call_id: None,
            confirmation_id: None,
            created_at: stamp.now,
        };
        notifications::insert(tx, &row).await
    }

    /// Returns whether the run before this one of its thread failed too.
    async fn failed_before(&self, tx: &mut WriteTx) -> Result<bool, StoreError> {
        let runs = assistant_runs::of_thread(tx, self.run.owner_id, &self.run.thread, 2).await?;
        Ok(runs.iter().any(|run| run.id != self.run.id && run.state == RunState::Failed))
    }
}

/// Does what follows the end of a background run, in the transaction that ends it.
pub async fn follow(tx: &mut WriteTx, stamp: Stamp<'_>, end: &RunEnd<'_>) -> Result<(), StoreError> {
    match end.run.kind {
        RunKind::Chat => Ok(()),
        RunKind::Heartbeat => heartbeat::follow(tx, stamp, end).await,
        RunKind::Schedule => schedule::follow(tx, stamp, end).await,
        RunKind::Playbook => playbook::follow(tx, stamp, end).await,
        RunKind::Mission => mission::follow(tx, stamp, end).await,
    }
}

/// Locks what the end of a run changes, before the run. Whoever ends a mission locks them in this order too.
pub async fn lock(tx: &mut WriteTx, run: &RunRow) -> Result<(), StoreError> {
    match (run.kind, run.ref_id) {
        (RunKind::Heartbeat, Some(id)) => {
            // As whoever configures the heartbeat.
            agents::lock_all(tx, &[id]).await?;
            heartbeats::lock(tx, id).await
        }
        (RunKind::Schedule, Some(id)) => schedules::lock(tx, id).await,
        (RunKind::Playbook, Some(id)) => executions::lock(tx, id).await.map(drop),
        (RunKind::Mission, Some(id)) => missions::lock(tx, id).await.map(drop),
        _ => Ok(()),
    }
}

/// Returns whether the assistant carries out what is due in the transaction's workspace.
pub async fn is_internal(tx: &mut Tx) -> Result<bool, StoreError> {
    Ok(workspaces::get(tx).await?.is_some_and(|row| row.settings.runner == WorkRunner::Internal))
}

/// Asks the workspace's open background runs to stop, because its own programs go on with the work.
pub async fn stop_all(tx: &mut WriteTx, now: Ts) -> Result<(), StoreError> {
    let open = assistant_runs::all_open(tx).await?;
    for run in open.iter().filter(|run| run.kind.is_background()) {
        assistant_runs::request_stop(tx, run.id, now).await?;
    }
    Ok(())
}

/// Ends the open runs of the transaction's workspace as failed, with the executions and missions that they are for, and
/// returns their number. What a run did after the backup was made is not known, so that nothing of it is tried again.
pub async fn fail_restored(tx: &mut WriteTx, stamp: Stamp<'_>) -> Result<u64, StoreError> {
    let code = ErrorCode::Internal.as_str();
    let mut ended = 0;
    loop {
        let open = assistant_runs::all_open(tx).await?;
        if open.is_empty() {
            return Ok(ended);
        }
        // The end of a mission's run starts its other tasks.
        for run in open {
            assistant_runs::fail(tx, run.id, code, RESTORED, stamp.now).await?;
            // A step is tried again or skipped only if its run failed by itself.
            let end = RunEnd { run: &run, state: RunState::Stopped, error: Some((code, RESTORED)), text: "" };
            follow(tx, stamp, &end).await?;
            ended += 1;
        }
    }
}

/// Says in the data of an event that the assistant carries the work out, so that other programs leave it.
pub fn mark(data: &mut Value) {
    data["runner"] = json!("internal");
}

/// Queues a run as whoever set the work up. Returns `false` if its last run is still open, or the workspace has another
/// runner. Without a stored caller, the run is queued too: it fails, and what follows ends the work.
async fn queue(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    set_up_by: Option<&str>,
    work: Work,
) -> Result<bool, StoreError> {
    // Who switched to programs of their own has these go on.
    if !is_internal(tx).await? {
        return Ok(false);
    }
    let thread = work.thread();
    let mut row = RunRow::queued(stamp.new_id(), work.kind, stamp.now);
    // A session of its own: what a person allows for the session ends with the run.
    let session = row.id.to_string();
    let stored = StoredCaller::from_text(set_up_by.unwrap_or_default());
    let narrowed = BackgroundWork {
        caller_type: work.caller_type(),
        session: &session,
        mission: (work.kind == RunKind::Mission).then_some(work.ref_id),
        reads_only: work.reads_only,
    };
    if let Ok(found) = BackgroundCaller::of(&stored, narrowed) {
        found.caller.as_str().clone_into(&mut row.caller);
        row.owner_id = found.owner;
        row.user_id = found.user;
    }
    row.ref_id = Some(work.ref_id);
    row.position = work.position;
    row.agent_id = work.agent;
    row.message = work.message;
    row.deadline = stamp.now.plus_seconds(work.seconds);
    row.thread = thread;
    assistant_runs::insert(tx, &row).await
}

/// Tells the admins that work has ended, because whoever set it up may not do it any more.
async fn notify_ended(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    what: &str,
    end: &RunEnd<'_>,
) -> Result<(), StoreError> {
    let why = end.failure().unwrap_or_default();
    let body = format!("It has ended, because {why}. Somebody else can set it up anew.");
    let data = json!({ "run": end.run.id, "kind": end.run.kind, "about": end.run.ref_id });
    let title = format!("{what} has ended");
    let text = NotificationText { kind: NotificationKind::WorkEnded, title, body };
    notify_admins(stamp, tx, None, text, &data).await
}

/// Returns at most so many letters of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

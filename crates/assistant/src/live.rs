//! What the model says while it is asked, for readers of this process. Another process shows a step when it is stored.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use toolcrib_connectors::llm::{ModelEvent, Usage};
use toolcrib_model::Id;

/// The step of a run for which the model is being asked, as far as it has answered.
#[derive(Debug, Default)]
pub struct LiveStep {
    pub step: i64,
    /// Another number when what was shown is void, because the model is asked again.
    pub attempt: u64,
    /// Reasoning so far.
    pub reasoning: String,
    /// Text so far.
    pub text: String,
    /// Tokens of the step's answers that were broken or refused.
    pub used: Usage,
    /// Whether the provider has read less than half of what it was sent, in this step or an earlier one.
    pub is_prompt_cut: bool,
    /// Grows with each commit of the run.
    pub commits: u64,
}

/// The runs that this process holds.
#[derive(Clone, Debug, Default)]
pub struct LiveRuns {
    runs: Arc<Mutex<HashMap<Id, Entry>>>,
    /// Changes when a run is added.
    added: watch::Sender<()>,
    /// Number of attempts so far, of all runs: one that this process takes again has others than before.
    attempts: Arc<AtomicU64>,
}

#[derive(Clone, Debug)]
struct Entry {
    step: watch::Sender<LiveStep>,
    /// Notifies the holder to check whether somebody asked the run to stop.
    stop_check: Arc<Notify>,
}

/// A run that this process holds, until it is dropped.
#[derive(Debug)]
pub struct LiveRun {
    run: Id,
    entry: Entry,
    runs: LiveRuns,
}

impl LiveRuns {
    pub fn begin(&self, run: Id) -> LiveRun {
        let entry = Entry { step: watch::Sender::new(LiveStep::default()), stop_check: Arc::default() };
        self.runs.lock().insert(run, entry.clone());
        self.added.send_replace(());
        LiveRun { run, entry, runs: self.clone() }
    }

    /// Returns what a run says, if this process holds it.
    pub fn of(&self, run: Id) -> Option<watch::Receiver<LiveStep>> {
        self.runs.lock().get(&run).map(|entry| entry.step.subscribe())
    }

    /// Returns what tells that runs were added.
    pub fn added(&self) -> watch::Receiver<()> {
        self.added.subscribe()
    }

    /// Checks now whether somebody asked a run of this process to stop.
    pub fn check_for_stop(&self, run: Id) {
        if let Some(entry) = self.runs.lock().get(&run) {
            entry.stop_check.notify_one();
        }
    }

    fn next_attempt(&self) -> u64 {
        self.attempts.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl LiveRun {
    /// Returns what is notified when the run should check for a stop.
    pub fn stop_check(&self) -> Arc<Notify> {
        self.entry.stop_check.clone()
    }

    /// Begins a step, or begins it anew.
    pub fn begin_step(&self, step: i64) {
        self.entry.step.send_modify(|live| {
            live.attempt = self.runs.next_attempt();
            if live.step != step {
                live.used = Usage::default();
            }
            live.step = step;
            live.reasoning.clear();
            live.text.clear();
        });
    }

    /// Adds what the model says.
    pub fn push(&self, event: ModelEvent) {
        self.entry.step.send_modify(|live| match event {
            ModelEvent::Text(piece) => live.text.push_str(&piece),
            ModelEvent::Reasoning(piece) => live.reasoning.push_str(&piece),
            ModelEvent::Restarted => {
                live.attempt = self.runs.next_attempt();
                live.reasoning.clear();
                live.text.clear();
            }
            ModelEvent::Used(usage) => live.used = live.used.plus(usage),
        });
    }

    /// Tells readers that the provider has not read all that it was sent.
    pub fn cut_prompt(&self) {
        self.entry.step.send_modify(|live| live.is_prompt_cut = true);
    }

    /// Tells readers that the run was stored.
    pub fn committed(&self) {
        self.entry.step.send_modify(|live| live.commits += 1);
    }

    /// Returns the reasoning and the text of a step so far.
    pub fn said(&self, step: i64) -> (String, String) {
        let live = self.entry.step.borrow();
        if live.step == step { (live.reasoning.clone(), live.text.clone()) } else { Default::default() }
    }

    /// Returns the tokens of a step's answers that were broken or refused.
    pub fn used(&self, step: i64) -> Usage {
        let live = self.entry.step.borrow();
        if live.step == step { live.used } else { Usage::default() }
    }
}

impl Drop for LiveRun {
    fn drop(&mut self) {
        let mut runs = self.runs.runs.lock();
        // This process may have taken the run again.
        if runs.get(&self.run).is_some_and(|entry| entry.step.same_channel(&self.entry.step)) {
            runs.remove(&self.run);
        }
    }
}

//! Who asks when: no workspace's questions wait for all of another's, and what is computed here leaves processors free.
//!
//! Two walls. Of each workspace few questions are under way at once. And those that compute in this process, which are
//! SQLite's, take turns: after each slice of time the next workspace's question goes on.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use toolcrib_model::Id;

use super::{Bounds, DatasourceUrl, ForeignError, Select, Table, postgres, sqlite};
use crate::fair::FairQueue;

/// Questions of one workspace that are under way at once.
const AT_ONCE_OF_ONE: usize = 4;
/// The same of all. Who waits for one of these has one of its workspace's, so that they go round.
const AT_ONCE: usize = 64;
/// How long a question computes while another waits.
const SLICE: Duration = Duration::from_millis(10);
/// How often a question that waits looks whether somebody still wants it.
const LOOK: Duration = Duration::from_millis(50);

/// Asks questions, fairly. One a process.
pub struct Runner {
    of_one: Mutex<HashMap<Id, Arc<Semaphore>>>,
    all: Arc<Semaphore>,
    slices: Arc<Slices>,
}

impl Default for Runner {
    /// Computes on half of the processors, at least one.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with_slots((processors / 2).max(1))
    }
}

impl Runner {
    fn with_slots(slots: usize) -> Self {
        let all = Arc::new(Semaphore::new(AT_ONCE));
        Self { of_one: Mutex::default(), all, slices: Arc::new(Slices::new(slots)) }
    }

    /// Checks a question and asks a database, when it is this workspace's turn: a check computes as well.
    pub async fn ask(
        &self,
        workspace: Id,
        source: &DatasourceUrl,
        text: &str,
        bounds: Bounds,
    ) -> Result<Table, ForeignError> {
        let _turn = self.turn(workspace).await?;
        let stop = Arc::new(AtomicBool::new(false));
        // Where nobody waits any more, it is not begun.
        let _stop = StopOnDrop::new(&stop);
        let slices = Arc::clone(&self.slices);
        let begin = move || Some(Slice::begin(slices, workspace, stop));
        let select = Select::check_in(source.kind(), text, begin).await?;
        self.run(workspace, source, &select, bounds).await
    }

    async fn run(
        &self,
        workspace: Id,
        source: &DatasourceUrl,
        select: &Select,
        bounds: Bounds,
    ) -> Result<Table, ForeignError> {
        match source {
            DatasourceUrl::Postgres(options) => postgres::query(options, select.sql(), bounds).await,
            DatasourceUrl::Sqlite(path) => {
                let slices = Arc::clone(&self.slices);
                sqlite::query(path, select.sql(), bounds, move |stop| Slice::begin(slices, workspace, stop))
                    .await
            }
        }
    }

    async fn turn(&self, workspace: Id) -> Result<[OwnedSemaphorePermit; 2], ForeignError> {
        let of_one = {
            let mut known = self.of_one.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody holds or waits for those that only the map knows.
            known.retain(|_, turns| Arc::strong_count(turns) > 1);
            Arc::clone(known.entry(workspace).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_OF_ONE))))
        };
        let closed = |fault: tokio::sync::AcquireError| ForeignError::Unreachable(fault.to_string());
        let own = of_one.acquire_owned().await.map_err(closed)?;
        let any = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
        Ok([own, any])
    }
}

/// So many threads compute at once; the others wait, and the next workspace's goes on.
struct Slices {
    slots: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    running: usize,
    waiting: FairQueue<u64>,
    next: u64,
    /// May go on, and does not know it yet.
    admitted: HashSet<u64>,
    /// Wait no more.
    gone: HashSet<u64>,
}

impl Slices {
    fn new(slots: usize) -> Self {
        let state = State {
            running: 0,
            waiting: FairQueue::new(usize::MAX),
            next: 0,
            admitted: HashSet::new(),
            gone: HashSet::new(),
        };
        Self { slots, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot; `false` where it is stopped meanwhile.
    fn enter(&self, workspace: Id, stop: &AtomicBool) -> bool {
        let mut state = self.state();
        if state.running < self.slots && state.waiting.is_empty() {
            state.running += 1;
            return true;
        }
        let ticket = state.next;
        state.next += 1;
        // There is no most.
        let _ = state.waiting.push(workspace, ticket);
        loop {
            if state.admitted.remove(&ticket) {
                return true;
            }
            if stop.load(Ordering::Relaxed) {
                state.gone.insert(ticket);
                return false;
            }
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives the slot to whoever is next.
    fn leave(&self) {
        let mut state = self.state();
        state.running -= 1;
        while state.running < self.slots
            && let Some(ticket) = state.waiting.pop()
        {
            if !state.gone.remove(&ticket) {
                state.admitted.insert(ticket);
                state.running += 1;
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    fn somebody_waits(&self) -> bool {
        !self.state().waiting.is_empty()
    }
}

/// Tells a thread to end, also when nobody waits any more.
pub struct StopOnDrop(Arc<AtomicBool>);

impl StopOnDrop {
    /// Tells it when this is dropped.
    pub fn new(told: &Arc<AtomicBool>) -> Self {
        Self(Arc::clone(told))
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A thread's part of the processors.
pub struct Slice {
    slices: Arc<Slices>,
    workspace: Id,
    stop: Arc<AtomicBool>,
    /// Since when it computes; nothing while it does not.
    since: Option<Instant>,
}

impl Slice {
    fn begin(slices: Arc<Slices>, workspace: Id, stop: Arc<AtomicBool>) -> Self {
        let mut slice = Self { slices, workspace, stop, since: None };
        slice.enter();
        slice
    }

    fn enter(&mut self) {
        self.since = self.slices.enter(self.workspace, &self.stop).then(Instant::now);
    }

    /// To be called often while it computes. Lets others compute where its time is up; `false` where it is to end.
    pub fn goes_on(&mut self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        let Some(since) = self.since else { return false };
        if since.elapsed() >= SLICE {
            if self.slices.somebody_waits() {
                self.since = None;
                self.slices.leave();
                self.enter();
            } else {
                self.since = Some(Instant::now());
            }
        }
        self.since.is_some()
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        if self.since.is_some() {
            self.slices.leave();
        }
    }
}

#[cfg(test)]
mod tests;

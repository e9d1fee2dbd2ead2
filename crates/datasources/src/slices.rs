//! Shares CPU time between workspaces: a few threads compute at once, and after each time slice a thread of
//! the next workspace continues.

use std::{
    collections::HashSet,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use toolcrib_model::{FairQueue, Id};

/// How long a query computes while another waits.
const SLICE: Duration = Duration::from_millis(10);
/// How often a waiting query checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// A scheduler that lets at most `slots` threads compute at once. The others wait, in turn by workspace.
pub struct Slices {
    slots: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    running: usize,
    waiting: FairQueue<u64>,
    next: u64,
    /// Tickets that have a slot, but whose threads have not woken up yet.
    admitted: HashSet<u64>,
    /// Tickets of cancelled queries that are still in `waiting`.
    gone: HashSet<u64>,
}

impl Slices {
    pub fn new(slots: usize) -> Self {
        let state = State {
            running: 0,
            waiting: FairQueue::new(usize::MAX),
            next: 0,
            admitted: HashSet::new(),
            gone: HashSet::new(),
        };
        Self { slots, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the number of threads that compute now.
    #[cfg(test)]
    pub fn running(&self) -> usize {
        self.state().running
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot. Returns false if `stop` is set in the meantime.
    fn enter(&self, workspace: Id, stop: &AtomicBool) -> bool {
        let mut state = self.state();
        if state.running < self.slots && state.waiting.is_empty() {
            state.running += 1;
            return true;
        }
        let ticket = state.next;
        state.next += 1;
        // Can't fail: the queue has no limit.
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

    /// Releases the slot and passes it to the next waiting thread.
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

    pub fn somebody_waits(&self) -> bool {
        !self.state().waiting.is_empty()
    }
}

/// Sets a stop flag when dropped, also if the future that owns it is cancelled.
pub struct StopOnDrop(Arc<AtomicBool>);

impl StopOnDrop {
    /// Creates a guard for this flag.
    pub fn new(told: &Arc<AtomicBool>) -> Self {
        Self(Arc::clone(told))
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A thread's slot and its current time slice.
pub struct Slice {
    slices: Arc<Slices>,
    workspace: Id,
    stop: Arc<AtomicBool>,
    /// The start of the time slice. `None` without a slot.
    since: Option<Instant>,
}

impl Slice {
    pub fn begin(slices: Arc<Slices>, workspace: Id, stop: Arc<AtomicBool>) -> Self {
        let mut slice = Self { slices, workspace, stop, since: None };
        slice.enter();
        slice
    }

    fn enter(&mut self) {
        self.since = self.slices.enter(self.workspace, &self.stop).then(Instant::now);
    }

    /// Lets another thread compute if the time slice is over. Returns false if the thread has to stop. Call
    /// often while computing.
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
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_the_workspaces() {
        let slices = Arc::new(Slices::new(1));
        let going = AtomicBool::new(false);
        assert!(slices.enter(Id::from_u128(1), &going));
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (n, workspace) in [1, 1, 1, 2].into_iter().enumerate() {
                let (slices, going, order) = (&slices, &going, &order);
                scope.spawn(move || {
                    assert!(slices.enter(Id::from_u128(workspace), going));
                    order.lock().unwrap().push(workspace);
                    slices.leave();
                });
                while slices.state().waiting.len() <= n {
                    std::thread::yield_now();
                }
            }
            slices.leave();
        });
        assert_eq!(*order.lock().unwrap(), [1, 2, 1, 1]);
        // A thread that is stopped while it waits does not block the slot.
        assert!(slices.enter(Id::from_u128(1), &going));
        assert!(!slices.enter(Id::from_u128(2), &AtomicBool::new(true)));
        slices.leave();
        assert!(slices.enter(Id::from_u128(3), &going));
        assert_eq!(slices.state().running, 1);
    }
}

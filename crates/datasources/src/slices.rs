//! Turns of computing: a few threads at once, and after each slice of time the next workspace's goes on.

use std::{
    collections::HashSet,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use toolcrib_model::{FairQueue, Id};

/// How long a question computes while another waits.
const SLICE: Duration = Duration::from_millis(10);
/// How often a question that waits looks whether somebody still wants it.
const LOOK: Duration = Duration::from_millis(50);

/// So many threads compute at once; the others wait, and the next workspace's goes on.
pub struct Slices {
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

    /// How many threads compute now.
    #[cfg(test)]
    pub fn running(&self) -> usize {
        self.state().running
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

    pub fn somebody_waits(&self) -> bool {
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
    pub fn begin(slices: Arc<Slices>, workspace: Id, stop: Arc<AtomicBool>) -> Self {
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
        // One that is stopped while it waits leaves no hole.
        assert!(slices.enter(Id::from_u128(1), &going));
        assert!(!slices.enter(Id::from_u128(2), &AtomicBool::new(true)));
        slices.leave();
        assert!(slices.enter(Id::from_u128(3), &going));
        assert_eq!(slices.state().running, 1);
    }
}

//! What an engine remembers of calls that ended early: which refusals were written to the audit log, and whose last
//! write ended early.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use parking_lot::Mutex;
use toolcrib_model::Id;

/// The last minute in which a row was written for each principal.
#[derive(Default)]
pub(crate) struct AuditThrottle(Mutex<HashMap<Id, u64>>);

impl AuditThrottle {
    /// Returns whether no row was written for this principal in this minute. Drops the entries of other
    /// minutes. `passed` is the monotonic time.
    pub fn first_this_minute(&self, principal: Id, passed: Duration) -> bool {
        let minute = passed.as_secs() / 60;
        let mut seen = self.0.lock();
        seen.retain(|_, last| *last == minute);
        seen.insert(principal, minute).is_none()
    }
}

/// The workspaces whose last write ended early: it was refused or replayed, is attempted again, or waits for a person.
/// On SQLite all writes wait for one writer. Such a workspace, which has reached its limit for example, probably sends
/// more writes that end early; their gates run on a reader first.
#[derive(Default)]
pub(crate) struct EarlyEndedWrites(Mutex<HashSet<Id>>);

impl EarlyEndedWrites {
    /// Returns whether the last write of the workspace ended early.
    pub fn contains(&self, workspace: Id) -> bool {
        self.0.lock().contains(&workspace)
    }

    /// Records whether a write ended early.
    pub fn set(&self, workspace: Id, ended_early: bool) {
        let mut workspaces = self.0.lock();
        if ended_early {
            workspaces.insert(workspace);
        } else {
            workspaces.remove(&workspace);
        }
    }
}

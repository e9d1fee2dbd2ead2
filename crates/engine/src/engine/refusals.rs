//! What an engine remembers of refused calls: which were written to the audit log, and whose writes were refused.

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

/// On SQLite all writes wait for one writer. A workspace whose last write was refused, because it has reached its limit
/// for example, probably sends more that will be; their gates run on a reader first.
#[derive(Default)]
pub(crate) struct RefusedWrites(Mutex<HashSet<Id>>);

impl RefusedWrites {
    /// Returns whether the last write of the workspace was refused.
    pub fn contains(&self, workspace: Id) -> bool {
        self.0.lock().contains(&workspace)
    }

    /// Records whether a write was refused.
    pub fn set(&self, workspace: Id, refused: bool) {
        let mut workspaces = self.0.lock();
        if refused {
            workspaces.insert(workspace);
        } else {
            workspaces.remove(&workspace);
        }
    }
}

//! The workspaces whose last write was refused.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use toolcrib_model::Id;

/// On SQLite all writes wait for one writer. A workspace whose last write was refused, because it has reached its limit
/// for example, probably sends more that will be; their gates run on a reader first.
#[derive(Default)]
pub(crate) struct RefusedWrites(Mutex<HashSet<Id>>);

impl RefusedWrites {
    /// Returns whether the last write of the workspace was refused.
    pub fn contains(&self, workspace: Id) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&workspace)
    }

    /// Records whether a write was refused.
    pub fn set(&self, workspace: Id, refused: bool) {
        let mut workspaces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused {
            workspaces.insert(workspace);
        } else {
            workspaces.remove(&workspace);
        }
    }
}

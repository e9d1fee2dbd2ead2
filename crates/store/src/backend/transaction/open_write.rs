//! Finds, in debug builds, a task that begins another transaction while its write is open: on SQLite it would wait for
//! itself, and on PostgreSQL it would hold two connections.

use std::{collections::HashSet, sync::LazyLock};

use parking_lot::Mutex;
use tokio::task;

static TASKS: LazyLock<Mutex<HashSet<task::Id>>> = LazyLock::new(Mutex::default);

/// The task that began a write, until the write ends.
pub struct OpenWrite(Option<task::Id>);

impl OpenWrite {
    pub fn new() -> Self {
        let task = if cfg!(debug_assertions) { task::try_id() } else { None };
        if let Some(task) = task {
            TASKS.lock().insert(task);
        }
        Self(task)
    }
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        if let Some(task) = self.0 {
            TASKS.lock().remove(&task);
        }
    }
}

/// Panics in debug builds if the task has an open write.
pub fn assert_no_open_write() {
    if cfg!(debug_assertions) {
        let open = task::try_id().is_some_and(|task| TASKS.lock().contains(&task));
        assert!(!open, "a task with an open write begins another transaction");
    }
}

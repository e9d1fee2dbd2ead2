//! Prevents two `serve` processes on one SQLite database with a file lock of the operating system, which is
//! released when the process ends in any way.
//!
//! The lock file contains the process ID and is emptied by a clean shutdown. If it has contents at the next
//! start, the last process did not shut down cleanly.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use crate::{failure::Failure, private::beside};

/// Follows the process ID in the file until the database was checked.
const UNCHECKED: &str = "unchecked";

/// The lock of a database that is served.
#[derive(Debug)]
pub struct Instance {
    file: File,
    /// The last process did not shut down cleanly, and the database was not checked since.
    pub unchecked: bool,
    /// A process served this database before.
    pub served_before: bool,
}

impl Instance {
    /// Acquires the lock of a database. The error names the process that holds the lock.
    pub fn acquire(database: &Path) -> Result<Self, Failure> {
        let path = beside(database, ".lock");
        let cannot = |error: io::Error| Failure::could_not(&format!("the lock `{}`", path.display()), error);
        let served_before = path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(cannot)?;
        let held = match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        };
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(cannot)?;
        if held {
            let process = text.split_whitespace().next().map_or_else(String::new, |id| format!(" {id}"));
            return Err(Failure::CouldNotRun(format!(
                "process{process} serves the database `{}` already: stop it, or name another `--data-dir`",
                database.display()
            )));
        }
        let mut instance = Self { file, unchecked: !text.trim().is_empty(), served_before };
        instance.write().map_err(cannot)?;
        Ok(instance)
    }

    /// Records that the database was checked and is intact.
    pub fn whole(&mut self) -> io::Result<()> {
        self.unchecked = false;
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let more = if self.unchecked { UNCHECKED } else { "" };
        self.file.set_len(0)?;
        self.file.rewind()?;
        writeln!(self.file, "{} {more}", std::process::id())?;
        self.file.sync_all()
    }
}

impl Drop for Instance {
    /// Records a clean shutdown. Closing the file releases the lock.
    fn drop(&mut self) {
        if !self.unchecked
            && let Err(error) = self.file.set_len(0)
        {
            tracing::warn!(%error, "the next start will look through the database: its lock can't be written");
        }
    }
}

/// Returns the ID of the process that serves the database (`true`) or that did not shut down cleanly
/// (`false`). For `doctor`.
pub fn holder(database: &Path) -> Option<(String, bool)> {
    let mut file = File::open(beside(database, ".lock")).ok()?;
    let running = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let id = text.split_whitespace().next()?.to_owned();
    Some((id, running))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_is_told_whose_the_lock_is_and_the_next_whether_it_ended_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("toolcrib.db");
        let first = Instance::acquire(&database).unwrap();
        assert!(!first.unchecked && !first.served_before);
        assert_eq!(holder(&database), Some((std::process::id().to_string(), true)));
        let refused = Instance::acquire(&database).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {} serves", std::process::id())), "{refused}");
        drop(first);
        assert_eq!(holder(&database), None);

        // A killed process runs no destructors.
        let killed = Instance::acquire(&database).unwrap();
        killed.file.try_clone().unwrap().unlock().unwrap();
        std::mem::forget(killed);
        for _ in 0..2 {
            let again = Instance::acquire(&database).unwrap();
            assert!(again.unchecked && again.served_before, "until somebody has looked");
        }
        let mut checked = Instance::acquire(&database).unwrap();
        checked.whole().unwrap();
        drop(checked);
        assert!(!Instance::acquire(&database).unwrap().unchecked);
    }
}

//! One `serve` for each embedded database: the operating system's lock on a file beside it, which ends with the process
//! however that ends. The file says which process it is; that it still says so at the next start tells that the last one
//! did not end in order.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use crate::{failure::Failure, private::beside};

/// Stands behind the process id until the database was looked through.
const UNCHECKED: &str = "unchecked";

/// Held while the database is served.
#[derive(Debug)]
pub struct Instance {
    file: File,
    /// The last process did not end in order, and nobody has found the database whole since.
    unchecked: bool,
    /// Somebody had served this database before.
    served_before: bool,
}

impl Instance {
    /// Takes the lock of a database, or says which process has it.
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

    /// Whether the database must be looked through: the last process did not end in order.
    pub fn unchecked(&self) -> bool {
        self.unchecked
    }

    /// Whether this is not the first process that serves this database.
    pub fn served_before(&self) -> bool {
        self.served_before
    }

    /// The database was looked through, and is whole.
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
    /// The end in order. The lock itself ends with the file.
    fn drop(&mut self) {
        if !self.unchecked
            && let Err(error) = self.file.set_len(0)
        {
            tracing::warn!(%error, "the next start will look through the database: its lock can't be written");
        }
    }
}

/// Whether the last process that served a database ended without order, or is still running: for `doctor`.
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
        assert!(!first.unchecked() && !first.served_before());
        assert_eq!(holder(&database), Some((std::process::id().to_string(), true)));
        let refused = Instance::acquire(&database).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {} serves", std::process::id())), "{refused}");
        drop(first);
        assert_eq!(holder(&database), None);

        // A process that is killed drops nothing.
        let killed = Instance::acquire(&database).unwrap();
        killed.file.try_clone().unwrap().unlock().unwrap();
        std::mem::forget(killed);
        for _ in 0..2 {
            let again = Instance::acquire(&database).unwrap();
            assert!(again.unchecked() && again.served_before(), "until somebody has looked");
        }
        let mut checked = Instance::acquire(&database).unwrap();
        checked.whole().unwrap();
        drop(checked);
        assert!(!Instance::acquire(&database).unwrap().unchecked());
    }
}

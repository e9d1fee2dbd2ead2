//! Makes a SQLite file to be queried: the demo's.

use std::{fs::OpenOptions, os::unix::fs::OpenOptionsExt as _, path::Path};

use rusqlite::Connection;

use crate::StoreError;

/// Makes the file with mode 0600 and what `script` says. A file that is there stays as it is.
pub async fn make_file(path: &Path, script: String) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    let (path, beside) = (path.to_owned(), path.with_extension("unfinished"));
    let made = tokio::task::spawn_blocking(move || -> Result<(), String> {
        // What a run that died left behind.
        drop(std::fs::remove_file(&beside));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)
            .map_err(|fault| fault.to_string())?;
        let conn = Connection::open(&beside).map_err(|fault| fault.to_string())?;
        conn.execute_batch(&script).map_err(|fault| fault.to_string())?;
        conn.close().map_err(|(_, fault)| fault.to_string())?;
        std::fs::rename(&beside, &path).map_err(|fault| fault.to_string())
    });
    let made = made.await.map_err(|fault| StoreError::Inconsistent(fault.to_string()))?;
    made.map_err(StoreError::Unavailable)
}

//! Makes a SQLite file to be queried: the demo's.

use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path};

use rusqlite::Connection;

/// Makes the file with mode 0600 and what `script` says. A file that is there stays as it is.
pub async fn make_file(path: &Path, script: String) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let (path, beside) = (path.to_owned(), path.with_extension("unfinished"));
    let made = tokio::task::spawn_blocking(move || {
        // What a run that died left behind.
        drop(std::fs::remove_file(&beside));
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        let conn = Connection::open(&beside).map_err(io::Error::other)?;
        conn.execute_batch(&script).map_err(io::Error::other)?;
        conn.close().map_err(|(_, fault)| io::Error::other(fault))?;
        std::fs::rename(&beside, &path)
    });
    made.await?
}

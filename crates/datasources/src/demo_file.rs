//! Creates the SQLite file that the demo queries.

use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path};

use rusqlite::Connection;

/// Creates the file with mode 0600 and runs `script` in it. Does nothing if the file exists.
pub async fn make_file(path: &Path, script: String) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let (path, beside) = (path.to_owned(), path.with_extension("unfinished"));
    let made = tokio::task::spawn_blocking(move || {
        // An earlier run that was killed may have left this file.
        drop(std::fs::remove_file(&beside));
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        let conn = Connection::open(&beside).map_err(io::Error::other)?;
        conn.execute_batch(&script).map_err(io::Error::other)?;
        conn.close().map_err(|(_, error)| io::Error::other(error))?;
        std::fs::rename(&beside, &path)
    });
    made.await?
}

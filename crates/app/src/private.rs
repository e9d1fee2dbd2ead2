//! Files and folders that only the service's own user may read: the database, keys and credentials.
//!
//! The service creates files with mode 0600 and folders with mode 0700. Existing files with wider modes, from
//! an earlier version or a copy, are restricted at each start.

use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use secrecy::SecretString;
use toolcrib_config::{Anchor, Database, Settings};

use crate::failure::Failure;

/// The permission bits of the group and of others.
const OTHERS: u32 = 0o077;
/// The sticky bit, which marks shared folders such as `/tmp`. Their modes are never changed.
const STICKY: u32 = 0o1000;
/// How much of a file with a token is read.
const MAX_TOKEN_BYTES: u64 = 64 * 1024;
/// What the service creates in the data directory, beside the database.
const OURS: [&str; 5] = ["issuer.pem", "audit.pem", "secret.key", "demo.json", "datasources"];

/// Creates a folder that only its owner may use. Leaves an existing folder unchanged.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| {
        Failure::could_not(&format!("the folder `{}` can't be made", folder.display()), error)
    })
}

/// Creates the folder of a file, which only its owner may use. Leaves an existing folder unchanged.
pub fn make_folder_of(file: &Path) -> Result<(), Failure> {
    folder_of(file).map_or(Ok(()), make_folder)
}

/// Has the disk keep the name of a file in its folder.
pub fn sync_folder_of(file: &Path) -> io::Result<()> {
    fs::File::open(folder_of(file).unwrap_or_else(|| Path::new(".")))?.sync_all()
}

fn folder_of(file: &Path) -> Option<&Path> {
    file.parent().filter(|folder| !folder.as_os_str().is_empty())
}

/// Reads the token in a file that nobody else may read. Editors and `echo` end a file with a line break.
pub fn read_token(path: &Path) -> Result<SecretString, Failure> {
    let shown = path.display();
    let unread = |error: io::Error| Failure::could_not(&format!("`{shown}` can't be read"), error);
    let file = fs::File::open(path).map_err(unread)?;
    if file.metadata().map_err(unread)?.permissions().mode() & OTHERS != 0 {
        return Err(Failure::Usage(format!(
            "others may use `{shown}`, which holds a token: `chmod 600 {shown}`"
        )));
    }
    let mut text = String::new();
    file.take(MAX_TOKEN_BYTES).read_to_string(&mut text).map_err(unread)?;
    Ok(text.trim_end_matches(['\r', '\n']).into())
}

/// The file of the demo's datasource.
const SHOP: &str = "shop.db";

/// Removes the permissions of the group and of others from the service's files, and from the data directory
/// if it has no other contents. Returns one line for each path that stays accessible.
pub fn tighten(settings: &Settings) -> Vec<String> {
    let mut open = Vec::new();
    let mut close = |path: &Path, known: bool| match closed(path, known) {
        Ok(()) => {}
        Err(why) => open.push(format!("others may use `{}`: {why}", path.display())),
    };
    let data = &settings.data_dir;
    for name in &OURS[..4] {
        close(&data.join(name), true);
    }
    for path in database_files(settings) {
        close(&path, true);
    }
    // The demo's shop is in a folder for each workspace. Other files in these folders belong to the operator.
    let datasources = data.join("datasources");
    for folder in entries(&datasources).into_iter().filter(|path| path.join(SHOP).exists()) {
        close(&folder.join(SHOP), true);
        close(&folder, true);
    }
    close(&datasources, true);
    close(data, entries(data).iter().all(|path| is_ours(settings, path)));
    open
}

/// Returns the paths of the database, of SQLite's files beside it, and of the lock.
fn database_files(settings: &Settings) -> Vec<PathBuf> {
    let Database::Sqlite(path) = &settings.database else { return Vec::new() };
    ["", "-wal", "-shm", "-journal", ".lock"].map(|end| beside(path, end)).into()
}

/// Returns the path with `end` appended to its file name.
pub fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn is_ours(settings: &Settings, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let anchor =
        matches!(&settings.audit_anchor, Some(Anchor::File(file)) if file.file_name() == path.file_name());
    // A temporary file of a key or of credentials, which is renamed when it is complete.
    let half = name.strip_prefix('.').is_some_and(|name| OURS.iter().any(|ours| name.starts_with(ours)));
    anchor
        || half
        || OURS.contains(&name.as_ref())
        || name.starts_with("toolcrib.db")
        || database_files(settings).iter().any(|file| file.file_name() == path.file_name())
}

/// Restricts the mode of a path if `known`, which means that only the service uses the path. Ignores symbolic
/// links.
fn closed(path: &Path, known: bool) -> Result<(), String> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    let mode = found.permissions().mode();
    if found.is_symlink() || mode & OTHERS == 0 {
        return Ok(());
    }
    if !known || mode & STICKY != 0 {
        return Err("it holds other things than the service's: give the service a folder of its own".into());
    }
    let tight = fs::Permissions::from_mode(mode & !OTHERS & 0o7777);
    fs::set_permissions(path, tight).map_err(|error: io::Error| error.to_string())
}

//! A file that can't be restored is refused before anything is made, with the reason. A backup replaces no
//! file.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use toolcrib_testkit::change_sqlite_file;

use crate::{
    binary::{done, folder, refused},
    place::Place,
};

/// A small database with a backup of it.
fn backed_up(folder: &Path) -> (Place, PathBuf) {
    let (place, file) = (Place::at(folder, None), folder.join("backup.db"));
    place.done(&["migrate"]);
    place.done(&["workspace", "create", "Shop", "--owner", "first"]);
    place.back_up(&file);
    (place, file)
}

/// SQL that adds a migration of a later version.
fn newer(table: &str) -> String {
    let same = "description, installed_on, success, checksum, execution_time";
    format!("INSERT INTO {table} (version, {same}) SELECT 999999, {same} FROM {table} WHERE version = 1")
}

fn why(data: &Path, file: &Path) -> String {
    let text =
        refused(&["restore", "--from", file.to_str().unwrap(), "--data-dir", data.to_str().unwrap()], 3);
    assert!(text.contains(&format!("`{}` can't be restored", file.display())), "{text}");
    assert!(!data.exists(), "nothing was made");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_can_not_be_restored_is_refused_with_its_reason() {
    let (folder, empty) = (folder(), folder());
    let (_, good) = backed_up(folder.path());
    let data = empty.path().join("data");
    let bad = folder.path().join("bad.db");
    let bytes = fs::read(&good).unwrap();

    // The pages in the middle are damaged, or missing.
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 20_000].fill(0xa5);
    fs::write(&bad, &damaged).unwrap();
    assert!(why(&data, &bad).contains("the file is damaged"));
    fs::write(&bad, &bytes[..middle]).unwrap();
    assert!(why(&data, &bad).contains("damaged"));
    // Other files.
    fs::write(&bad, "no database").unwrap();
    assert!(why(&data, &bad).contains("the file is damaged: "));
    fs::write(&bad, "").unwrap();
    assert!(why(&data, &bad).contains("no database of Toolcrib"));
    change_sqlite_file(&bad, "CREATE TABLE workspaces (id INTEGER)").await;
    assert!(why(&data, &bad).contains("no database of Toolcrib"));
    assert!(why(&data, &folder.path().join("none.db")).contains("No such file"));
    assert!(why(&data, folder.path()).contains("it is a directory"));
    // Other schemas.
    fs::write(&bad, &bytes).unwrap();
    change_sqlite_file(&bad, &newer("_sqlx_migrations")).await;
    assert!(why(&data, &bad).contains("newer than this program: it has migration 999999"));
    fs::write(&bad, &bytes).unwrap();
    change_sqlite_file(&bad, "UPDATE _sqlx_migrations SET checksum = X'00' WHERE version = 1").await;
    assert!(why(&data, &bad).contains("another build"));
    // A file that a process has open has its last changes beside it.
    fs::write(&bad, &bytes).unwrap();
    fs::write(folder.path().join("bad.db-wal"), "x").unwrap();
    assert!(why(&data, &bad).contains("restore a file of `toolcrib backup`"));

    let text = done(&["restore", "--from", good.to_str().unwrap(), "--data-dir", data.to_str().unwrap()]);
    assert!(text.contains("`audit.pem` is not in the data directory: without it"), "{text}");
    let mode = fs::metadata(data.join("toolcrib.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_pack_is_refused_and_leaves_nothing() {
    let (folder, empty) = (folder(), folder());
    let (_, file) = backed_up(folder.path());
    change_sqlite_file(&file, &newer("_sqlx_migrations_game")).await;
    let data = empty.path().join("data");
    let text =
        refused(&["restore", "--from", file.to_str().unwrap(), "--data-dir", data.to_str().unwrap()], 3);
    assert!(text.contains("999999"), "{text}");
    let left: Vec<_> = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["toolcrib.db.lock"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_private_and_replaces_nothing() {
    let folder = folder();
    let (place, file) = backed_up(folder.path());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the data directory and the backup");
    let before = fs::read(&file).unwrap();
    let name = file.to_str().unwrap();
    assert!(place.refused(&["backup", "--to", name], 2).contains("a backup replaces no file"));
    assert_eq!(fs::read(&file).unwrap(), before);
    let missing = folder.path().join("none/backup.db");
    assert!(place.refused(&["backup", "--to", missing.to_str().unwrap()], 3).contains("can't be made"));
    let second = folder.path().join("second.db");
    let partial = folder.path().join("second.db.partial");
    fs::write(&partial, "").unwrap();
    assert!(place.refused(&["backup", "--to", second.to_str().unwrap()], 2).contains("did not end"));
    fs::remove_file(&partial).unwrap();
    let text = place.done(&["backup", "--to", second.to_str().unwrap()]);
    for told in ["secret.key", "audit.pem", "issuer.pem", "must be set again", "everybody needs a new one"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    // A copy that was put into place by hand is held too.
    let by_hand = Place::at(&folder.path().join("hand"), None);
    fs::create_dir_all(by_hand.data()).unwrap();
    fs::copy(&second, by_hand.data().join("toolcrib.db")).unwrap();
    assert_eq!(by_hand.state().await, None);
    assert!(by_hand.refused(&["restore", "--accept"], 2).contains("run `toolcrib restore`"));
    assert!(by_hand.done(&["restore"]).contains("restored and held"));
    // A database that was not put back is only restored as a snapshot.
    assert!(place.refused(&["restore"], 2).contains("say `--snapshot`"));
    assert!(place.done(&["restore", "--snapshot"]).contains("restored and held"));
    let postgres = ["backup", "--to", name, "--database", "postgres://a@b/c", "--data-dir", "/dev/null/none"];
    assert!(refused(&postgres, 2).contains("pg_dump"));
}

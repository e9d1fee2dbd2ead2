//! A restore that is killed leaves a database that is held, or none.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
};

use toolcrib_model::ServingState;
use toolcrib_testkit::{eventually, postgres};

use crate::{
    binary::{folder, toolcrib},
    place::{Place, strs},
};

fn begin(place: &Place, args: &[&str]) -> Child {
    let args = place.args(args);
    toolcrib().args(strs(&args)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn kill(mut child: Child) {
    // It may have ended.
    let _ = child.kill();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_of_a_file_that_is_killed_leaves_nothing_or_a_held_database() {
    let folder = folder();
    let source = Place::at(&folder.path().join("source"), None);
    source.done(&["migrate"]);
    source.done(&["workspace", "create", "Shop", "--owner", "first"]);
    let file = folder.path().join("backup.db");
    source.back_up(&file);
    let from = ["restore", "--from", file.to_str().unwrap()];
    // Killed when each of the files appears that it makes.
    let steps = ["toolcrib.db.lock", "toolcrib.db.restoring", "toolcrib.db.restoring-wal", "toolcrib.db"];
    for (round, step) in steps.into_iter().enumerate() {
        let place = Place::at(&folder.path().join(format!("to-{round}")), None);
        let mut child = begin(&place, &from);
        eventually("it is under way", async || {
            place.data().join(step).exists() || child.try_wait().unwrap().is_some()
        })
        .await;
        kill(child);
        let database = place.data().join("toolcrib.db");
        if database.exists() {
            assert_eq!(place.state().await, Some(ServingState::Restored), "{step}");
        } else {
            place.done(&from);
            assert!(left(&place.data()).iter().all(|name| !name.contains("restoring")), "{step}");
            assert_eq!(place.state().await, Some(ServingState::Restored), "{step}");
        }
    }
}

fn left(data: &Path) -> Vec<String> {
    let names = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_on_postgresql_that_is_killed_changes_nothing() {
    let (folder, db) = (folder(), postgres().await);
    let place = Place::new(folder.path(), &db);
    place.done(&["workspace", "create", "Shop", "--owner", "first"]);
    db.close().await;
    db.raw_sql("DELETE FROM serving").await;
    // The last statement of the transaction waits for this lock.
    let lock = "LOCK TABLE serving IN SHARE MODE";
    let child = begin(&place, &["restore"]);
    let held = db.open_transaction(lock).await;
    let waits = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = CAST('serving' AS regclass)";
    let mut child = child;
    eventually("it waits or is done", async || {
        db.number(waits).await > 0 || child.try_wait().unwrap().is_some()
    })
    .await;
    kill(child);
    held.release().await;
    eventually("its transaction is gone", async || db.number(waits).await == 0).await;
    let state = place.state().await;
    assert!(matches!(state, None | Some(ServingState::Restored)), "{state:?}");
    if state.is_none() {
        assert_eq!(db.number("SELECT COUNT(*) FROM action_log WHERE action = 'backups.restore'").await, 0);
        eventually("no session is left", async || {
            db.number("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()").await == 1
        })
        .await;
        place.done(&["restore"]);
    }
    assert!(db.number("SELECT COUNT(*) FROM action_log WHERE action = 'backups.restore'").await > 0);
    assert_eq!(place.state().await, Some(ServingState::Restored));
}

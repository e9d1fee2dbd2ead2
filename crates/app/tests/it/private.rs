//! Only the service's user may read its files, and only one process serves an embedded database.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    api::Api,
    binary::{Server, demo, done, folder, refused, run},
    session_grants,
    start::a_key_of_secrets_that_breaks_before_it_is_needed_is_not_ready,
};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A folder and everything in it.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(below(&path)) } else { found.push(path) }
    }
    found
}

fn open_ones(folder: &Path) -> Vec<PathBuf> {
    below(folder).into_iter().filter(|path| mode(path) & 0o077 != 0).collect()
}

/// Checks the files of a demo that runs, for the test of `demo.rs`.
pub fn what_the_service_makes_or_finds_is_closed_to_others(data: &Path) {
    assert!(below(data).len() > 8);
    assert_eq!(open_ones(data), Vec::<PathBuf>::new());
    assert_eq!(
        (mode(data), mode(&data.join("toolcrib.db")), mode(&data.join("demo.json"))),
        (0o700, 0o600, 0o600)
    );
}

/// Sets permissions as they may come from an earlier version or a copy.
pub fn open_to_others(data: &Path) {
    for path in below(data) {
        let wide = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(wide)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_with_other_things_in_it_is_told_of_and_left() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(data.join("thesis.txt"), "somebody's").unwrap();
    fs::set_permissions(data.join("thesis.txt"), fs::Permissions::from_mode(0o644)).unwrap();
    symlink(data.join("thesis.txt"), data.join("audit.pem.old")).unwrap();
    let server = Server::start(folder.path(), &[]);
    let text = server.text();
    assert!(text.contains("it holds other things"), "{text}");
    assert_eq!((mode(&data), mode(&data.join("thesis.txt"))), (0o755, 0o644));
    assert_eq!(mode(&data.join("issuer.pem")), 0o600);
    a_key_of_secrets_that_breaks_before_it_is_needed_is_not_ready(&server, &data).await;
    assert_eq!(server.stop(), Some(0));
    // Without `--demo` there is no demo data.
    assert!(!text.contains("credentials") && !text.contains("curl"), "{text}");
    let mut files: Vec<_> = fs::read_dir(&data).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.retain(|name| !name.to_string_lossy().starts_with("toolcrib.db"));
    files.sort();
    assert_eq!(files, ["audit.pem", "audit.pem.old", "issuer.pem", "thesis.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_a_folder_has_one_process_and_its_damage_is_told() {
    let folder = folder();
    let data = folder.path().join("data");
    a_second_serve_is_refused_and_told_the_first_ones_process(folder.path()).await;
    // The lock ends with its process, even if the process is killed.
    let server = Server::start(folder.path(), &["--demo"]);
    assert!(server.text().contains("did not end in order"), "{}", server.text());
    let grant = session_grants::granted(&server, folder.path()).await;
    assert_eq!(server.stop(), Some(0));
    session_grants::is_in_no_file(&data, &grant);
    let server = Server::start(folder.path(), &["--demo"]);
    assert!(!server.text().contains("did not end in order"), "{}", server.text());
    session_grants::a_restart_forgets_them(&server, folder.path()).await;
    assert_eq!(server.stop(), Some(0));
    a_damaged_database_is_told_after_an_end_without_order_and_refused_when_strict(folder.path());
    a_log_that_was_cut_is_told_at_each_start_and_refused_when_strict(folder.path()).await;
}

/// Kills the process at its end.
async fn a_second_serve_is_refused_and_told_the_first_ones_process(folder: &Path) {
    let data = folder.join("data").to_str().unwrap().to_owned();
    let server = Server::start(folder, &["--demo"]);
    let told = format!("process {} serves the database", server.id());
    let serve = ["serve", "--bind", "127.0.0.1:0", "--data-dir", &data];
    assert!(refused(&serve, 3).contains(&told));
    // Also refused: another path to the same folder, and the same database from another data directory.
    let link = folder.join("link");
    symlink(&data, &link).unwrap();
    assert!(
        refused(&["serve", "--bind", "127.0.0.1:0", "--data-dir", link.to_str().unwrap()], 3).contains(&told)
    );
    let (database, other) = (format!("sqlite:{data}/toolcrib.db"), folder.join("other"));
    let elsewhere =
        ["serve", "--bind", "127.0.0.1:0", "--data-dir", other.to_str().unwrap(), "--database", &database];
    assert!(refused(&elsewhere, 3).contains(&told));
    // Commands work while the service runs.
    let workspace = demo(folder)["workspaces"][0]["id"].as_str().unwrap().to_owned();
    done(&["audit", "verify", "--workspace", &workspace, "--data-dir", &data]);
    assert!(
        done(&["doctor", "--data-dir", &data]).contains(&format!("NOTE  process {} serves", server.id()))
    );
    let api = Api::new(&reqwest::Client::new(), &server, folder, "owner");
    api.post("/v1/actions/platform_create_agent", &json!({ "name": "Still", "role": "worker" }), 200).await;
    server.kill();
}

/// Starts three processes on one database in one folder, for the test of `decisions.rs`, which stops each.
pub fn processes_on_postgresql_may_share_a_folder(folder: &Path, url: &str) -> [Server; 3] {
    let flags = ["--demo", "--database", url];
    ["first.txt", "second.txt", "third.txt"].map(|log| Server::start_as(log, folder, &flags))
}

#[test]
fn the_demo_is_served_beyond_this_machine_only_where_that_is_said() {
    let folder = folder();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let serve = ["serve", "--demo", "--bind", "0.0.0.0:0", "--data-dir", &data];
    assert!(refused(&serve, 2).contains("`--demo-on-network`"));
    assert!(!Path::new(&data).exists(), "nothing was made");
    // A demo without packs starts too.
    let server = Server::start(folder.path(), &["--demo", "--demo-on-network", "--packs", "none"]);
    let text = server.text();
    assert!(!text.contains("WARN") && !text.contains("The pack "), "{text}");
    assert_eq!(server.stop(), Some(0));
    assert_eq!(run(&["serve", "--demo-on-network", "--data-dir", &data]).status.code(), Some(2));
}

/// Overwrites the pages with rows of the audit log, which nothing reads at start.
fn damaged(mut bytes: Vec<u8>) -> Vec<u8> {
    const PAGE: usize = 4096;
    let row = b"members.add";
    let mut damaged = 0;
    // The first page holds the schema.
    for page in bytes.chunks_mut(PAGE).skip(1).filter(|page| page.windows(row.len()).any(|at| at == row)) {
        page[..PAGE / 2].fill(0xa5);
        damaged += 1;
    }
    assert!(damaged > 0, "the log has its rows somewhere");
    bytes
}

/// Replaces the file of a database whose log was written into it.
fn replace(database: &Path, bytes: &[u8]) {
    for beside in ["db-wal", "db-shm"] {
        drop(fs::remove_file(database.with_extension(beside)));
    }
    fs::write(database, bytes).unwrap();
}

/// Repairs the database at its end.
fn a_damaged_database_is_told_after_an_end_without_order_and_refused_when_strict(folder: &Path) {
    let data = folder.join("data");
    let database = data.join("toolcrib.db");
    Server::start(folder, &[]).kill();
    // Moves the content of the write-ahead log into the database file first.
    done(&["doctor", "--data-dir", data.to_str().unwrap()]);
    let sound = fs::read(&database).unwrap();
    replace(&database, &damaged(sound.clone()));
    let serve = ["serve", "--bind", "127.0.0.1:0", "--strict-start", "--data-dir", data.to_str().unwrap()];
    for _ in 0..2 {
        let told = refused_last(&serve);
        assert!(told.contains("the database is damaged"), "as long as it is: {told}");
    }
    let doctor = run(&["doctor", "--data-dir", data.to_str().unwrap()]);
    let text = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.status.code() == Some(1) && text.contains("FAIL  the database is damaged"), "{text}");
    replace(&database, &sound);
}

async fn a_log_that_was_cut_is_told_at_each_start_and_refused_when_strict(folder: &Path) {
    let data = folder.join("data");
    let cut = "BEGIN IMMEDIATE; DROP TRIGGER audit_chain_no_delete; DELETE FROM audit_chain WHERE seq > 3";
    toolcrib_testkit::open_sqlite_transaction(&data.join("toolcrib.db"), cut).await.commit().await;
    let strict = ["serve", "--bind", "127.0.0.1:0", "--strict-start", "--data-dir", data.to_str().unwrap()];
    assert!(refused_last(&strict).contains("lacks what was signed"));
    let server = Server::start(folder, &["--demo"]);
    assert!(
        server.text().contains("ERROR") && server.text().contains("lacks what was signed"),
        "{}",
        server.text()
    );
    assert_eq!(server.stop(), Some(0));
    let doctor = run(&["doctor", "--data-dir", data.to_str().unwrap()]);
    let text = String::from_utf8(doctor.stdout).unwrap();
    assert!(
        doctor.status.code() == Some(1) && text.contains("FAIL  the audit log of the workspace"),
        "{text}"
    );
}

/// Like `refused` with code 3, but log lines may come before the error. Returns the last line.
fn refused_last(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    text.lines().last().unwrap().to_owned()
}

//! A full disk, under load: writes are refused and have no effect. Once there is space again, the service
//! continues by itself.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use toolcrib_testkit::eventually;

use crate::{
    api::Api,
    binary::Server,
    load::{Load, begin_with, status},
    place::Place,
};

/// Size in bytes of a text in each write, so that the disk is full soon.
const WEIGHT: usize = 4_000;
const WRITERS: usize = 8;

/// A small file system of its own, which is unmounted when this is dropped.
struct Disk(PathBuf);

impl Disk {
    /// Mounts a file system. The error says why this is not possible.
    fn mount(at: &Path) -> Result<Self, String> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]).arg(at).output();
        match mounted {
            Ok(output) if output.status.success() => Ok(Self(at.to_owned())),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(format!("mount: {error}")),
        }
    }

    /// Writes a file until nothing more fits.
    fn fill(&self) {
        let mut file = File::options().append(true).create(true).open(self.filler()).unwrap();
        for size in [1 << 16, 1 << 12, 1 << 9] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.0).status());
    }
}

/// Limits the size of the files that the service writes from now on.
fn limit(server: &Server, bytes: &str) {
    let (process, size) = (server.id().to_string(), format!("--fsize={bytes}:"));
    let set = Command::new("prlimit").args(["--pid", &process, &size]).status();
    assert!(set.is_ok_and(|status| status.success()), "`prlimit` (package util-linux) is needed");
}

/// Waits until no write succeeds any more. Checks how requests are answered then.
async fn no_room(load: &Load, api: &Api, refill: &impl Fn()) {
    let mut quiet = 0;
    while quiet < 10 {
        // A checkpoint may have made space again.
        refill();
        let (acknowledged, refused) = (load.count(), load.count_refused());
        let more = refused + 4 * WRITERS;
        eventually("more is refused", async || load.count_refused() >= more).await;
        quiet = if load.count() == acknowledged { quiet + 1 } else { 0 };
    }
    assert_eq!(status(&api.base, "/healthz").await, Some(200), "the process is alive");
    // A list has no audit row, so it is answered. A read whose row can't be written is refused.
    api.get("/v1/tools").await;
    let refused = refused_read(api, refill).await;
    assert_eq!(refused["code"], "audit_unavailable", "{refused}");
}

/// The response to a read whose row does not fit. A checkpoint makes space for some rows, so the first reads
/// may succeed.
async fn refused_read(api: &Api, refill: &impl Fn()) -> Value {
    let path = "/v1/actions/platform_list_agents";
    for _ in 0..1_000 {
        refill();
        match api.ask("POST", path, Some(&json!({ "limit": 1 }))).await {
            Some((200, _)) => {}
            Some((503, refused)) => return refused,
            other => panic!("{other:?}"),
        }
    }
    panic!("a full disk refuses no read");
}

/// Fills the disk and makes space again, twice. Then checks what must hold.
async fn survives(what: &str, folder: &Path, server: Server, full: impl Fn(&Server), room: impl Fn(&Server)) {
    let place = Place::at(folder, None);
    let (server, api, db) = begin_with(server, &place).await;
    db.close().await;
    let load = Load::heavy(WEIGHT);
    let writers = load.start(&api, WRITERS);
    for _ in 0..2 {
        load.goes_on().await;
        no_room(&load, &api, &|| full(&server)).await;
        room(&server);
        // The service goes on without a restart.
        load.goes_on().await;
    }
    load.end(writers).await;
    assert!(load.count_refused() > 0, "nothing was refused");
    let db = place.open().await;
    load.compare(what, &db, api.workspace, &[503]).await;
    db.close().await;
    assert_eq!(server.stop(), Some(0));
    place.verify();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_writes_and_heals() {
    let folder = tempfile::tempdir().unwrap();
    match Disk::mount(folder.path()) {
        Ok(disk) => {
            // The data and the log of the service are on this disk, so neither can be written.
            let server = Server::start(folder.path(), &["--demo"]);
            let what = "a disk of 24 MiB, full twice";
            survives(what, folder.path(), server, |_| disk.fill(), |_| disk.free()).await;
        }
        Err(why) => {
            println!("NO DISK CAN BE MOUNTED HERE ({why}): the test of files at their limit stands for it");
        }
    }
}

/// Limits the size of files instead of filling a disk, also for machines where no file system can be mounted.
#[tokio::test(flavor = "multi_thread")]
async fn files_at_their_limit_refuse_writes_and_heal() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_limited(folder.path(), &["--demo", "--log-filter", "off"]);
    let database = folder.path().join("data/toolcrib.db");
    let full = |server: &Server| {
        let size = fs::metadata(&database).unwrap().len();
        limit(server, &size.to_string());
    };
    let what = "files at their limit, twice";
    survives(what, folder.path(), server, full, |server| limit(server, "unlimited")).await;
}

//! A migration runs while processes of the build before it serve, and a build refuses a database with a newer schema.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use serde_json::json;
use sqlx::{Connection as _, PgConnection, migrate::Migrator};
use toolcrib_testkit::{change_workspace, eventually};

use crate::{
    api::Api,
    binary::{Server, folder, refused, run},
};

/// What a later version may change while processes of this one run: new tables, columns with a default that the database
/// computes, and indexes.
const SECOND: &str = "\
ALTER TABLE agents ADD COLUMN nickname TEXT;
ALTER TABLE confirmations ADD COLUMN urgency BIGINT NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN note TEXT NOT NULL DEFAULT '';
CREATE TABLE nicknames (workspace_id UUID NOT NULL, id UUID NOT NULL, PRIMARY KEY (workspace_id, id));
SELECT guard_tenant('nicknames', 'SELECT, INSERT');
CREATE INDEX agents_by_nickname ON agents (workspace_id, nickname) WHERE nickname IS NOT NULL;
";

/// The migrations of this build with a second one behind them.
async fn migrator(folder: &Path) -> Migrator {
    let first = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres/0001_schema.sql");
    let migrations = folder.join("migrations");
    fs::create_dir(&migrations).unwrap();
    fs::copy(first, migrations.join("0001_schema.sql")).unwrap();
    fs::write(migrations.join("0002_second.sql"), SECOND).unwrap();
    Migrator::new(migrations).await.unwrap()
}

/// Calls of every kind, until it is told to stop. Returns their number.
async fn work(api: Api, name: String, stop: Arc<AtomicBool>, done: Arc<AtomicUsize>) -> usize {
    let mut calls = 0;
    while !stop.load(Ordering::SeqCst) {
        let agent = json!({ "name": format!("{name}-{calls}") });
        api.post("/v1/actions/platform_create_agent", &agent, 200).await;
        api.post("/v1/actions/platform_list_agents", &json!({ "limit": 5 }), 200).await;
        api.get("/v1/keys").await;
        let asked = json!({ "agent": format!("{name}-{calls}") });
        let waits = api.post("/v1/actions/platform_delete_agent", &asked, 202).await;
        let id = waits["confirmation"]["id"].as_str().unwrap_or_else(|| panic!("{waits}")).to_owned();
        api.post(&format!("/v1/confirmations/{id}/deny"), &json!({ "reason": "kept" }), 200).await;
        calls += 1;
        done.fetch_add(1, Ordering::SeqCst);
    }
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_runs_while_processes_of_the_build_before_serve() {
    let (folder, db) = (folder(), toolcrib_testkit::postgres().await);
    let (url, client) = (db.url(), reqwest::Client::new());
    let servers: Vec<_> = (0..2)
        .map(|n| Server::start_as(&format!("log-{n}.txt"), folder.path(), &["--demo", "--database", &url]))
        .collect();
    let apis: Vec<_> =
        servers.iter().map(|server| Api::new(&client, server, folder.path(), "owner")).collect();
    change_workspace(&db, apis[0].workspace, |row| {
        row.settings.write_per_minute = 1_000_000;
        row.settings.read_per_minute = 1_000_000;
        row.settings.open_confirmations = 1_000;
        row.settings.open_confirmations_per_caller = 1_000;
    })
    .await;
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let workers: Vec<_> = (0..8)
        .map(|n| tokio::spawn(work(apis[n % 2].clone(), format!("upgrade-{n}"), stop.clone(), done.clone())))
        .collect();
    eventually("they work", async || done.load(Ordering::SeqCst) >= 8).await;

    let mut owner = PgConnection::connect(&url).await.unwrap();
    migrator(folder.path()).await.run(&mut owner).await.unwrap();
    owner.close().await.unwrap();
    let before = done.load(Ordering::SeqCst);
    eventually("they go on", async || done.load(Ordering::SeqCst) >= before + 40).await;
    stop.store(true, Ordering::SeqCst);
    let mut calls = 0;
    for worker in workers {
        calls += worker.await.unwrap();
    }
    println!("an upgrade beside two processes: {calls} rounds of calls, none refused");
    // Workers of these processes go on too: the log is sealed.
    eventually("the log is sealed", async || {
        let found = apis[0].get("/v1/audit/verify").await;
        found["ok"] == true && found["unsealed"] == 0
    })
    .await;
    for server in &servers {
        assert!(!server.text().contains("ERROR"), "{}", server.text());
    }

    // A build that lacks the migration neither starts, migrates, nor restores.
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let place = ["--database", &url, "--data-dir", &data];
    for command in [&["serve", "--demo", "--bind", "127.0.0.1:0"][..], &["migrate"], &["workspace", "list"]] {
        let text = refused(&[command, &place[..]].concat(), 3);
        assert!(text.contains("newer than this program: it has migration 2"), "{text}");
    }
    let doctor = run(&[&["doctor"][..], &place[..]].concat());
    assert!(String::from_utf8(doctor.stdout).unwrap().contains("newer than this program"));
    for server in servers {
        assert_eq!(server.stop(), Some(0));
    }
}

//! A migration runs while processes of the build before it serve. A build refuses a database with a newer
//! schema, and one that lacks a migration of a pack or in which one failed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use toolcrib_testkit::{change_sqlite_file, change_workspace, eventually, migrate_later};

use crate::{
    api::Api,
    binary::{Server, done, folder, refused, run},
    logins::Flags,
};

/// What a later version may change while processes of this one run: new tables, columns with a default, and
/// indexes. A migration is one transaction. It changes one table that exists, because calls lock several
/// tables in orders of their own.
const LATER: [&str; 4] = [
    "ALTER TABLE agents ADD COLUMN nickname TEXT; \
     CREATE INDEX agents_by_nickname ON agents (workspace_id, nickname) WHERE nickname IS NOT NULL;",
    "ALTER TABLE confirmations ADD COLUMN urgency BIGINT NOT NULL DEFAULT 0;",
    "ALTER TABLE keys ADD COLUMN note TEXT NOT NULL DEFAULT '';",
    "CREATE TABLE nicknames (workspace_id UUID NOT NULL, id UUID NOT NULL, PRIMARY KEY (workspace_id, id)); \
     SELECT guard_tenant('nicknames', 'SELECT, INSERT');",
];

/// A call, which must have this status.
async fn call(api: &Api, path: &str, body: &Value, status: u16) -> Result<Value, String> {
    let (got, value) = api.ask("POST", path, Some(body)).await.ok_or("the service does not answer")?;
    if got == status { Ok(value) } else { Err(format!("{path}: {got} {value}")) }
}

/// Reads, writes and decisions, until it is told to stop or one is refused. Returns their number.
async fn work(
    api: Api,
    name: String,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
) -> Result<usize, String> {
    let mut rounds = 0;
    while !stop.load(Ordering::SeqCst) {
        let agent = format!("{name}-{rounds}");
        call(&api, "/v1/actions/platform_create_agent", &json!({ "name": agent }), 200).await?;
        call(&api, "/v1/actions/platform_list_agents", &json!({ "limit": 5 }), 200).await?;
        let (got, keys) = api.ask("GET", "/v1/keys", None).await.ok_or("the service does not answer")?;
        if got != 200 {
            return Err(format!("keys: {got} {keys}"));
        }
        let deletion = json!({ "agent": agent });
        let waits = call(&api, "/v1/actions/platform_delete_agent", &deletion, 202).await?;
        let id = waits["confirmation"]["id"].as_str().ok_or_else(|| waits.to_string())?;
        call(&api, &format!("/v1/confirmations/{id}/deny"), &json!({ "reason": "kept" }), 200).await?;
        rounds += 1;
        done.fetch_add(1, Ordering::SeqCst);
    }
    Ok(rounds)
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

    migrate_later(&url, &LATER).await;
    let before = done.load(Ordering::SeqCst);
    eventually("they go on", async || {
        done.load(Ordering::SeqCst) >= before + 40 || workers.iter().any(tokio::task::JoinHandle::is_finished)
    })
    .await;
    stop.store(true, Ordering::SeqCst);
    let mut rounds = 0;
    for worker in workers {
        let logs = || servers.iter().map(Server::text).collect::<String>();
        rounds += worker.await.unwrap().unwrap_or_else(|refused| panic!("{refused}\n{}", logs()));
    }
    println!("an upgrade beside two processes: {rounds} rounds of five calls, none refused");
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

/// The packs of the binary with tables.
const PACKS: [&str; 2] = ["game", "media"];

/// Takes the list of a pack's migrations away. The tables stay.
fn without_list(pack: &str) -> String {
    format!("ALTER TABLE _sqlx_migrations_{pack} RENAME TO kept")
}

fn with_list(pack: &str) -> String {
    format!(
        "DROP TABLE IF EXISTS _sqlx_migrations_{pack}; ALTER TABLE kept RENAME TO _sqlx_migrations_{pack}"
    )
}

/// The line names the pack and the command that helps.
fn assert_named(text: &str, pack: &str) {
    assert!(text.contains(&format!("pack `{pack}`: ")) && text.contains("run `toolcrib migrate`"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_or_failed_migration_of_a_pack_is_refused() {
    let (folder, db) = (folder(), toolcrib_testkit::postgres().await);
    let (flags, url) = (Flags::new(&db), db.url());
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let serve = ["serve", "--demo", "--bind", "127.0.0.1:0", "--data-dir", &data];
    done(&flags.all(&["migrate", "--data-dir", &data]));
    for pack in PACKS {
        for (damage, repair) in [
            (without_list(pack), with_list(pack)),
            (
                format!("UPDATE _sqlx_migrations_{pack} SET success = FALSE"),
                format!("UPDATE _sqlx_migrations_{pack} SET success = TRUE"),
            ),
        ] {
            db.raw_sql(&damage).await;
            // Three logins own nothing, so that they can't migrate.
            let text = refused(&flags.serve(&serve), 3);
            assert_named(&text, pack);
            // The owner migrates, which fails.
            let text = refused(&[&serve[..], &["--database", &url]].concat(), 3);
            assert!(text.contains("migration 1"), "{text}");
            assert_named(&text, pack);
            db.raw_sql(&repair).await;
        }
    }
    assert_eq!(Server::start(folder.path(), &flags.serve(&["--demo"])).stop(), Some(0));
    flags.drop(&db).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_migration_of_a_pack_is_refused_on_sqlite() {
    let folder = folder();
    let data = folder.path().join("data");
    done(&["migrate", "--data-dir", data.to_str().unwrap()]);
    for pack in PACKS {
        change_sqlite_file(&data.join("toolcrib.db"), &without_list(pack)).await;
        let text = refused(&["serve", "--bind", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()], 3);
        assert!(text.contains("migration 1"), "{text}");
        assert_named(&text, pack);
        change_sqlite_file(&data.join("toolcrib.db"), &with_list(pack)).await;
    }
    assert_eq!(Server::start(folder.path(), &[]).stop(), Some(0));
}

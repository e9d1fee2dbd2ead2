//! The database goes away under load and comes back; the service is asked to stop under load. What was acknowledged is
//! there, and effects and rows are the same set.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::task::JoinHandle;
use toolcrib_store::Db;
use toolcrib_testkit::TestDb;

use crate::{api::Api, binary::Server, kill::settled};

/// Ends every connection to the database, again and again for a second: what a restart of the server looks like.
async fn outage(db: &TestDb) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..20 {
        db.sabotage(end).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Sixteen writers that go on until they are told, whatever they are answered.
#[derive(Clone, Default)]
struct Load {
    over: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<HashSet<String>>>,
    refused: Arc<Mutex<BTreeMap<u16, usize>>>,
}

impl Load {
    fn start(&self, api: &Api) -> Vec<JoinHandle<()>> {
        let writer = |who: usize| {
            let (load, api) = (self.clone(), api.clone());
            tokio::spawn(async move {
                for n in 0.. {
                    if load.over.load(Ordering::Relaxed) {
                        return;
                    }
                    let name = format!("kill-outage-{who}-{n}");
                    let body = json!({ "name": name });
                    match api.ask("POST", "/v1/actions/platform_create_agent", Some(&body)).await {
                        Some((200, _)) => drop(load.acknowledged.lock().unwrap().insert(name)),
                        Some((status, _)) => *load.refused.lock().unwrap().entry(status).or_default() += 1,
                        None => tokio::time::sleep(Duration::from_millis(5)).await,
                    }
                }
            })
        };
        (0..16).map(writer).collect()
    }

    fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// Waits until more is acknowledged than was.
    async fn goes_on(&self) {
        let before = self.count();
        let more = async {
            while self.count() < before + 16 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), more).await.expect("more is acknowledged");
    }

    async fn compare(&self, what: &str, db: &Db, workspace: toolcrib_model::Id) {
        let (made, recorded) = settled(db, workspace).await;
        let acknowledged = self.acknowledged.lock().unwrap().clone();
        let refused = self.refused.lock().unwrap().clone();
        println!(
            "{what}: {} acknowledged, {refused:?} refused, {} effects, {} rows",
            acknowledged.len(),
            made.len(),
            recorded.len()
        );
        assert_eq!(acknowledged.difference(&made).collect::<Vec<_>>(), Vec::<&String>::new(), "lost");
        let rows: HashSet<String> = recorded.iter().cloned().collect();
        assert_eq!(rows.len(), recorded.len(), "an effect has two rows");
        assert_eq!(made.symmetric_difference(&rows).collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(refused.keys().all(|status| [503, 504].contains(status)), "{refused:?}");
    }
}

async fn begin(folder: &Path, args: &[&str], db: impl AsyncFn() -> Db) -> (Server, Api, Db) {
    let client = reqwest::Client::new();
    let server = Server::start(folder, args);
    let api = Api::new(&client, &server, folder, "owner");
    let db = db().await;
    toolcrib_testkit::change_workspace(&db, api.workspace, |row| row.write_per_minute = 1_000_000).await;
    (server, api, db)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_postgres_loses_nothing() {
    let (folder, database) = (tempfile::tempdir().unwrap(), toolcrib_testkit::postgres().await);
    let url = database.url();
    let open = async || Db::open_pg(&url, 2).await.unwrap();
    let (server, api, db) = begin(folder.path(), &["--demo", "--database", &url], open).await;
    db.close().await;
    let load = Load::default();
    let writers = load.start(&api);
    for _ in 0..3 {
        load.goes_on().await;
        outage(&database).await;
    }
    load.goes_on().await;
    load.over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let db = open().await;
    load.compare("3 restarts of PostgreSQL", &db, api.workspace).await;
    db.close().await;
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_under_load_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data/toolcrib.db");
    let open = async || Db::open_sqlite(&file).await.unwrap();
    let (server, api, db) = begin(folder.path(), &["--demo"], open).await;
    let load = Load::default();
    let writers = load.start(&api);
    load.goes_on().await;
    assert_eq!(server.stop(), Some(0), "it ends by itself");
    load.over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    load.compare("SIGTERM under load", &db, api.workspace).await;
    db.close().await;
}

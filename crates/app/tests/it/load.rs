//! Writers that run until they are told to stop, and checks of what they did.

use std::{
    collections::{BTreeMap, HashSet},
    net::TcpStream,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::json;
use tokio::task::JoinHandle;
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    Db,
    agents::{self, AgentFilter},
    audit::{self, AuditFilter},
};
use toolcrib_testkit::{eventually, eventually_blocking, settled};

use crate::{api::Api, binary::Server, place::Place};

/// Writers that go on whatever the responses are.
#[derive(Clone, Default)]
pub struct Load {
    over: Arc<AtomicBool>,
    pub acknowledged: Arc<Mutex<HashSet<String>>>,
    /// Number of refused writes by status and code.
    pub refused: Arc<Mutex<BTreeMap<(u16, String), usize>>>,
    /// Size in bytes of a text in each write.
    weight: usize,
}

impl Load {
    /// A load whose writes have a text of this size.
    pub fn heavy(weight: usize) -> Self {
        Self { weight, ..Self::default() }
    }

    pub fn start(&self, api: &Api, writers: usize) -> Vec<JoinHandle<()>> {
        let writer = |who: usize| {
            let (load, api) = (self.clone(), api.clone());
            tokio::spawn(async move {
                for n in 0.. {
                    if load.over.load(Ordering::Relaxed) {
                        return;
                    }
                    load.write(&api, format!("kill-load-{who}-{n}")).await;
                }
            })
        };
        (0..writers).map(writer).collect()
    }

    async fn write(&self, api: &Api, name: String) {
        let mut body = json!({ "name": name });
        if self.weight > 0 {
            body["system_prompt"] = "x".repeat(self.weight).into();
        }
        match api.ask("POST", "/v1/actions/platform_create_agent", Some(&body)).await {
            Some((200, _)) => drop(self.acknowledged.lock().unwrap().insert(name)),
            Some((status, problem)) => {
                let code = problem["code"].as_str().expect("a problem has a code").to_owned();
                assert!(problem["detail"].is_string() && problem["request_id"].is_string(), "{problem}");
                *self.refused.lock().unwrap().entry((status, code)).or_default() += 1;
            }
            // The service is down. The next call waits until it is up again or the load ends.
            None => {
                let (over, address) = (self.over.clone(), api.base.trim_start_matches("http://").to_owned());
                let up = move || over.load(Ordering::Relaxed) || TcpStream::connect(&address).is_ok();
                let waits = move || eventually_blocking("the service is up again", up);
                tokio::task::spawn_blocking(waits).await.unwrap();
            }
        }
    }

    pub fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    pub fn count_refused(&self) -> usize {
        self.refused.lock().unwrap().values().sum()
    }

    /// Waits until 16 more writes are acknowledged.
    pub async fn goes_on(&self) {
        let before = self.count();
        eventually("more is acknowledged", async || self.count() >= before + 16).await;
    }

    /// Tells the writers to stop, and waits for them.
    pub async fn end(&self, writers: Vec<JoinHandle<()>>) {
        self.over.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.unwrap();
        }
    }

    /// Checks that nothing acknowledged is missing, that each effect has its row and each row its effect, and
    /// that refusals have one of these statuses.
    pub async fn compare(&self, what: &str, db: &Db, workspace: Id, statuses: &[u16]) {
        let (made, recorded) = at_rest(db, workspace).await;
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
        assert!(refused.keys().all(|(status, _)| statuses.contains(status)), "{refused:?}");
    }
}

async fn made(db: &Db, workspace: Id) -> HashSet<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AgentFilter { search: Some("kill-".into()), ..AgentFilter::default() };
    let rows = agents::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    rows.into_iter().map(|row| row.name).collect()
}

async fn recorded(db: &Db, workspace: Id) -> Vec<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter {
        action: Some("platform_create_agent".into()),
        outcome: Some("succeeded".into()),
        ..AuditFilter::default()
    };
    let rows = audit::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    let name = |target: String| target.trim_start_matches("agent `").trim_end_matches('`').to_owned();
    rows.into_iter().filter_map(|row| row.target.map(name)).filter(|name| name.starts_with("kill-")).collect()
}

/// Effects and rows once they no longer change: a server process of PostgreSQL may outlive its client for a
/// moment and finish a commit between the two queries.
pub async fn at_rest(db: &Db, workspace: Id) -> (HashSet<String>, Vec<String>) {
    let read = async || (made(db, workspace).await, recorded(db, workspace).await);
    settled("nothing moves any more", read).await
}

/// Lets the tasks run this long, then calls `cut`. Returns what each task returned.
pub async fn cut_off<T>(work: Vec<JoinHandle<T>>, after: Duration, cut: impl FnOnce()) -> Vec<T> {
    let mut work = pin!(join_all(work));
    let early = tokio::time::timeout(after, &mut work).await;
    cut();
    let ends = match early {
        Ok(ends) => ends,
        Err(_) => work.await,
    };
    ends.into_iter().map(Result::unwrap).collect()
}

/// The status of a GET without a credential; `None` if nothing answers.
pub async fn status(base: &str, path: &str) -> Option<u16> {
    reqwest::get(format!("{base}{path}")).await.ok().map(|answer| answer.status().as_u16())
}

/// A demo with high limits, and its database opened beside it.
pub async fn begin(place: &Place, args: &[&str]) -> (Server, Api, Db) {
    begin_with(place.start(&[&["--demo"], args].concat()), place).await
}

/// The same with a service that already runs.
pub async fn begin_with(server: Server, place: &Place) -> (Server, Api, Db) {
    let api = Api::new(&reqwest::Client::new(), &server, &place.folder, "owner");
    place.limits_off(api.workspace).await;
    (server, api, place.open().await)
}

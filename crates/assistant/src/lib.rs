//! The assistant: asks a model, calls tools through the engine, waits for people, goes on, and records all of it.
//!
//! Depends on `engine`, `store`, `connectors` and what they depend on. It adds no authority: every tool call is
//! [`Engine::call`] with a stored caller, the model's list is that of `/v1/tools`, and people decide confirmations as
//! everywhere else.
//!
//! A run follows a message, or something that is due ([`background`]).
//!
//! A *thread* is the runs of one person under one name. A *run* is what follows one message, until an answer. A *step*
//! is one request to a model and the calls that it asks for. Each step is two commits: what the model said, with the
//! calls that it planned; then their answers. Between them no transaction is open. What is not committed did not
//! happen, and is done again by the process that takes the run next; a call that ran is answered by what is stored
//! under its key.
//!
//! To add an operation: a file in `operations/`, a line in [`operations`], a row in `http`'s route table.

mod ask;
pub mod background;
mod budget;
mod calls;
mod history;
mod lease;
mod live;
mod message;
mod operations;
mod preface;
mod providers;
mod run;
mod run_metrics;
mod texts;
mod transcript;
mod view;
mod worker;

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Notify, Semaphore, watch},
    time::timeout,
};
use toolcrib_engine::{
    Engine,
    lists::{CachedList, ListCache, ToolList},
};
use toolcrib_model::Id;
use toolcrib_registry::digest;
use toolcrib_store::Db;

use live::LiveRuns;

pub use background::fail_restored;
pub use budget::Ceilings;
pub use live::LiveStep;
pub use message::{ConfirmationData, MessageStep, Part, RunMessage};
pub use operations::operations;
pub use providers::{OperatorProvider, Providers};
pub use view::{RunUsage, RunView};

/// Runs that one process holds at the same time.
const MAX_RUNS: u32 = 256;
/// How long giving runs back may take.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// How the assistant's runs are kept.
#[derive(Clone, Debug)]
pub struct AssistantSettings {
    /// How long a process holds a run without renewing its lease.
    pub lease: Duration,
    /// How often a process polls for runs to take.
    pub poll_interval: Duration,
}

impl Default for AssistantSettings {
    /// A lease of 15 s; two polls a second.
    fn default() -> Self {
        Self { lease: Duration::from_secs(15), poll_interval: Duration::from_millis(500) }
    }
}

/// Takes runs and carries them out. Shared as an `Arc`.
pub struct Assistant {
    engine: Arc<Engine>,
    db: Db,
    providers: Arc<Providers>,
    settings: AssistantSettings,
    lists: ListCache<ToolsOfModel>,
    live: LiveRuns,
    /// Wakes the worker when a run is queued.
    queued: Notify,
    /// Free places for runs.
    permits: Arc<Semaphore>,
    /// Whether this process gives its runs back, because it ends.
    ending: watch::Sender<bool>,
}

/// The tools that a model is shown, and a digest of them.
struct ToolsOfModel {
    tools: Arc<[serde_json::Value]>,
    digest: String,
    /// About how many tokens they take.
    tokens: usize,
}

impl ToolsOfModel {
    /// Returns the tools of a list as a request has them.
    fn of(list: ToolList) -> CachedList<Self> {
        let (bytes, tokens, digest) = (list.bytes(), list.tokens, digest(&list.tools));
        let tools = match list.tools {
            serde_json::Value::Array(tools) => tools,
            _ => Vec::new(),
        };
        CachedList { list: Self { tools: tools.into(), digest, tokens }, bytes }
    }
}

impl Assistant {
    /// Makes an assistant that takes runs of this database.
    pub fn new(
        engine: Arc<Engine>,
        db: Db,
        providers: Arc<Providers>,
        settings: AssistantSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine,
            db,
            providers,
            settings,
            lists: ListCache::default(),
            live: LiveRuns::default(),
            queued: Notify::new(),
            permits: Arc::new(Semaphore::new(MAX_RUNS as usize)),
            ending: watch::Sender::new(false),
        })
    }

    /// Has the worker poll now.
    pub fn wake(&self) {
        self.queued.notify_one();
    }

    /// Returns what the model says in a run, if this process holds it.
    pub fn live(&self, run: Id) -> Option<watch::Receiver<LiveStep>> {
        self.live.of(run)
    }

    /// Returns what changes when this process takes a run.
    pub fn taken(&self) -> watch::Receiver<()> {
        self.live.added()
    }

    /// Has this process check now whether somebody asked a run that it holds to stop.
    pub fn check_for_stop(&self, run: Id) {
        self.live.check_for_stop(run);
    }

    /// Waits until this process gives its runs back.
    pub async fn ends(&self) {
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }

    /// Takes no more runs, and gives back those that this process holds, so that another one goes on with them at once.
    pub async fn end(&self) {
        self.ending.send_replace(true);
        // Each run gives its place back when it is stored.
        let all = self.permits.acquire_many(MAX_RUNS);
        if timeout(RELEASE_TIMEOUT, all).await.is_err() {
            tracing::warn!(
                "runs of the assistant were not given back in time; they are taken when their leases end"
            );
        }
    }
}

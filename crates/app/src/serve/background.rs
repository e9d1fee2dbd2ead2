//! The background tasks of `serve`. They end when their handle is dropped.

use std::{hint::black_box, io, sync::Arc, thread, time::Duration};

use tokio::{
    net::TcpListener,
    sync::watch,
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};
use toolcrib_actions::{Retention, Scheduler, Webhooks};
use toolcrib_assistant::Assistant;
use toolcrib_connectors::embedded::Platform;
use toolcrib_engine::{
    Catalog, EffectLookups, Engine,
    chain::{Depth, Sealer},
    limits::LocalLimiter,
};
use toolcrib_http::{
    AppState, metrics_router,
    serve::{ConnectionLimits, Served, serve},
    spare_router,
};
use toolcrib_store::{Db, StoreError, analyze};

use super::{anchor::AnchorWriter, restored::resumed, start};
use crate::{
    context::AppContext,
    failure::Failure,
    services::{Services, Tokens},
    telemetry::Metrics,
};

const MINUTE: Duration = Duration::from_mins(1);
/// How often due schedules, heartbeats and playbooks are fired.
const DUE_EVERY: Duration = Duration::from_millis(500);
/// How often expired confirmations are ended.
const EXPIRED_EVERY: Duration = Duration::from_secs(1);
/// How often the audit log is sealed. Every `LATE_EVERY`th time, rows that committed a little late are
/// included. Every `SIGN_EVERY`th time, rows of the last minutes are included and the log is signed.
const SEAL_EVERY: Duration = Duration::from_secs(1);
const LATE_EVERY: u32 = 5;
const SIGN_EVERY: u32 = 60;
/// How long sealing may take at shutdown.
const LAST_SEAL: Duration = Duration::from_secs(2);
/// How often old data is deleted.
const UPKEEP_EVERY: Duration = Duration::from_hours(1);
/// How often tables that have grown are analyzed.
const PLAN_EVERY: Duration = Duration::from_secs(2);
/// How often the identity provider's keys are fetched.
const KEYS_EVERY: Duration = Duration::from_mins(5);
/// How often freed memory is given back to the operating system.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(2);

/// The background tasks. They are aborted on drop.
pub struct Background(Vec<JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// The workers on the database. Each piece of work is done once, even if several processes run them.
pub struct Workers {
    due: Scheduler,
    webhooks: Arc<Webhooks>,
    upkeep: Retention,
    log: Log,
}

/// Seals and signs the chains of the audit log, and stores their heads at the anchor.
#[derive(Clone)]
pub struct Log {
    db: Db,
    sealer: Arc<Sealer>,
    anchor: Option<Arc<AnchorWriter>>,
}

impl Workers {
    /// Returns the sealer of the audit log, for the last sealing at shutdown.
    pub fn log(&self) -> Log {
        self.log.clone()
    }

    pub fn new(
        context: &AppContext,
        services: &Services,
        anchor: Option<Arc<AnchorWriter>>,
    ) -> Result<Self, Failure> {
        let (db, clock, ids) = (&services.db, &context.clock, &context.ids);
        let sender = start::webhook_sender(&context.settings)?;
        let webhooks =
            Webhooks::new(db.clone(), clock.clone(), ids.clone(), services.catalog.clone(), sender);
        Ok(Self {
            due: Scheduler::new(db.clone(), clock.clone(), ids.clone()),
            webhooks: Arc::new(webhooks),
            upkeep: Retention::new(db.clone(), clock.clone(), context.settings.event_retention_days),
            log: Log { db: db.clone(), sealer: services.sealer.clone(), anchor },
        })
    }
}

pub fn start(services: &Services, tokens: &Tokens, metrics: &Metrics, workers: Workers) -> Background {
    let db = &services.db;
    let mut tasks = vec![
        tokio::spawn(sweep(services.buckets.clone())),
        tokio::spawn(maintain(metrics.clone())),
        tokio::spawn(observe(services.platform.clone())),
        tokio::spawn(resumed(db.clone(), fire(workers.due))),
        tokio::spawn(resumed(db.clone(), workers.webhooks.serve())),
        tokio::spawn(resumed(db.clone(), look_up(services.engine.clone()))),
        tokio::spawn(keep_up(workers.upkeep)),
        tokio::spawn(plan(services.db.clone())),
        tokio::spawn(expire(services.engine.clone())),
        tokio::spawn(seal(workers.log)),
        tokio::spawn(services.assistant.clone().serve()),
        tokio::spawn(services.models.clone().list()),
    ];
    if let Tokens::Provider(keys, _) = tokens {
        tasks.push(keys.keep_fresh(KEYS_EVERY));
    }
    Background(tasks)
}

async fn sweep(limiter: Arc<LocalLimiter>) {
    let mut ticks = interval(MINUTE);
    loop {
        ticks.tick().await;
        limiter.sweep();
    }
}

async fn maintain(metrics: Metrics) {
    let mut ticks = interval(Duration::from_secs(5));
    loop {
        ticks.tick().await;
        metrics.run_upkeep();
    }
}

async fn observe(platform: Arc<Platform>) {
    let mut ticks = interval(Duration::from_secs(5));
    loop {
        ticks.tick().await;
        platform.observe().await;
    }
}

/// Ends the event streams when the shutdown begins. Otherwise they would keep their connections open.
pub fn end_streams(engine: Arc<Engine>, mut begun: watch::Receiver<bool>) {
    tokio::spawn(async move {
        if begun.wait_for(|begun| *begun).await.is_ok() {
            engine.end_events();
        }
    });
}

/// Gives the assistant's runs back when the shutdown begins, so that another process goes on with them.
pub fn give_runs_back(assistant: Arc<Assistant>, mut begun: watch::Receiver<bool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        if begun.wait_for(|begun| *begun).await.is_ok() {
            assistant.end().await;
        }
    })
}

/// Fires due schedules, heartbeats and playbooks. Each fires once, even if several processes run this.
async fn fire(due: Scheduler) {
    let mut ticks = interval(DUE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match due.run().await {
            Ok(0) => {}
            Ok(fired) => tracing::debug!(fired, "schedules, heartbeats and playbooks were due"),
            Err(error) => tracing::warn!(%error, "what is due can't be told now; it is tried again"),
        }
    }
}

/// Seals the audit log. Each row is sealed once, even if several processes run this.
async fn seal(log: Log) {
    if let Some(anchor) = &log.anchor
        && let Err(error) = anchor.begin(&log.db).await
    {
        tracing::warn!(%error, "the heads of audit logs that do not grow are not kept");
    }
    let mut ticks = interval(SEAL_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for round in 0_u32.. {
        ticks.tick().await;
        let done = if round % SIGN_EVERY == 0 {
            log.seal_and_sign(Depth::Late).await.map(|()| log.store_heads())
        } else {
            let depth = if round % LATE_EVERY == 0 { Depth::Recent } else { Depth::New };
            log.sealer.seal(depth).await.map(drop)
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the audit log can't be sealed now; it is tried again");
        }
    }
}

impl Log {
    async fn seal_and_sign(&self, depth: Depth) -> Result<(), StoreError> {
        self.sealer.seal(depth).await?;
        let signed = self.sealer.sign().await?;
        for workspace in signed.broken {
            tracing::error!(%workspace, "the audit log's chain is broken; `toolcrib audit verify` says where");
        }
        if let Some(anchor) = &self.anchor {
            anchor.add(signed.checkpoints);
        }
        Ok(())
    }

    /// Stores the heads in a separate task, so that a slow anchor does not delay sealing.
    fn store_heads(&self) {
        if let Some(anchor) = self.anchor.clone() {
            tokio::spawn(async move { anchor.store().await });
        }
    }

    /// Seals and signs the rows of the last requests and stores the last heads. Called at shutdown, so that
    /// no row stays unsealed.
    pub async fn seal_the_rest(&self) {
        match tokio::time::timeout(LAST_SEAL, self.seal_and_sign(Depth::All)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the last rows of the audit log are sealed at the next start");
            }
            Err(_) => tracing::warn!("the last rows of the audit log are sealed at the next start"),
        }
        if let Some(anchor) = &self.anchor {
            // A command may have signed what this process would have.
            if let Err(error) = anchor.begin(&self.db).await {
                tracing::warn!(%error, "heads that a command signed are kept at the next start");
            }
            anchor.store_last().await;
        }
    }
}

/// Ends confirmations that were not decided in time, and calls that were not claimed or not reported in time. Each ends
/// once, even if several processes run this.
async fn expire(engine: Arc<Engine>) {
    let mut ticks = interval(EXPIRED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match engine.expire_overdue().await {
            Ok(0) => {}
            Ok(ended) => tracing::debug!(ended, "confirmations were not decided in time"),
            Err(error) => {
                tracing::warn!(cause = error.cause(), "confirmations can't be ended now; it is tried again");
            }
        }
        match engine.end_overdue_calls().await {
            Ok(0) => {}
            Ok(ended) => tracing::debug!(ended, "calls were not claimed or not reported in time"),
            Err(error) => {
                tracing::warn!(cause = error.cause(), "overdue calls can't be ended now; it is tried again");
            }
        }
    }
}

/// Looks up effects whose end nobody knows. Each ends once, even if several processes run this. Dropping the future
/// aborts the look-ups that run.
async fn look_up(engine: Arc<Engine>) {
    let mut ticks = interval(EXPIRED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut lookups = EffectLookups::default();
    loop {
        ticks.tick().await;
        match engine.start_lookups(&mut lookups).await {
            Ok(0) => {}
            Ok(ended) => tracing::debug!(ended, "effects whose end nobody knew were looked up"),
            Err(error) => {
                tracing::warn!(cause = error.cause(), "effects can't be looked up now; it is tried again");
            }
        }
    }
}

/// Deletes old data.
async fn keep_up(upkeep: Retention) {
    let mut ticks = interval(UPKEEP_EVERY);
    loop {
        ticks.tick().await;
        match upkeep.run().await {
            Ok(removed) => tracing::debug!(removed, "what was old is removed"),
            Err(error) => tracing::warn!(%error, "what is old can't be removed now; it is tried again"),
        }
    }
}

/// Runs ANALYZE on tables that have grown, so that PostgreSQL plans for their current size.
async fn plan(db: Db) {
    let mut ticks = interval(PLAN_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match analyze::refresh(&db).await {
            Ok(0) => {}
            Ok(tables) => tracing::debug!(tables, "tables have grown and are planned for anew"),
            Err(error) => {
                tracing::warn!(%error, "tables that have grown can't be looked at now; it is tried again");
            }
        }
    }
}

/// The maximum number of connections to the separate address of the metrics.
const METRICS_CONNECTIONS: usize = 64;

/// Serves the metrics on a separate address.
pub fn serve_metrics(
    listener: TcpListener,
    state: AppState,
    bounds: ConnectionLimits,
    ending: watch::Receiver<bool>,
) {
    let bounds = ConnectionLimits { connections: METRICS_CONNECTIONS, ..bounds };
    let served = Served { full: metrics_router(state.clone()), spare: spare_router(state) };
    tokio::spawn(serve(listener, served, bounds, ending));
}

/// Builds the search index of the actions, so that neither the start nor the first search waits for it. A search
/// that comes earlier waits for the rest of the work.
pub fn index_actions(catalog: Arc<Catalog>) -> io::Result<()> {
    let index = move || {
        catalog.search();
    };
    thread::Builder::new().name("search-index".into()).spawn(index).map(drop)
}

/// Gives back what any thread freed more than a second ago. The allocator does so when a page of it becomes free or
/// a thread ends that used it. In an idle process neither happens, and it would keep what its start or a burst of
/// requests needed.
pub async fn trim_memory() {
    let mut ticks = interval(GIVE_BACK_EVERY);
    loop {
        ticks.tick().await;
        let ended =
            thread::Builder::new().name("give-back".into()).spawn(|| drop(black_box(Box::new(0_u64))));
        if let Err(error) = ended {
            tracing::debug!(%error, "freed memory is given back later");
        }
    }
}

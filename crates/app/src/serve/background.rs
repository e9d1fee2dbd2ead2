//! What runs beside the requests. Everything ends when the handle is dropped.

use std::{sync::Arc, time::Duration};

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::{
    net::TcpListener,
    sync::watch,
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};
use toolcrib_actions::{Retention, Scheduler, Webhooks};
use toolcrib_connectors::embedded::Platform;
use toolcrib_engine::{
    Engine,
    chain::{Depth, Sealer},
    limits::LocalLimiter,
};
use toolcrib_http::{
    AppState, metrics_router,
    serve::{ConnectionLimits, Served, serve},
    spare_router,
};
use toolcrib_store::{Db, StoreError, analyze};

use super::{anchor::AnchorWriter, start};
use crate::{
    context::AppContext,
    failure::Failure,
    services::{Services, Tokens},
};

const MINUTE: Duration = Duration::from_mins(1);
/// How often somebody looks for what is due.
const DUE_EVERY: Duration = Duration::from_millis(500);
/// How often somebody looks for confirmations whose time is over.
const EXPIRED_EVERY: Duration = Duration::from_secs(1);
/// How often the audit log is sealed, every how many times what came late is looked for, and every how many times all
/// of it is looked through and signed.
const SEAL_EVERY: Duration = Duration::from_secs(1);
const LATE_EVERY: u32 = 5;
const SIGN_EVERY: u32 = 60;
/// How long the last sealing may take.
const LAST_SEAL: Duration = Duration::from_secs(2);
/// How often what is old is removed.
const UPKEEP_EVERY: Duration = Duration::from_hours(1);
/// How often tables that have grown are looked for.
const PLAN_EVERY: Duration = Duration::from_secs(2);
/// How often an issuer's keys are fetched anew.
const KEYS_EVERY: Duration = Duration::from_mins(5);

/// Ends its tasks when it is dropped.
pub struct Background(Vec<JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// What is done in the database beside the requests: once, however many processes are at it.
pub struct Workers {
    due: Scheduler,
    webhooks: Arc<Webhooks>,
    upkeep: Retention,
    log: Log,
}

/// The audit log's chains: what seals and signs them, and what keeps their heads elsewhere.
#[derive(Clone)]
pub struct Log {
    db: Db,
    sealer: Arc<Sealer>,
    anchor: Option<Arc<AnchorWriter>>,
}

impl Workers {
    /// The audit log's chains, to be sealed a last time.
    pub fn log(&self) -> Log {
        self.log.clone()
    }

    /// Over the parts of this process.
    pub fn new(
        context: &AppContext,
        services: &Services,
        anchor: Option<Arc<AnchorWriter>>,
    ) -> Result<Self, Failure> {
        let (db, clock, ids) = (&services.db, &context.clock, &context.ids);
        let courier = start::courier(&context.settings)?;
        let webhooks =
            Webhooks::new(db.clone(), clock.clone(), ids.clone(), services.catalog.clone(), courier);
        Ok(Self {
            due: Scheduler::new(db.clone(), clock.clone(), ids.clone()),
            webhooks: Arc::new(webhooks),
            upkeep: Retention::new(db.clone(), clock.clone(), context.settings.event_retention_days),
            log: Log { db: db.clone(), sealer: services.sealer.clone(), anchor },
        })
    }
}

/// Starts what runs beside the requests.
pub fn start(
    services: &Services,
    tokens: &Tokens,
    metrics: &PrometheusHandle,
    workers: Workers,
) -> Background {
    let mut tasks = vec![
        tokio::spawn(sweep(services.buckets.clone())),
        tokio::spawn(maintain(metrics.clone())),
        tokio::spawn(observe(services.platform.clone())),
        tokio::spawn(fire(workers.due)),
        tokio::spawn(workers.webhooks.serve()),
        tokio::spawn(keep_up(workers.upkeep)),
        tokio::spawn(plan(services.db.clone())),
        tokio::spawn(expire(services.engine.clone())),
        tokio::spawn(seal(workers.log)),
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

async fn maintain(metrics: PrometheusHandle) {
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

/// Ends the streams of events once the process is asked to stop: nobody else would.
pub fn end_streams(engine: Arc<Engine>, mut begun: watch::Receiver<bool>) {
    tokio::spawn(async move {
        if begun.wait_for(|begun| *begun).await.is_ok() {
            engine.end_events();
        }
    });
}

/// Fires what falls due. Each fires once however many processes do this.
async fn fire(due: Scheduler) {
    let mut ticks = interval(DUE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match due.run().await {
            Ok(0) => {}
            Ok(fired) => tracing::debug!(fired, "schedules, heartbeats and playbooks were due"),
            Err(fault) => tracing::warn!(%fault, "what is due can't be told now; it is tried again"),
        }
    }
}

/// Seals the audit log. A row is sealed once however many processes do this.
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
            log.seal_and_sign(Depth::Late).await.map(|()| log.keep_heads())
        } else {
            let depth = if round % LATE_EVERY == 0 { Depth::Recent } else { Depth::New };
            log.sealer.seal(depth).await.map(drop)
        };
        if let Err(fault) = done {
            tracing::warn!(%fault, "the audit log can't be sealed now; it is tried again");
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

    /// Has the heads kept on a task of its own: a keeper that hangs holds up no sealing.
    fn keep_heads(&self) {
        if let Some(anchor) = self.anchor.clone() {
            tokio::spawn(async move { anchor.keep().await });
        }
    }

    /// Seals and signs what the last requests left, so that a service that was stopped leaves nothing open, and has the last
    /// heads kept.
    pub async fn seal_the_rest(&self) {
        match tokio::time::timeout(LAST_SEAL, self.seal_and_sign(Depth::All)).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => {
                tracing::warn!(%fault, "the last rows of the audit log are sealed at the next start");
            }
            Err(_) => tracing::warn!("the last rows of the audit log are sealed at the next start"),
        }
        if let Some(anchor) = &self.anchor {
            anchor.keep_last().await;
        }
    }
}

/// Ends confirmations that nobody decided in time. Each ends once however many processes do this.
async fn expire(engine: Arc<Engine>) {
    let mut ticks = interval(EXPIRED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match engine.expire_overdue().await {
            Ok(0) => {}
            Ok(ended) => tracing::debug!(ended, "confirmations were not decided in time"),
            Err(fault) => {
                let cause = fault.internal.as_deref().unwrap_or(&fault.detail);
                tracing::warn!(cause, "confirmations can't be ended now; it is tried again");
            }
        }
    }
}

/// Removes what is old.
async fn keep_up(upkeep: Retention) {
    let mut ticks = interval(UPKEEP_EVERY);
    loop {
        ticks.tick().await;
        match upkeep.run().await {
            Ok(removed) => tracing::debug!(removed, "what was old is removed"),
            Err(fault) => tracing::warn!(%fault, "what is old can't be removed now; it is tried again"),
        }
    }
}

/// Keeps the database's plans true to the size of its tables.
async fn plan(db: Db) {
    let mut ticks = interval(PLAN_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match analyze::refresh(&db).await {
            Ok(0) => {}
            Ok(tables) => tracing::debug!(tables, "tables have grown and are planned for anew"),
            Err(fault) => {
                tracing::warn!(%fault, "tables that have grown can't be looked at now; it is tried again");
            }
        }
    }
}

/// Connections at a time to the metrics' own address.
const METRICS_CONNECTIONS: usize = 64;

/// Metrics on an address of their own.
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

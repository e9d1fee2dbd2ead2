//! What `serve` does with a database that was restored from a backup. Until it is accepted nothing but health is
//! served: no credential is looked at, and no work begins. Until it is resumed webhooks and due work wait.

use std::time::Duration;

use tokio::{
    net::TcpListener,
    sync::watch,
    time::{MissedTickBehavior, interval, timeout},
};
use toolcrib_http::{
    AppState, held_router,
    serve::{ConnectionLimits, Served, serve},
};
use toolcrib_model::ServingState;
use toolcrib_store::{Db, serving};

use crate::{failure::Failure, output, services::reachable};

/// How often the state is read while something is held.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long connections may take to end when the service begins.
const LAST_REFUSALS: Duration = Duration::from_secs(2);

const PUT_BACK: &str = "this database was put back from a backup and is held: the operator runs `toolcrib restore`, and then \
    `toolcrib restore --accept`";
const RESTORED: &str = "this database was restored from a backup and is held until the operator runs `toolcrib restore --accept`";

fn refusal(state: Option<ServingState>) -> Option<&'static str> {
    match state {
        None => Some(PUT_BACK),
        Some(ServingState::Restored) => Some(RESTORED),
        Some(ServingState::Accepted | ServingState::Open) => None,
    }
}

/// Returns the listener once callers may be served; `None` if the process was asked to stop before. Refuses every
/// request until then.
pub async fn until_accepted(
    db: &Db,
    state: &AppState,
    listener: TcpListener,
    bounds: ConnectionLimits,
    mut begun: watch::Receiver<bool>,
) -> Result<Option<TcpListener>, Failure> {
    let Some(why) = refusal(serving::state(db).await?) else { return Ok(Some(listener)) };
    tracing::warn!("{why}");
    let address = listener.local_addr()?;
    let listener = listener.into_std()?;
    let (end, ended) = watch::channel(false);
    let router = held_router(state.clone(), why);
    let served = Served { full: router.clone(), spare: router };
    let refusing = tokio::spawn(serve(TcpListener::from_std(listener.try_clone()?)?, served, bounds, ended));
    output::line(&format!("listening on http://{}", reachable(address)))?;
    let accepted = tokio::select! {
        () = until(db, |state| refusal(state).is_none()) => true,
        _ = begun.wait_for(|begun| *begun) => false,
    };
    end.send_replace(true);
    // Idle connections end at once; a request that still arrives is refused.
    let _ = timeout(LAST_REFUSALS, refusing).await;
    Ok(if accepted { Some(TcpListener::from_std(listener)?) } else { None })
}

/// Runs the work when it is no longer held.
pub async fn resumed(db: Db, work: impl Future<Output = ()>) {
    until(&db, |state| state == Some(ServingState::Open)).await;
    work.await;
}

/// Returns when the state is such. A state that can't be read is not.
async fn until(db: &Db, is_such: impl Fn(Option<ServingState>) -> bool) {
    let mut ticks = interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match serving::state(db).await {
            Ok(state) if is_such(state) => return,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "it can't be read whether the database is held"),
        }
    }
}

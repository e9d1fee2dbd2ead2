//! `serve`: creates the services, listens, and shuts down cleanly.

pub mod anchor;
mod background;
pub mod damage;
mod restored;
mod routes;
mod shutdown;
pub mod start;

use std::{net::SocketAddr, time::Duration};

use tokio::net::TcpListener;
use toolcrib_http::serve::{Served, serve};

use crate::services::{Services, reachable};
use crate::{
    cli::ServeArgs,
    context::AppContext,
    demo,
    failure::{Failure, Ran},
    output,
    telemetry::Metrics,
};

/// How long the connections to the database may take to close. A call that hangs keeps its connection. The
/// end of the process closes it, and its transaction is rolled back.
const LAST_CLOSE: Duration = Duration::from_secs(1);

/// Serves until SIGTERM or SIGINT.
pub async fn run(args: ServeArgs, context: AppContext) -> Result<Ran, Failure> {
    start::check_usage(args, &context.settings)?;
    let mut instance = start::claim(&context)?;
    let tokens = start::tokens(&context, args.demo, instance.as_ref())?;
    let anchor = start::check_settings(&context)?;
    let metrics = Metrics::start()?;
    let begun = shutdown::begun()?;
    let (listener, address) = listen(context.settings.bind).await?;
    let metrics_listener = match context.settings.metrics_bind {
        Some(bind) => Some(listen(bind).await?.0),
        None => None,
    };
    let services =
        Services::join(&context, &tokens, &metrics, address, args.demo.then(demo::command_provider)).await?;
    background::index_actions(services.catalog.clone())?;
    start::warn_of_rights(&context, &services.db);
    damage::check(&services, instance.as_mut(), args.strict_start).await?;
    let edge = &context.settings.edge;
    let apart = metrics_listener.is_some();
    let state = routes::state(&services, metrics.clone(), begun.clone(), apart, &context.settings);
    let accepted =
        restored::until_accepted(&services.db, &state, listener, routes::bounds(edge), begun.clone()).await?;
    let Some(listener) = accepted else { return Ok(Ran::Done) };
    let mut people = Vec::new();
    if args.demo {
        let base = format!("http://{}", reachable(address));
        people = demo::prepare(&context, &services, &tokens, &base).await?;
    }
    let workers = background::Workers::new(&context, &services, anchor)?;
    let log = workers.log();
    let background = background::start(&services, &tokens, &metrics, workers);
    tokio::spawn(background::trim_memory());
    background::end_streams(services.engine.clone(), begun.clone());
    let runs = background::give_runs_back(services.assistant.clone(), begun.clone());
    if let Some(listener) = metrics_listener {
        background::serve_metrics(listener, state.clone(), routes::bounds(edge), begun.clone());
    }
    let spare = toolcrib_http::spare_router(state.clone());
    let mcp = routes::mcp(&context, &services);
    let console = routes::console(&context, &services, people);
    let app = toolcrib_http::router_with(state, vec![mcp, console]);
    output::line(&format!("listening on http://{}", reachable(address)))?;
    let served = Served { full: app, spare };
    let serving = serve(listener, served, routes::bounds(edge), begun.clone());
    let drain = Duration::from_secs(context.settings.drain_seconds.into());
    shutdown::drain(serving, begun, drain).await;
    // It has ended long ago, unless requests ended at once.
    let _ = runs.await;
    drop(background);
    log.seal_the_rest().await;
    if tokio::time::timeout(LAST_CLOSE, services.db.close()).await.is_err() {
        tracing::warn!("a call still holds a connection to the database; it ends with the process");
    }
    Ok(Ran::Done)
}

async fn listen(bind: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let cannot = |error| Failure::could_not(&format!("can't listen on {bind}"), error);
    let listener = TcpListener::bind(bind).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok((listener, address))
}

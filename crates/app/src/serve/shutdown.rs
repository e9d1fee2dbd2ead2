//! Shuts down on SIGTERM or SIGINT: stops accepting connections, and waits a limited time for running
//! requests.

use std::{future::Future, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

use crate::failure::Failure;

/// The handlers of the signals that end the process.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// Installs the signal handlers. Called early, so that no signal is lost during the start.
pub fn signals() -> Result<Signals, Failure> {
    Ok(Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
}

/// Returns a future that completes at the first signal, and a receiver that is `true` from then on.
pub fn switch(mut signals: Signals) -> (impl Future<Output = ()> + Send + 'static, watch::Receiver<bool>) {
    let (send, receive) = watch::channel(false);
    let first = async move {
        tokio::select! {
            _ = signals.terminate.recv() => {}
            _ = signals.interrupt.recv() => {}
        }
        tracing::info!("asked to stop: no new requests, those running may end");
        send.send_replace(true);
    };
    (first, receive)
}

/// Waits until `serving` ends, and at most `timeout` after the signal.
pub async fn drain(serving: impl Future<Output = ()>, mut begun: watch::Receiver<bool>, timeout: Duration) {
    let deadline = async {
        if begun.wait_for(|begun| *begun).await.is_err() {
            return std::future::pending().await;
        }
        tokio::time::sleep(timeout).await;
    };
    tokio::select! {
        () = serving => {}
        () = deadline => {
            tracing::warn!(seconds = timeout.as_secs(), "some requests did not end in time and are cut off");
        }
    }
}

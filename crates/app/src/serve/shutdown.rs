//! Shuts down on SIGTERM or SIGINT: stops accepting connections, and waits a limited time for running
//! requests.

use std::{future::Future, time::Duration};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::failure::Failure;

/// Returns a receiver that is `true` from the first signal on. Called early, so that no signal is lost at the start.
pub fn begun() -> Result<watch::Receiver<bool>, Failure> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (send, receive) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("asked to stop: no new requests, those running may end");
        send.send_replace(true);
    });
    Ok(receive)
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

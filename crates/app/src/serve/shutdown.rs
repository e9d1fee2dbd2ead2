//! SIGTERM or SIGINT: stop accepting, let running requests end, but not for ever.

use std::{future::Future, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

use crate::failure::Failure;

/// The signals that end the process, caught from now on.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// Catches the signals, so that none is lost while starting.
pub fn signals() -> Result<Signals, Failure> {
    Ok(Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
}

/// A future that ends when the first signal comes, and a receiver that then says `true`.
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

/// Waits for serving to end; after the signal no longer than `patience`.
pub async fn drain(serving: impl Future<Output = ()>, mut begun: watch::Receiver<bool>, patience: Duration) {
    let deadline = async {
        if begun.wait_for(|begun| *begun).await.is_err() {
            return std::future::pending().await;
        }
        tokio::time::sleep(patience).await;
    };
    tokio::select! {
        () = serving => {}
        () = deadline => {
            tracing::warn!(seconds = patience.as_secs(), "some requests did not end in time and are cut off");
        }
    }
}

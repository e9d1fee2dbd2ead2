//! Waits by polling, so that no connection to the database is held meanwhile, such as for a decision.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, ConfirmationView, Engine};
use toolcrib_model::Id;

use crate::held_requests::HeldRequests;

const STEP: Duration = Duration::from_millis(400);

/// A request that may wait.
pub(crate) struct Waiter<'r> {
    pub engine: &'r Engine,
    pub waits: &'r Arc<HeldRequests>,
    pub authenticated: &'r Authenticated,
    /// How long it waits at most. Zero for one look.
    pub seconds: u64,
}

impl Waiter<'_> {
    /// Returns the confirmation when it has ended, or in its current state after the time of the waiter.
    pub async fn until_ended(&self, confirmation: Id) -> Result<ConfirmationView, ActionError> {
        let read = || self.engine.confirmation(self.authenticated, confirmation);
        self.poll(read, |view| view.status.has_ended()).await
    }

    /// Like [`Waiter::until_ended`], and also returns when the application has to run the approved call.
    pub async fn until_decided(&self, confirmation: Id) -> Result<ConfirmationView, ActionError> {
        let read = || self.engine.confirmation(self.authenticated, confirmation);
        self.poll(read, |view| !view.status.is_open()).await
    }

    /// Returns what `read` returns when it is `reached`, or in its current state after the time. Each poll reads it
    /// again, and so checks again that the caller may see it. 429 `rate_limited` if too many requests of the caller
    /// wait.
    pub async fn poll<T, F>(
        &self,
        read: impl Fn() -> F,
        reached: impl Fn(&T) -> bool,
    ) -> Result<T, ActionError>
    where
        F: Future<Output = Result<T, ActionError>>,
    {
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let first = read().await?;
        if reached(&first) || self.seconds == 0 {
            return Ok(first);
        }
        let (caller, _) = self.engine.admit(self.authenticated).await?;
        let _held = self.waits.open(Some(caller.workspace), caller.principal)?;
        loop {
            sleep(STEP.min(end.saturating_duration_since(Instant::now()))).await;
            let view = read().await?;
            if reached(&view) || Instant::now() >= end {
                return Ok(view);
            }
        }
    }
}

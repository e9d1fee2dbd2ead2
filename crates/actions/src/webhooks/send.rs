//! Claims and attempts the deliveries of one webhook, and stores the outcomes. No transaction is open during
//! an attempt.

use futures_util::future::join_all;
use secrecy::SecretString;
use toolcrib_connectors::{UpstreamError, webhooks::Message};
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    StoreError,
    webhooks::{
        self, EncryptedSecret,
        worker::{self, ClaimedDelivery, DeliveryOutcome},
    },
};

use super::{Webhooks, secrets};

/// The number of concurrent deliveries to one webhook.
const TOGETHER: i64 = 8;
/// How long a claim lasts, in seconds. It is longer than any attempt, so no other process attempts the
/// delivery at the same time.
const CLAIM: i64 = 60;
/// The wait after each failed attempt, in seconds. After the last attempt the delivery is dead.
const WAITS: [i64; 7] = [5, 60, 300, 1_800, 7_200, 21_600, 43_200];

/// The claimed deliveries of one webhook.
struct Claim {
    url: String,
    secret: EncryptedSecret,
    claimed: Vec<ClaimedDelivery>,
}

impl Webhooks {
    /// Attempts some due deliveries of a webhook and returns their number.
    pub(super) async fn send(&self, (workspace, webhook): (Id, Id)) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let Some(claim) = self.claim(workspace, webhook, now).await? else { return Ok(0) };
        let secret_cipher = &self.catalog.rules().datasources.secret_cipher;
        let secrets = secrets::open(secret_cipher, (workspace, webhook), &claim.secret, now)
            .inspect_err(|error| tracing::warn!(%error, %webhook, "the secret of a webhook can't be read"))
            .ok();
        let tries = claim.claimed.iter().map(|claimed| self.attempt(&claim.url, secrets.as_deref(), claimed));
        let outcomes = join_all(tries).await;
        self.note(workspace, &claim.claimed, &outcomes).await
    }

    /// Claims some due deliveries; `None` if the webhook was deleted.
    async fn claim(&self, workspace: Id, webhook: Id, now: Ts) -> Result<Option<Claim>, StoreError> {
        let mut tx = self.db.begin_write_as_worker().await?;
        tx.switch_workspace(workspace).await?;
        let row = webhooks::get(&mut tx, webhook).await?;
        let secret = webhooks::encrypted_secret(&mut tx, webhook).await?;
        let (Some(row), Some(secret)) = (row, secret) else {
            tx.rollback().await?;
            return Ok(None);
        };
        let claimed = worker::claim(&mut tx, webhook, now, now.plus_seconds(CLAIM), TOGETHER).await?;
        tx.commit().await?;
        Ok(Some(Claim { url: row.url, secret, claimed }))
    }

    async fn attempt(
        &self,
        url: &str,
        secrets: Option<&[SecretString]>,
        claimed: &ClaimedDelivery,
    ) -> DeliveryOutcome {
        let at = self.clock.now();
        let sent = match secrets {
            Some(secrets) => {
                self.sender
                    .send(&Message { url, id: claimed.event_id, at, body: &claimed.body, secrets })
                    .await
            }
            None => Err(UpstreamError::Settings("its secret can't be read with today's key; rotate it")),
        };
        let word = if sent.is_ok() { "delivered" } else { "failed" };
        metrics::counter!("toolcrib_webhook_attempts_total", "outcome" => word).increment(1);
        outcome(sent, claimed.attempts, self.clock.now())
    }

    async fn note(
        &self,
        workspace: Id,
        claimed: &[ClaimedDelivery],
        outcomes: &[DeliveryOutcome],
    ) -> Result<usize, StoreError> {
        if claimed.is_empty() {
            return Ok(0);
        }
        let now = self.clock.now();
        let mut tx = self.db.begin_write_as_worker().await?;
        tx.switch_workspace(workspace).await?;
        for (claimed, outcome) in claimed.iter().zip(outcomes) {
            worker::store_outcome(&mut tx, claimed, outcome, now).await?;
        }
        tx.commit().await?;
        Ok(claimed.len())
    }
}

/// Returns the outcome of an attempt: delivered, to be retried, or dead.
fn outcome(sent: Result<u16, UpstreamError>, attempts: i64, now: Ts) -> DeliveryOutcome {
    let error = match sent {
        Ok(status) => {
            let answered = Some(i64::from(status));
            return DeliveryOutcome { status: "delivered", answered, problem: None, next_at: None };
        }
        Err(error) => error,
    };
    let wait = usize::try_from(attempts - 1).ok().and_then(|tried| WAITS.get(tried));
    let answered = match error {
        UpstreamError::Status { status, .. } => Some(i64::from(status)),
        _ => None,
    };
    let problem = match error {
        // The text names a problem of the webhook's own settings, which its admin may read.
        UpstreamError::Settings(what) => what.to_owned(),
        other => format!("the receiver {}", other.told()),
    };
    DeliveryOutcome {
        status: if wait.is_some() { "pending" } else { "dead" },
        answered,
        problem: Some(problem),
        next_at: wait.map(|wait| now.plus_seconds(*wait)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_fails_is_made_again_later_and_the_eighth_is_the_last() {
        let now = Ts::from_micros(0);
        let waited = |attempt: i64| {
            let outcome = outcome(Err(UpstreamError::Timeout), attempt, now);
            (outcome.status, outcome.next_at.map(|at| at.as_micros() / 1_000_000))
        };
        assert_eq!(waited(1), ("pending", Some(5)));
        assert_eq!(waited(7), ("pending", Some(43_200)));
        assert_eq!(waited(8), ("dead", None));
        assert_eq!(outcome(Ok(204), 3, now).status, "delivered");
    }
}

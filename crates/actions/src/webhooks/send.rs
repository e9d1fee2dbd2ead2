//! Claims and attempts the deliveries of one webhook, and stores the outcomes. No transaction is open during
//! an attempt.

use futures_util::future::join_all;
use secrecy::SecretString;
use serde_json::json;
use toolcrib_connectors::{
    UpstreamError,
    webhooks::{Message, Receipt},
};
use toolcrib_engine::{mask::masked_address, notify_admins};
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

/// The longest wait that a receiver may ask for, in seconds.
const MAX_WAIT: i64 = 86_400;
/// The status by which a receiver says that it wants no more messages, in Standard Webhooks as in HTTP.
const GONE: i64 = 410;

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
        self.note((workspace, webhook), &claim, &outcomes).await
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
        let outcome = outcome(sent, claimed.attempts, self.clock.now());
        let word = if outcome.status == "delivered" { "delivered" } else { "failed" };
        metrics::counter!("toolcrib_webhook_attempts_total", "outcome" => word).increment(1);
        outcome
    }

    async fn note(
        &self,
        (workspace, webhook): (Id, Id),
        claim: &Claim,
        outcomes: &[DeliveryOutcome],
    ) -> Result<usize, StoreError> {
        if claim.claimed.is_empty() {
            return Ok(0);
        }
        let now = self.clock.now();
        let mut tx = self.db.begin_write_as_worker().await?;
        tx.switch_workspace(workspace).await?;
        for (claimed, outcome) in claim.claimed.iter().zip(outcomes) {
            worker::store_outcome(&mut tx, claimed, outcome, now).await?;
        }
        tx.commit().await?;
        if outcomes.iter().any(|outcome| outcome.answered == Some(GONE)) {
            self.disable(workspace, (webhook, &claim.url), now).await?;
        }
        Ok(claim.claimed.len())
    }

    /// Disables a webhook whose receiver is gone, and notifies the admins. If the process ends before, the next delivery
    /// finds that the receiver is gone.
    async fn disable(&self, workspace: Id, (webhook, url): (Id, &str), now: Ts) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write(workspace).await?;
        if worker::disable(&mut tx, webhook, now).await? {
            let address = masked_address(url);
            let title = "A webhook was disabled".to_owned();
            let body = format!(
                "The receiver `{address}` answered with status 410: it wants no more messages. Enable the webhook again if \
                 this was a mistake; the events of the meantime are not sent."
            );
            let data = json!({ "id": webhook, "url": address });
            let words = ("webhook_gone", title, body);
            notify_admins(self.ids.as_ref(), now, &mut tx, words, &data).await?;
        }
        tx.commit().await
    }
}

/// Returns the outcome of an attempt: delivered, to be retried, or dead. A receiver may ask for a longer wait than is usual.
fn outcome(sent: Result<Receipt, UpstreamError>, attempts: i64, now: Ts) -> DeliveryOutcome {
    let (answered, asked_wait, problem) = match sent {
        Ok(Receipt { status: status @ 200..=299, .. }) => {
            let answered = Some(i64::from(status));
            return DeliveryOutcome { status: "delivered", answered, problem: None, next_at: None };
        }
        Ok(Receipt { status, retry_after }) => {
            (Some(i64::from(status)), retry_after, format!("the receiver answered with status {status}"))
        }
        // The text names a problem of the webhook's own settings, which its admin may read.
        Err(UpstreamError::Settings(what)) => (None, None, what.to_owned()),
        Err(error) => (None, None, format!("the receiver {}", error.public_text())),
    };
    let usual = usize::try_from(attempts - 1).ok().and_then(|tried| WAITS.get(tried));
    let asked = asked_wait.map_or(0, |wait| i64::try_from(wait).unwrap_or(MAX_WAIT).min(MAX_WAIT));
    let wait = usual.filter(|_| answered != Some(GONE)).map(|usual| asked.max(*usual));
    DeliveryOutcome {
        status: if wait.is_some() { "pending" } else { "dead" },
        answered,
        problem: Some(problem),
        next_at: wait.map(|wait| now.plus_seconds(wait)),
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
        assert_eq!(outcome(Ok(Receipt { status: 204, retry_after: None }), 3, now).status, "delivered");
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait_of_at_most_a_day() {
        let now = Ts::from_micros(0);
        let waited = |status, retry_after| {
            let outcome = outcome(Ok(Receipt { status, retry_after }), 2, now);
            outcome.next_at.map(|at| at.as_micros() / 1_000_000)
        };
        assert_eq!(waited(429, Some(600)), Some(600));
        assert_eq!(waited(503, Some(1)), Some(60), "not sooner than usual");
        assert_eq!(waited(503, Some(u64::MAX)), Some(86_400));
        assert_eq!(waited(410, Some(600)), None);
    }
}

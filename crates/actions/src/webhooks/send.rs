//! Claims and attempts the deliveries of one webhook, and stores the outcomes. No transaction is open during
//! an attempt.

use futures_util::future::join_all;
use secrecy::SecretString;
use toolcrib_connectors::{UpstreamError, webhooks::Receipt};
use toolcrib_engine::{NotificationText, Stamp, mask::masked_address, notify_admins, prelude::*};
use toolcrib_model::NotificationKind;
use toolcrib_store::{
    StoreError,
    webhooks::{
        self, EncryptedSecret, WebhookRow,
        worker::{self, ClaimedDelivery, DeliveryOutcome},
    },
};

use super::{
    PAUSE, Webhooks,
    format::{self, WebhookFormat},
    secrets,
};

/// The number of concurrent deliveries to one webhook.
const TOGETHER: i64 = 8;
/// How long a claim lasts, in seconds. It is longer than any attempt, so no other process attempts the
/// delivery at the same time.
const CLAIM: i64 = 60;
/// The wait after each failed attempt, in seconds. After the last attempt the delivery is dead.
const WAITS: [i64; 7] = [5, 60, 300, 1_800, 7_200, 21_600, 43_200];

/// The longest wait that a receiver may ask for, in seconds.
const MAX_WAIT: i64 = 86_400;
/// The statuses with which a receiver may ask for a wait: too many requests, and not available now.
const WAIT_STATUSES: [u16; 2] = [429, 503];

/// The claimed deliveries of one webhook.
struct Claim {
    webhook: WebhookRow,
    secret: EncryptedSecret,
    claimed: Vec<ClaimedDelivery>,
}

impl Webhooks {
    /// Attempts some due deliveries of a webhook and returns their number.
    pub(super) async fn send(&self, workspace: Id, webhook: Id) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let Some(claim) = self.claim(workspace, webhook, now).await? else { return Ok(0) };
        let secret_cipher = &self.catalog.rules().datasources.secret_cipher;
        let secrets = secrets::open(secret_cipher, workspace, &claim.webhook, &claim.secret, now)
            .inspect_err(|error| tracing::warn!(%error, %webhook, "the secret of a webhook can't be read"))
            .ok();
        let tries =
            claim.claimed.iter().map(|claimed| self.attempt(&claim.webhook, secrets.as_deref(), claimed));
        let attempts = join_all(tries).await;
        self.note(workspace, &claim, &attempts).await
    }

    /// Claims some due deliveries, of a webhook to people one; `None` if the webhook was deleted or is occupied.
    async fn claim(&self, workspace: Id, webhook: Id, now: Ts) -> Result<Option<Claim>, StoreError> {
        let mut tx = self.db.begin_write_as_worker().await?;
        tx.switch_workspace(workspace).await?;
        let row = webhooks::get(&mut tx, webhook).await?;
        let secret = webhooks::encrypted_secret(&mut tx, webhook).await?;
        let (Some(row), Some(secret)) = (row, secret) else {
            tx.rollback().await?;
            return Ok(None);
        };
        let until = now.plus_seconds(CLAIM);
        let together = match WebhookFormat::of(&row) {
            WebhookFormat::Standard => TOGETHER,
            _ if worker::occupy(&mut tx, webhook, now, until).await? => 1,
            _ => 0,
        };
        let claimed = worker::claim(&mut tx, webhook, now, until, together).await?;
        if claimed.is_empty() {
            tx.rollback().await?;
            return Ok(None);
        }
        tx.commit().await?;
        Ok(Some(Claim { webhook: row, secret, claimed }))
    }

    async fn attempt(
        &self,
        webhook: &WebhookRow,
        secrets: Option<&[SecretString]>,
        claimed: &ClaimedDelivery,
    ) -> Attempt {
        let ClaimedDelivery { event_id, body, .. } = claimed;
        let sent = if let Some(secrets) = secrets {
            format::send(&self.sender, webhook, secrets, *event_id, self.clock.now(), body).await
        } else {
            Err(UpstreamError::Settings(secrets::NOT_READ))
        };
        let attempt = Attempt::of(&sent, claimed.attempts, self.clock.now());
        let word = if attempt.outcome.status == "delivered" { "delivered" } else { "failed" };
        metrics::counter!("toolcrib_webhook_attempts_total", "outcome" => word).increment(1);
        attempt
    }

    async fn note(&self, workspace: Id, claim: &Claim, attempts: &[Attempt]) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let webhook = claim.webhook.id;
        let mut tx = self.db.begin_write_as_worker().await?;
        tx.switch_workspace(workspace).await?;
        let asked_wait = attempts.iter().map(|attempt| attempt.asked_wait).max();
        if let Some(asked_wait) =
            asked_wait.filter(|_| WebhookFormat::of(&claim.webhook) != WebhookFormat::Standard)
        {
            // What a service asks for holds for all of its messages. The webhook is locked before its deliveries, as
            // where it is deleted.
            worker::set_free_at(&mut tx, webhook, now.plus_seconds(asked_wait.max(PAUSE))).await?;
        }
        for (claimed, attempt) in claim.claimed.iter().zip(attempts) {
            worker::store_outcome(&mut tx, claimed, &attempt.outcome, now).await?;
        }
        tx.commit().await?;
        if let Some(Attempt { outcome, .. }) = attempts.iter().find(|attempt| attempt.is_gone) {
            self.disable(workspace, &claim.webhook, outcome, now).await?;
        }
        Ok(claim.claimed.len())
    }

    /// Disables a webhook whose receiver is gone, and notifies the admins. If the process ends before, the next
    /// delivery finds that the receiver is gone.
    async fn disable(
        &self,
        workspace: Id,
        webhook: &WebhookRow,
        outcome: &DeliveryOutcome,
        now: Ts,
    ) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write(workspace).await?;
        if worker::disable(&mut tx, webhook, now).await? {
            let address = masked_address(&webhook.url);
            let title = "A webhook was disabled".to_owned();
            let status = outcome.answered.unwrap_or_default();
            let body = format!(
                "The receiver `{address}` answered with status {status}: it wants no more messages. Enable the webhook again \
                 if this was a mistake; the events of the meantime are not sent."
            );
            let data = json!({ "id": webhook.id, "url": address });
            let text = NotificationText { kind: NotificationKind::WebhookGone, title, body };
            notify_admins(Stamp { ids: self.ids.as_ref(), now }, &mut tx, None, text, &data).await?;
        }
        tx.commit().await
    }
}

/// What an attempt led to.
struct Attempt {
    /// Delivered, to be retried, or dead.
    outcome: DeliveryOutcome,
    /// The seconds that the receiver asks to wait, or 0.
    asked_wait: i64,
    /// Whether the receiver wants no more messages.
    is_gone: bool,
}

impl Attempt {
    /// A receiver that is asked too often, or is not available now, may ask for a longer wait than is usual.
    fn of(sent: &Result<Receipt, UpstreamError>, attempts: i64, now: Ts) -> Self {
        let receipt = sent.as_ref().ok();
        let answered = receipt.map(|receipt| i64::from(receipt.status));
        let is_gone = receipt.is_some_and(|receipt| receipt.is_gone);
        let Some(problem) = format::problem(sent) else {
            let outcome = DeliveryOutcome { status: "delivered", answered, problem: None, next_at: None };
            return Self { outcome, asked_wait: 0, is_gone };
        };
        let usual = usize::try_from(attempts - 1).ok().and_then(|tried| WAITS.get(tried));
        let asks = receipt.filter(|receipt| WAIT_STATUSES.contains(&receipt.status));
        let asked_wait = asks.and_then(|receipt| receipt.retry_after);
        let asked_wait = asked_wait.map_or(0, |wait| i64::try_from(wait).unwrap_or(MAX_WAIT).min(MAX_WAIT));
        let wait = usual.filter(|_| !is_gone).map(|usual| asked_wait.max(*usual));
        let outcome = DeliveryOutcome {
            status: if wait.is_some() { "pending" } else { "dead" },
            answered,
            problem: Some(problem),
            next_at: wait.map(|wait| now.plus_seconds(wait)),
        };
        Self { outcome, asked_wait, is_gone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_fails_is_made_again_later_and_the_eighth_is_the_last() {
        let now = Ts::from_micros(0);
        let waited = |attempt: i64| {
            let outcome = Attempt::of(&Err(UpstreamError::Timeout), attempt, now).outcome;
            (outcome.status, outcome.next_at.map(|at| at.as_micros() / 1_000_000))
        };
        assert_eq!(waited(1), ("pending", Some(5)));
        assert_eq!(waited(7), ("pending", Some(43_200)));
        assert_eq!(waited(8), ("dead", None));
        let taken = Ok(Receipt { status: 204, ..Receipt::default() });
        assert_eq!(Attempt::of(&taken, 3, now).outcome.status, "delivered");
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait_of_at_most_a_day() {
        let now = Ts::from_micros(0);
        let waited = |status, retry_after| {
            let is_gone = status == 410;
            let receipt = Receipt { status, retry_after, is_gone, ..Receipt::default() };
            Attempt::of(&Ok(receipt), 2, now).outcome.next_at.map(|at| at.as_micros() / 1_000_000)
        };
        assert_eq!(waited(429, Some(600)), Some(600));
        assert_eq!(waited(503, Some(1)), Some(60), "not sooner than usual");
        assert_eq!(waited(503, Some(u64::MAX)), Some(86_400));
        assert_eq!(waited(500, Some(600)), Some(60), "another failure asks for nothing");
        assert_eq!(waited(410, Some(600)), None);
    }
}

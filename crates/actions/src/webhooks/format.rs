//! What a webhook sends: signed events, or messages to people by one of three services.

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_connectors::{
    UpstreamError,
    webhooks::{Message, Receipt, Receiver, Text, WebhookSender},
};
use toolcrib_model::{Id, NotificationKind, Ts};
use toolcrib_store::{
    events::EventEntry,
    webhooks::{WebhookReceiver, WebhookRow},
};

toolcrib_model::closed_set! {
    "a webhook format",
    /// What a webhook sends.
    WebhookFormat {
        /// Signed events, as Standard Webhooks specifies.
        Standard = "standard",
        /// Messages to an incoming webhook of Slack, Mattermost, or Discord (its URL with `/slack`).
        Slack = "slack",
        /// Messages of a Telegram bot.
        Telegram = "telegram",
        /// Text messages by Twilio.
        Twilio = "twilio",
    }
}

const NOTIFICATION: &str = "notification.created";
/// The event of a call that waits for a person.
const AWAITING: &str = "awaiting_permission";
/// The event types of messages to people.
pub const OF_MESSAGES: [&str; 2] = [AWAITING, NOTIFICATION];

impl WebhookFormat {
    pub fn of(row: &WebhookRow) -> Self {
        row.format.parse().unwrap_or(Self::Standard)
    }

    /// Returns the service's usual base address.
    pub const fn base_url(self) -> Option<&'static str> {
        match self {
            Self::Standard | Self::Slack => None,
            Self::Telegram => Some("https://api.telegram.org/"),
            Self::Twilio => Some("https://api.twilio.com/"),
        }
    }

    /// Whether a webhook with these types sends an event. Messages to people are the notifications for admins: that of
    /// a call that waits has the sentence and the link, which the event `awaiting_permission` lacks.
    pub fn sends(self, types: &[String], event: &EventEntry) -> bool {
        if self == Self::Standard {
            return wants(types, &event.name);
        }
        if event.name != NOTIFICATION {
            return false;
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let waits = NotificationKind::ConfirmationRequired.as_str();
        let is_wanted = wants(types, NOTIFICATION) || (wants(types, AWAITING) && data["kind"] == waits);
        data["audience"] == "admins" && is_wanted
    }
}

fn wants(types: &[String], name: &str) -> bool {
    types.iter().any(|kind| includes(kind, name))
}

/// Whether a type includes an event: by its name, by `resource.*`, or by `*`.
pub fn includes(kind: &str, name: &str) -> bool {
    match kind.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => kind == name,
    }
}

/// Sends an event once, in the format of the webhook. `body` is that of the delivery.
pub async fn send(
    sender: &WebhookSender,
    webhook: &WebhookRow,
    secrets: &[SecretString],
    id: Id,
    at: Ts,
    body: &str,
) -> Result<Receipt, UpstreamError> {
    let to = webhook.receiver.as_ref();
    let field = |of: fn(&WebhookReceiver) -> Option<&str>| to.and_then(of).unwrap_or_default();
    let base = webhook.url.as_str();
    let receiver = match WebhookFormat::of(webhook) {
        WebhookFormat::Standard => {
            return sender.send(&Message { url: base, id, at, body, secrets }).await;
        }
        WebhookFormat::Slack => Receiver::Slack,
        WebhookFormat::Telegram => Receiver::Telegram { base, chat_id: field(|to| to.chat_id.as_deref()) },
        WebhookFormat::Twilio => Receiver::Twilio {
            base,
            account_sid: field(|to| to.account_sid.as_deref()),
            from: field(|to| to.from.as_deref()),
            to: field(|to| to.to.as_deref()),
        },
    };
    let Some(secret) = secrets.first() else { return Err(UpstreamError::Settings("it has no secret")) };
    sender.send_text(receiver, secret, &text(body)).await
}

/// Returns the message of a notification's event.
fn text(body: &str) -> Text {
    let event: Value = serde_json::from_str(body).unwrap_or_default();
    let words = |path: &str| event.pointer(path).and_then(Value::as_str).map(str::to_owned);
    Text {
        title: words("/data/title").unwrap_or_default(),
        sentence: words("/data/body").unwrap_or_default(),
        link: words("/data/about/approve_url"),
    }
}

/// Returns why a message was not taken, in words that contain nothing of the answer but its numbers; `None` if it was.
pub fn problem(sent: &Result<Receipt, UpstreamError>) -> Option<String> {
    match sent {
        Ok(Receipt { status: 200..=299, .. }) => None,
        Ok(Receipt { status, code: Some(code), .. }) => {
            Some(format!("the receiver answered with status {status} and code {code}"))
        }
        Ok(Receipt { status, .. }) => Some(format!("the receiver answered with status {status}")),
        // The text names a problem of the webhook's own settings, which its admin may read.
        Err(UpstreamError::Settings(what)) => Some((*what).to_owned()),
        Err(error) => Some(format!("the receiver {}", error.public_text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_names_resources_or_everything() {
        let of = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect::<Vec<_>>();
        assert!(wants(&of(&["a.b", "agent.created"]), "agent.created"));
        assert!(wants(&of(&["agent.*"]), "agent.created") && wants(&of(&["*"]), "tool_use"));
        assert!(!wants(&of(&["agent.*", "agent"]), "agents.created") && !wants(&of(&[]), "agent.created"));
    }
}

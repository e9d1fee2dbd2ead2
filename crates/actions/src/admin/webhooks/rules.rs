//! Functions that the operations on webhooks share.

use toolcrib_connectors::webhooks::Allowed;
use toolcrib_engine::{Catalog, EVENT_NAMES, mask::masked_address, prelude::*};
use toolcrib_registry::ArgError;
use toolcrib_store::{
    Tx, webhooks,
    webhooks::{WebhookReceiver, WebhookRow},
};
use url::Url;

use crate::webhooks::format::{OF_MESSAGES, WebhookFormat, includes};

/// Returns the normalized URL of a webhook. 422 at `pointer` if its address is not allowed.
fn address(catalog: &Catalog, pointer: &str, text: &str) -> Result<Url, ActionError> {
    let allowed = Allowed::new(&catalog.rules().webhook_hosts);
    let refused = |why: &str| {
        ActionError::invalid(pointer, "address", why).hint(
            "a webhook is a public https address; the operator may allow private hosts with `webhook_hosts`",
        )
    };
    allowed.address(text).map_err(refused)
}

/// What the input says of how messages are sent.
#[derive(Clone, Copy, Default)]
pub struct Sending<'i> {
    pub url: Option<&'i str>,
    pub receiver: Option<&'i WebhookReceiver>,
    pub secret: Option<&'i str>,
    /// The URL for which the webhook has a secret of its service.
    pub stored: Option<&'i str>,
}

impl Sending<'_> {
    /// Returns the URL that is stored: without the secret, which in the URL of Slack is the path. 422 for every field
    /// that the format needs or has no use for.
    pub fn checked(self, catalog: &Catalog, format: WebhookFormat) -> Result<String, ActionError> {
        self.check_fields(format)?;
        let url = self.url.or(format.base_url()).unwrap_or_default();
        let base = match (format, self.secret) {
            (WebhookFormat::Standard, _) => return Ok(address(catalog, "/url", url)?.into()),
            (WebhookFormat::Slack, Some(secret)) => {
                let url = address(catalog, "/secret", secret)?;
                return Ok(format!("{}/", url.origin().ascii_serialization()));
            }
            (WebhookFormat::Slack, None) => return Ok(self.stored.unwrap_or_default().to_owned()),
            (WebhookFormat::Telegram, Some(secret)) if !is_bot_token(secret) => {
                let why = "is no token of a bot: `@BotFather` gives one, such as `123456:ABC…`";
                return Err(ActionError::invalid("/secret", "secret", why));
            }
            (WebhookFormat::Telegram | WebhookFormat::Twilio, _) => address(catalog, "/url", url)?,
        };
        if base.query().is_some() {
            return Err(ActionError::invalid(
                "/url",
                "address",
                "must not have a query: it is a base address",
            ));
        }
        if self.secret.is_none() && self.stored.is_some_and(|stored| stored != base.as_str()) {
            let why = "is needed again for another address: the stored one is sent to the old address alone";
            return Err(ActionError::invalid("/secret", "required", why));
        }
        Ok(base.into())
    }

    fn check_fields(self, format: WebhookFormat) -> Result<(), ActionError> {
        let receiver = self.receiver.cloned().unwrap_or_default();
        let fields = [
            ("/url", self.url.is_some()),
            ("/secret", self.secret.or(self.stored).is_some()),
            ("/receiver/chat_id", receiver.chat_id.is_some()),
            ("/receiver/account_sid", receiver.account_sid.is_some()),
            ("/receiver/from", receiver.from.is_some()),
            ("/receiver/to", receiver.to.is_some()),
        ];
        let (needed, optional): (&[&str], &[&str]) = match format {
            WebhookFormat::Standard => (&["/url"], &[]),
            WebhookFormat::Slack => (&["/secret"], &[]),
            WebhookFormat::Telegram => (&["/secret", "/receiver/chat_id"], &["/url"]),
            WebhookFormat::Twilio => {
                (&["/secret", "/receiver/account_sid", "/receiver/from", "/receiver/to"], &["/url"])
            }
        };
        let wrong = fields.into_iter().filter_map(|(field, is_set)| match needed.contains(&field) {
            true if !is_set => {
                Some(ArgError::new(field, "required", format!("the format `{format}` needs it")))
            }
            false if is_set && !optional.contains(&field) => {
                Some(ArgError::new(field, "unexpected", format!("the format `{format}` has no use for it")))
            }
            _ => None,
        });
        let errors: Vec<ArgError> = wrong.collect();
        if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
    }
}

fn is_bot_token(secret: &str) -> bool {
    secret.split_once(':').is_some_and(|(id, token)| {
        let word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
        !id.is_empty()
            && id.bytes().all(|c| c.is_ascii_digit())
            && !token.is_empty()
            && token.bytes().all(word)
    })
}

/// Returns 422 for unknown event types. A type is `*`, the name of an event, or `agent.*` for all events of a
/// resource. Messages to people have few.
pub fn types(catalog: &Catalog, format: WebhookFormat, types: &[String]) -> Result<(), ActionError> {
    if format != WebhookFormat::Standard {
        let other = |(at, wanted): (usize, &String)| {
            let message = format!("the format `{format}` does not carry `{wanted}`");
            (!OF_MESSAGES.contains(&wanted.as_str()))
                .then(|| ArgError::new(&format!("/types/{at}"), "unknown_type", message))
        };
        let errors: Vec<ArgError> = types.iter().enumerate().filter_map(other).collect();
        let hint = format!("messages to people are: {}", OF_MESSAGES.join(", "));
        return if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors).hint(hint)) };
    }
    let packs = catalog.packs().iter().flat_map(|pack| pack.pack.info.events.iter().copied());
    let names: Vec<&str> = EVENT_NAMES.into_iter().chain(packs).collect();
    let unknown = |(at, wanted): (usize, &String)| {
        (!names.iter().any(|name| includes(wanted, name))).then(|| {
            ArgError::new(&format!("/types/{at}"), "unknown_type", format!("there is no event `{wanted}`"))
        })
    };
    let errors: Vec<ArgError> = types.iter().enumerate().filter_map(unknown).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let there = format!("`*`, `agent.*` for all of a resource, and these: {}", names.join(", "));
    Err(ActionError::invalid_all(errors).hint(format!("there are {there}")))
}

pub async fn find(tx: &mut Tx, id: Id) -> Result<WebhookRow, ActionError> {
    webhooks::get(tx, id).await?.ok_or_else(|| missing(id))
}

/// Returns the 404 error of a webhook that does not exist.
pub fn missing(id: Id) -> ActionError {
    ActionError::not_found("webhook", &id.to_string())
}

/// Returns the label of a webhook with this URL. Omits the query, which often contains a token.
pub fn named(url: &str) -> String {
    format!("webhook `{}`", masked_address(url))
}

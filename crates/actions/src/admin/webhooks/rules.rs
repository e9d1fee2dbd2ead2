//! Functions that the operations on webhooks share.

use toolcrib_connectors::webhooks::Allowed;
use toolcrib_engine::{ActionError, Catalog, EVENT_NAMES, mask::masked_address};
use toolcrib_model::Id;
use toolcrib_registry::ArgError;
use toolcrib_store::{Tx, webhooks, webhooks::WebhookRow};

/// Returns the normalized URL of a webhook. 422 if its address is not allowed.
pub fn address(catalog: &Catalog, text: &str) -> Result<String, ActionError> {
    let allowed = Allowed::new(&catalog.rules().webhook_hosts);
    let refused = |why: &str| {
        ActionError::invalid("/url", "address", why).hint(
            "a webhook is a public https address; the operator may allow private hosts with `webhook_hosts`",
        )
    };
    allowed.address(text).map(|url| url.to_string()).map_err(refused)
}

/// Returns 422 for unknown event types. A type is `*`, the name of an event, or `agent.*` for all events of a
/// resource.
pub fn types(catalog: &Catalog, types: &[String]) -> Result<(), ActionError> {
    let packs = catalog.packs().iter().flat_map(|pack| pack.pack.info.events.iter().copied());
    let names: Vec<&str> = EVENT_NAMES.into_iter().chain(packs).collect();
    let unknown = |(at, wanted): (usize, &String)| {
        (!names.iter().any(|name| is_name(wanted, name))).then(|| {
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

fn is_name(wanted: &str, name: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == wanted,
    }
}

/// Returns the webhook, or 404.
pub async fn find(tx: &mut Tx, id: Id) -> Result<WebhookRow, ActionError> {
    let found = webhooks::get(tx, id).await?;
    found.ok_or_else(|| ActionError::not_found("webhook", &id.to_string()))
}

/// Returns the label of a webhook for people.
pub fn label(row: &WebhookRow) -> String {
    named(&row.url)
}

/// Returns the label of a webhook with this URL. Omits the query, which often contains a token.
pub fn named(url: &str) -> String {
    format!("webhook `{}`", masked_address(url))
}

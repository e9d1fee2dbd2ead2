//! What making, changing and looking at webhooks share.

use toolcrib_connectors::webhooks::Allowed;
use toolcrib_engine::{ActionError, Catalog, mask::masked_address};
use toolcrib_model::Id;
use toolcrib_store::{Tx, webhooks, webhooks::WebhookRow};

/// The address as it is kept, where it may be one.
pub fn address(catalog: &Catalog, text: &str) -> Result<String, ActionError> {
    let allowed = Allowed::new(&catalog.rules().webhook_hosts);
    let refused = |why: &str| {
        ActionError::invalid("/url", "address", why).hint(
            "a webhook is a public https address; the operator may allow private hosts with `webhook_hosts`",
        )
    };
    allowed.address(text).map(|url| url.to_string()).map_err(refused)
}

/// The webhook, or why there is none.
pub async fn find(tx: &mut Tx, id: Id) -> Result<WebhookRow, ActionError> {
    let found = webhooks::get(tx, id).await?;
    found.ok_or_else(|| ActionError::not_found("webhook", &id.to_string()))
}

/// How a webhook is named to people.
pub fn label(row: &WebhookRow) -> String {
    named(&row.url)
}

/// The same by its address, of which the query is not told: it often holds a token.
pub fn named(url: &str) -> String {
    format!("webhook `{}`", masked_address(url))
}

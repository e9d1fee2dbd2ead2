//! Creates deliveries from the events of the outbox, for each webhook from its own offset.

use serde_json::{Value, json};
use toolcrib_model::{IdGen, Ts};
use toolcrib_store::{
    StoreError, WriteTx,
    events::{self, EventEntry},
    webhooks::worker::{self, NewDelivery, UnreadWebhook},
};

use super::format::WebhookFormat;

/// Webhooks per transaction.
const WEBHOOKS: i64 = 10;
/// Events per webhook and transaction.
const EVENTS: i64 = 200;

/// Reads the next events for some webhooks that have unread ones, and returns the number of webhooks.
pub async fn next_batch(tx: &mut WriteTx, now: Ts, ids: &dyn IdGen) -> Result<usize, StoreError> {
    let webhooks = worker::lock_unread(tx, WEBHOOKS).await?;
    let count = webhooks.len();
    for unread in webhooks {
        read_on(tx, now, ids, unread).await?;
    }
    Ok(count)
}

async fn read_on(
    tx: &mut WriteTx,
    now: Ts,
    ids: &dyn IdGen,
    unread: UnreadWebhook,
) -> Result<(), StoreError> {
    let webhook = unread.webhook;
    tx.switch_workspace(unread.workspace_id).await?;
    let events = events::after(tx, webhook.offset, EVENTS).await?;
    let format = WebhookFormat::of(&webhook);
    let wanted =
        |event: &&EventEntry| event.occurred_at >= webhook.since && format.sends(&webhook.types, event);
    for event in events.iter().filter(wanted) {
        let body = body(event)?;
        let delivery = NewDelivery {
            id: ids.new_id(now),
            webhook_id: webhook.id,
            event_id: event.id,
            event_name: &event.name,
            body: &body,
            at: now,
        };
        worker::insert_delivery(tx, &delivery).await?;
    }
    match events.last() {
        Some(last) => worker::set_offset(tx, webhook.id, last.offset).await,
        None => Ok(()),
    }
}

/// Returns the body of a delivery: the event as in the event stream, in the envelope of Standard Webhooks.
fn body(event: &EventEntry) -> Result<String, StoreError> {
    let mut data: Value =
        serde_json::from_str(&event.data).map_err(|error| StoreError::Inconsistent(error.to_string()))?;
    if let Some(fields) = data.as_object_mut() {
        fields.insert("event_id".into(), json!(event.id));
        fields.insert("workspace_id".into(), json!(event.workspace_id));
    }
    Ok(json!({ "type": event.name, "timestamp": event.occurred_at, "data": data }).to_string())
}

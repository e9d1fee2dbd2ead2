//! Sends a message that says that the webhook works.

use std::time::Instant;

use toolcrib_connectors::webhooks::{Allowed, WebhookSender};
use toolcrib_engine::prelude::*;
use toolcrib_model::{IdGen as _, SystemIds};
use toolcrib_store::webhooks::{self, EncryptedSecret, WebhookRow};

use super::rules;
use crate::webhooks::{format, secrets};

pub struct TestWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook. It may be disabled.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether the receiver took the message.
    pub ok: bool,
    /// Status of the receiver's answer; null if there was none.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Why the message was not taken. Of the receiver's answer it contains numbers alone.
    pub problem: Option<String>,
}

impl ExternalAction for TestWebhook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("webhooks.test", Level::Read, Permission::SETTINGS_MANAGE)
            .tests()
            .sends_messages()
            .describe(
                "Send a test message to a webhook now, once: the event `webhook.test`, or a message to people. At most five \
                 tests a minute, and none in a read-only workspace.",
            )
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let id = input.id;
        let (row, sealed) = cx
            .read(move |tx| {
                Box::pin(async move {
                    let row = rules::find(tx, id).await?;
                    let sealed = webhooks::encrypted_secret(tx, id).await?;
                    Ok((row, sealed.ok_or_else(|| rules::missing(id))?))
                })
            })
            .await?;
        send(cx, &row, &sealed).await
    }

    fn describe(_: &Input, output: &Output) -> String {
        match &output.problem {
            None => "The receiver took the message".to_owned(),
            Some(problem) => format!("The message was not taken: {problem}"),
        }
    }
}

async fn send(
    cx: &ExternalCx<'_>,
    row: &WebhookRow,
    sealed: &EncryptedSecret,
) -> Result<Output, ActionError> {
    let (rules, workspace) = (cx.tools.catalog.rules(), cx.caller.workspace);
    let secrets = secrets::open(&rules.datasources.secret_cipher, workspace, row, sealed, cx.now)
        .map_err(|_| ActionError::conflict(secrets::NOT_READ))?;
    let sender = WebhookSender::new(Allowed::new(&rules.webhook_hosts))
        .map_err(|error| ActionError::internal(error.to_string()))?;
    let event_id = SystemIds.new_id(cx.now);
    let data = json!({
        "title": "Test message", "body": "This webhook can send messages.", "id": row.id, "event_id": event_id,
        "workspace_id": workspace,
    });
    let body = json!({ "type": "webhook.test", "timestamp": cx.now, "data": data }).to_string();
    let begun = Instant::now();
    let sent = format::send(&sender, row, &secrets, event_id, cx.now, &body).await;
    let problem = format::problem(&sent);
    Ok(Output {
        ok: problem.is_none(),
        status: sent.ok().map(|receipt| receipt.status),
        ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        problem,
    })
}

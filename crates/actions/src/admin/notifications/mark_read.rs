//! Marks a notification as read.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    notifications::{self, NotificationEntry, Reader},
};

use super::reader;

pub struct MarkNotificationRead;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The notification.
    pub id: Id,
}

impl WriteAction for MarkNotificationRead {
    type Input = Input;
    type Output = NotificationEntry;

    fn spec() -> Spec {
        Spec::program("notifications.mark_read", Level::Write, Permission::NOTIFICATIONS_READ)
            .describe("Mark a notification as read by you. It stays unread for others.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, reader(cx.caller), input.id, cx.now).await?;
        Ok(Target { id: Some(row.id), label: format!("notification `{}`", row.title), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<NotificationEntry, ActionError> {
        let reader = reader(cx.caller);
        find(cx.tx, reader, input.id, cx.now).await?;
        notifications::mark(cx.tx, reader, input.id, cx.now).await?;
        find(cx.tx, reader, input.id, cx.now).await
    }

    fn describe(_: &Input, output: &NotificationEntry) -> String {
        format!("Read the notification `{}`", output.title)
    }
}

async fn find(tx: &mut Tx, reader: Reader, id: Id, now: Ts) -> Result<NotificationEntry, ActionError> {
    let found = notifications::get(tx, reader, id, now).await?;
    found.ok_or_else(|| ActionError::not_found("notification", &id.to_string()))
}

//! Marks all notifications as read.

use toolcrib_engine::prelude::*;
use toolcrib_store::notifications;

use super::reader;
use crate::shared::NoArguments;

pub struct MarkAllNotificationsRead;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Number of notifications that were not read before.
    pub marked: u64,
}

impl WriteAction for MarkAllNotificationsRead {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("notifications.mark_all_read", Level::Write, Permission::NOTIFICATIONS_READ).describe(
            "Mark your notifications as read, among the newest 500 of the workspace. They stay unread for others.",
        )
    }

    async fn run(&self, cx: &mut WriteCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        Ok(Output { marked: notifications::mark_all(cx.tx, reader(cx.caller), cx.now).await? })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Read {}", count(output.marked, "notification"))
    }
}

//! The kinds of notifications.
#![deny(missing_docs)]

closed_set! {
    "a kind of notification",
    /// What a notification is about.
    NotificationKind {
        /// Somebody made a call that admins are notified of.
        Action = "action",
        /// A call waits for a decision that you may make.
        ConfirmationRequired = "confirmation_required",
        /// Your call was not decided in time.
        ConfirmationExpired = "confirmation_expired",
        /// A background run of the assistant ended or failed.
        AssistantRun = "assistant_run",
        /// Work in the background ended, because whoever set it up may not do it any more.
        WorkEnded = "work_ended",
        /// Keys lost rights, because a member was changed or removed.
        KeysWeakened = "keys_weakened",
        /// A webhook was disabled, because its receiver wants no more messages.
        WebhookGone = "webhook_gone",
        /// An MCP server changed tools that were accepted.
        UpstreamDrifted = "upstream_drifted",
        /// The outcome of a pack's call could not be recorded in the pack.
        EffectUnrecorded = "effect_unrecorded",
        /// A film or a series was added, by the pack `media`.
        MediaAdded = "media_added",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_each_kind() {
        let page = include_str!("../../../docs/events.md");
        let (_, section) = page.split_once("\n## Notifications\n").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let named: Vec<&str> = rows.map(|(kind, _)| kind).collect();
        let all: Vec<&str> = NotificationKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(named, all);
    }
}

//! The words of confirmations.

closed_set! {
    "a confirmation status",
    /// Where a confirmation is between its request and its end.
    ConfirmationStatus {
        /// It waits for a decision.
        Pending = "pending",
        /// It was approved and waits for the phrase.
        AwaitingPhrase = "awaiting_phrase",
        /// The call ran and succeeded.
        Executed = "executed",
        /// The call ran and failed.
        Failed = "failed",
        /// A person refused it.
        Denied = "denied",
        /// Nobody decided it in time.
        Expired = "expired",
        /// A later confirmation took its place.
        Superseded = "superseded",
        /// It no longer applies.
        Void = "void",
    }
}

impl ConfirmationStatus {
    /// Whether a decision may still come, as long as the confirmation's time is not over.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::AwaitingPhrase => true,
            Self::Executed | Self::Failed | Self::Denied | Self::Expired | Self::Superseded | Self::Void => {
                false
            }
        }
    }
}

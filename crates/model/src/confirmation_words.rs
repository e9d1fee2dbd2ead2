//! The closed sets of values in confirmations.

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
    /// Returns whether a confirmation with this status still accepts a decision. Does not check its expiry
    /// time.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::AwaitingPhrase => true,
            Self::Executed | Self::Failed | Self::Denied | Self::Expired | Self::Superseded | Self::Void => {
                false
            }
        }
    }
}

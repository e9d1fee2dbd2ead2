//! The closed sets of values in confirmations.
#![deny(missing_docs)]

closed_set! {
    "a confirmation status",
    /// Where a confirmation is between its request and its end.
    ConfirmationStatus {
        /// It waits for a decision.
        Pending = "pending",
        /// It was approved and waits for the phrase.
        AwaitingPhrase = "awaiting_phrase",
        /// It was approved, and the call runs outside this service. It can't be decided any more, and has not ended.
        Running = "running",
        /// The call ran and succeeded.
        Executed = "executed",
        /// The call ran and failed.
        Failed = "failed",
        /// The call was started outside this service, and nobody knows how it ended.
        Unknown = "unknown",
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
        matches!(self, Self::Pending | Self::AwaitingPhrase)
    }

    /// Returns whether nothing changes a confirmation with this status any more. Not so for one that is open, and for
    /// one whose call runs.
    pub const fn has_ended(self) -> bool {
        match self {
            Self::Pending | Self::AwaitingPhrase | Self::Running => false,
            Self::Executed
            | Self::Failed
            | Self::Unknown
            | Self::Denied
            | Self::Expired
            | Self::Superseded
            | Self::Void => true,
        }
    }

    /// Returns whether a confirmation with this status may get the status `next`. A wrong phrase keeps
    /// `awaiting_phrase`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending | Self::AwaitingPhrase => !matches!(next, Self::Pending | Self::Unknown),
            Self::Running => matches!(next, Self::Executed | Self::Failed | Self::Unknown),
            Self::Executed
            | Self::Failed
            | Self::Unknown
            | Self::Denied
            | Self::Expired
            | Self::Superseded
            | Self::Void => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConfirmationStatus::{self, *};

    #[test]
    fn a_confirmation_takes_only_these_steps() {
        let decided = [Running, Executed, Failed, Denied, Expired, Superseded, Void];
        for from in ConfirmationStatus::ALL {
            for to in ConfirmationStatus::ALL {
                let allowed = match from {
                    Pending | AwaitingPhrase => *to == AwaitingPhrase || decided.contains(to),
                    Running => [Executed, Failed, Unknown].contains(to),
                    _ => false,
                };
                assert_eq!(from.may_become(*to), allowed, "{from} -> {to}");
            }
            let goes_on = ConfirmationStatus::ALL.iter().any(|to| from.may_become(*to));
            assert_eq!(from.has_ended(), !goes_on, "{from}");
        }
        assert!([Pending, AwaitingPhrase].iter().all(|status| status.is_open()));
        assert!(!Running.is_open() && !Unknown.is_open());
    }
}

//! The words of the audit log.

closed_set! {
    "an audit decision",
    /// What was decided.
    AuditDecision {
        /// It ran without asking.
        AutoAllowed = "auto_allowed",
        /// A human agreed.
        Approved = "approved",
        /// It was refused.
        Denied = "denied",
        /// A human was asked.
        ConfirmationRequired = "confirmation_required",
        /// A limit was used up.
        RateLimited = "rate_limited",
        /// The call was wrong.
        Invalid = "invalid",
        /// Nobody answered.
        Expired = "expired",
    }
}

closed_set! {
    "an outcome",
    /// What came of it.
    Outcome {
        /// It was done.
        Succeeded = "succeeded",
        /// It was tried.
        Failed = "failed",
        /// It was not tried.
        NotRun = "not_run",
    }
}

closed_set! {
    "a kind of audit row",
    /// What a row is about.
    AuditKind {
        /// A call of an action.
        Call = "call",
        /// A decision about a confirmation.
        Confirmation = "confirmation",
        /// A session grant.
        Grant = "grant",
        /// An operation for programs.
        Admin = "admin",
    }
}

closed_set! {
    "a way in which a call comes in",
    /// How a call came in.
    Via {
        /// By the action's own name.
        Direct = "direct",
        /// Through `platform_execute`.
        Dispatcher = "dispatcher",
        /// By an approval.
        Confirmation = "confirmation",
    }
}

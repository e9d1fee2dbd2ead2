//! The closed sets of values in audit rows.
#![deny(missing_docs)]

closed_set! {
    "an audit decision",
    /// Decision.
    AuditDecision {
        /// The call ran without a confirmation.
        AutoAllowed = "auto_allowed",
        /// A person approved the call.
        Approved = "approved",
        /// The call was refused.
        Denied = "denied",
        /// The call waits for a person.
        ConfirmationRequired = "confirmation_required",
        /// A rate limit was reached.
        RateLimited = "rate_limited",
        /// The call was not valid.
        Invalid = "invalid",
        /// The confirmation was not decided in time.
        Expired = "expired",
    }
}

closed_set! {
    "an outcome",
    /// Outcome.
    Outcome {
        /// The call succeeded.
        Succeeded = "succeeded",
        /// The call ran and failed.
        Failed = "failed",
        /// The call did not run.
        NotRun = "not_run",
        /// The call may run from now on, outside this service. Rows of kind `outcome` tell how it ended.
        Started = "started",
        /// The call began, and nobody knows how it ended.
        Unknown = "unknown",
        /// A read was given to the caller, who runs it. No row of its outcome follows.
        HandedOut = "handed_out",
    }
}

closed_set! {
    "a kind of audit row",
    /// Kind of a row.
    AuditKind {
        /// A call of an action. With the outcome `started`, it is the start of a call that runs outside this service.
        Call = "call",
        /// The outcome of a started call: `succeeded`, `failed`, `not_run` or `unknown`. `call_ref` is the id of the
        /// call's row. An outcome that is reported late follows one that is `unknown`.
        Outcome = "outcome",
        /// A decision about a confirmation.
        Confirmation = "confirmation",
        /// A session grant.
        Grant = "grant",
        /// An operation for programs.
        Admin = "admin",
    }
}

closed_set! {
    "a way in which a call may run",
    /// What let a call run.
    GrantedBy {
        /// It needs no confirmation.
        Auto = "auto",
        /// A session grant.
        Session = "session",
        /// A person who approved it.
        User = "user",
    }
}

closed_set! {
    "a surface",
    /// Where a call came in.
    Surface {
        /// The HTTP API.
        Rest = "rest",
        /// The MCP endpoint.
        Mcp = "mcp",
        /// The web console.
        Console = "console",
        /// The command line.
        Cli = "cli",
        /// A run of the assistant.
        Assistant = "assistant",
    }
}

closed_set! {
    "a way in which a call comes in",
    /// How the action was named.
    Via {
        /// By the action's own name.
        Direct = "direct",
        /// Through `platform_execute`.
        Dispatcher = "dispatcher",
        /// By the approval of a confirmation.
        Confirmation = "confirmation",
    }
}

//! The closed sets of values in calls, most of them in calls that run outside this service.
#![deny(missing_docs)]

closed_set! {
    "a mutation",
    /// What a call does to data, as the API says it.
    Mutation {
        /// Reads.
        Read = "read",
        /// Creates something.
        Create = "create",
        /// Changes something.
        Update = "update",
        /// Removes something.
        Delete = "delete",
    }
}

closed_set! {
    "an executor",
    /// What runs a declared tool.
    ExecutorKind {
        /// This service calls a REST service.
        Http = "http",
        /// This service calls an MCP server.
        Mcp = "mcp",
        /// The action of a pack calls a service.
        Pack = "pack",
        /// The caller runs the tool.
        Client = "client",
    }
}

closed_set! {
    "a state of an open call",
    /// Where a call that runs outside this service is between its start row and its end.
    OpenCallState {
        /// It waits for the caller to claim it.
        Ready = "ready",
        /// It was claimed or sent, and its outcome is not known yet.
        Running = "running",
        /// It ran and succeeded.
        Succeeded = "succeeded",
        /// It ran and failed.
        Failed = "failed",
        /// It did not run and will not.
        NotRun = "not_run",
        /// It began, and its outcome was not reported in time. A late report may still replace this end.
        Unknown = "unknown",
    }
}

impl OpenCallState {
    /// Returns whether the call has not ended.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Ready | Self::Running => true,
            Self::Succeeded | Self::Failed | Self::NotRun | Self::Unknown => false,
        }
    }

    /// Returns whether a call in this state may get the state `next`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            // Unknown in a database that was restored: it may have been claimed after the backup.
            Self::Ready => matches!(next, Self::Running | Self::NotRun | Self::Unknown),
            Self::Running => matches!(next, Self::Succeeded | Self::Failed | Self::NotRun | Self::Unknown),
            Self::Unknown => matches!(next, Self::Succeeded | Self::Failed),
            Self::Succeeded | Self::Failed | Self::NotRun => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OpenCallState::{self, *};

    #[test]
    fn an_open_call_takes_only_these_steps() {
        let allowed = [
            (Ready, Running),
            (Ready, NotRun),
            (Ready, Unknown),
            (Running, Succeeded),
            (Running, Failed),
            (Running, NotRun),
            (Running, Unknown),
            (Unknown, Succeeded),
            (Unknown, Failed),
        ];
        for from in OpenCallState::ALL {
            for to in OpenCallState::ALL {
                assert_eq!(from.may_become(*to), allowed.contains(&(*from, *to)), "{from} -> {to}");
            }
        }
        assert!(OpenCallState::ALL.iter().all(|state| state.is_open() == matches!(state, Ready | Running)));
    }
}

//! The words for runs of the assistant and the calls that they plan.

closed_set! {
    "a state of a run",
    /// Where a run of the assistant is between its message and its end.
    RunState {
        /// No process holds it.
        Queued = "queued",
        /// A process holds it.
        Running = "running",
        /// It waits for people.
        Waiting = "waiting",
        /// It has an answer, or its person sent another message.
        Completed = "completed",
        /// It could not go on.
        Failed = "failed",
        /// Somebody stopped it.
        Stopped = "stopped",
    }
}

impl RunState {
    /// Returns whether the run has not ended.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting => true,
            Self::Completed | Self::Failed | Self::Stopped => false,
        }
    }

    /// Returns whether the run goes on without a person.
    pub const fn goes_on(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

closed_set! {
    "a state of a planned call",
    /// Where a call that a model asked for is.
    PlannedCallState {
        /// It is to be made.
        Planned = "planned",
        /// It waits for a confirmation.
        Waiting = "waiting",
        /// The model has its answer.
        Answered = "answered",
    }
}

//! The words for runs of the assistant, the calls that they plan, and the formats in which models are asked.

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
    "a finish of a run",
    /// Why the answer of a run is not whole.
    RunFinish {
        /// It was cut off.
        Length = "length",
        /// Its provider withheld it.
        ContentFilter = "content_filter",
        /// The model said nothing.
        Empty = "empty",
        /// The run reached its limit of steps before the model was done.
        Steps = "steps",
    }
}

closed_set! {
    "a kind of run",
    /// What a run of the assistant is for.
    RunKind {
        /// A message of a person.
        Chat = "chat",
        /// An agent's heartbeat.
        Heartbeat = "heartbeat",
        /// A scheduled task.
        Schedule = "schedule",
        /// A step of a playbook's execution.
        Playbook = "playbook",
        /// A task or the goal of a mission.
        Mission = "mission",
    }
}

impl RunKind {
    /// Returns whether no person is beside the run.
    pub const fn is_background(self) -> bool {
        !matches!(self, Self::Chat)
    }
}

closed_set! {
    "a runner",
    /// Who carries out heartbeats, schedules, executions of playbooks and missions.
    #[derive(Default)]
    WorkRunner {
        /// Programs that read the events of what is due.
        #[default]
        External = "external",
        /// The assistant of this service, as whoever set the work up.
        Internal = "internal",
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

closed_set! {
    "a format of models",
    /// How a provider wants to be asked.
    ModelFormat {
        /// `POST {base}/chat/completions`
        OpenAi = "openai",
        /// `POST {base}/responses`
        OpenAiResponses = "openai_responses",
        /// `POST {base}/messages`
        Anthropic = "anthropic",
    }
}

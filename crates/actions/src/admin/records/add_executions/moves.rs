//! The transitions of executions and steps.

use super::{Report, Stop};

toolcrib_model::closed_set! {
    "an event",
    /// What happened.
    Event {
        /// The execution began.
        Started = "started",
        /// One of its steps moved.
        Step = "step",
        /// The execution ended.
        Finished = "finished",
    }
}

toolcrib_model::closed_set! {
    "a status",
    /// How it stands after the event.
    Status {
        /// It runs.
        Running = "running",
        /// It went well.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// The step was left out.
        Skipped = "skipped",
        /// The execution was stopped.
        Cancelled = "cancelled",
    }
}

impl Report {
    /// Returns the reported status or its default.
    pub(super) fn status(&self) -> Status {
        self.status.unwrap_or(match self.event {
            Event::Started => Status::Running,
            _ if self.error.is_some() => Status::Failed,
            _ => Status::Completed,
        })
    }

    /// Checks that the fields are consistent.
    pub(super) fn fits(&self) -> Result<(), Stop> {
        let (can, words): (&[Status], _) = match self.event {
            Event::Started => (&[Status::Running], "`running` or absent"),
            Event::Step => (
                &[Status::Running, Status::Completed, Status::Failed, Status::Skipped],
                "`running`, `completed`, `failed` or `skipped`",
            ),
            Event::Finished => (
                &[Status::Completed, Status::Failed, Status::Cancelled],
                "`completed`, `failed` or `cancelled`",
            ),
        };
        if !can.contains(&self.status()) {
            let message = format!("must be {words} for `{}`", self.event.as_str());
            return Err(Stop::wrong("/status", "enum", message));
        }
        match (self.event, self.step) {
            (Event::Step, None) => Err(Stop::wrong("/step", "required", "is required for `step`")),
            (Event::Started | Event::Finished, Some(_)) => {
                Err(Stop::wrong("/step", "unexpected", "goes with `step` only"))
            }
            _ => Ok(()),
        }
    }
}

pub fn possible(status: &str, event: Event, to: Status) -> bool {
    match status {
        "queued" => event == Event::Started || (event == Event::Finished && to != Status::Completed),
        "running" => event != Event::Started,
        _ => false,
    }
}

/// Returns the error message of an impossible event.
pub fn refusal(status: &str, event: Event) -> String {
    let rest = match status {
        "queued" => "possible: `started`, or `finished` as `failed` or `cancelled`",
        "running" => "possible: `step`, `finished`",
        _ => "nothing is possible any more, it has ended",
    };
    format!("the execution is `{status}`: it can't take `{}` so; {rest}", event.as_str())
}

/// Returns the statuses that may follow the status of a step.
pub fn next_of_step(status: &str) -> &'static [Status] {
    match status {
        "pending" => &[Status::Running, Status::Completed, Status::Failed, Status::Skipped],
        "running" => &[Status::Completed, Status::Failed, Status::Skipped],
        // A retry.
        "failed" => &[Status::Running],
        _ => &[],
    }
}

//! Stops a run.

use toolcrib_engine::prelude::*;
use toolcrib_store::assistant_runs::{self, RunRow};

use crate::view::owner;

pub struct StopRun;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the run.
    pub id: Id,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Stopping {
    /// Run that stops; absent if none was open.
    pub run: Option<Id>,
}

impl WriteAction for StopRun {
    type Input = Input;
    type Output = Stopping;

    fn spec() -> Spec {
        Spec::program("assistant.stop_run", Level::Write, Permission::ASSISTANT_USE).describe(
            "Stop a run. A call that is running is waited for; the others of its step do not run any more.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (owner, row) = (owner(cx.caller)?, assistant_runs::get(cx.tx, input.id).await?);
        // Admins stop what goes on by itself.
        let may_stop = |row: &RunRow| {
            let is_admin = row.kind.is_background() && cx.caller.holds(&Permission::SETTINGS_MANAGE);
            is_admin || row.owner_id == owner
        };
        let row = row.filter(may_stop);
        let row = row.ok_or_else(|| ActionError::not_found("run", &input.id.to_string()))?;
        Ok(Target { label: format!("thread `{}`", row.thread), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Stopping, ActionError> {
        let is_open = assistant_runs::request_stop(cx.tx, input.id, cx.now).await?;
        Ok(Stopping { run: is_open.then_some(input.id) })
    }

    fn describe(_: &Input, output: &Stopping) -> String {
        let text = if output.run.is_some() { "Stopped a run" } else { "Nothing to stop: the run has ended" };
        text.to_owned()
    }
}

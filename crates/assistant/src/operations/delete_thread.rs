//! Deletes a thread.

use toolcrib_engine::prelude::*;
use toolcrib_store::assistant_runs;

use super::{ThreadArgs, newest_run};
use crate::view::owner;

pub struct DeleteThread;

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deleted {
    /// Number of runs that were deleted.
    pub runs: u64,
}

impl WriteAction for DeleteThread {
    type Input = ThreadArgs;
    type Output = Deleted;

    fn spec() -> Spec {
        Spec::program("assistant.delete_thread", Level::Write, Permission::ASSISTANT_USE)
            .deletes()
            .describe("Delete the texts of a thread of the caller. The audit log keeps its calls.")
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &ThreadArgs) -> Result<Deleted, ActionError> {
        let owner = owner(cx.caller)?;
        if newest_run(cx.tx, owner, &input.thread).await?.state.is_open() {
            return Err(ActionError::conflict(format!(
                "a run of the thread `{}` is not finished",
                input.thread
            ))
            .hint("stop it first: `POST /v1/assistant/threads/{thread}/stop`"));
        }
        let runs = assistant_runs::delete_thread(cx.tx, owner, &input.thread, cx.now.plus_days(-1)).await?;
        Ok(Deleted { runs })
    }

    fn describe(input: &ThreadArgs, output: &Deleted) -> String {
        let runs = count(usize::try_from(output.runs).unwrap_or(usize::MAX), "run");
        format!("Deleted thread `{}` with {runs}", input.thread)
    }
}

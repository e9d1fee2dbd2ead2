//! Stops what runs in a thread.

use toolcrib_engine::{ActionError, WriteAction, WriteCx};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::assistant_runs::{self, RunRow};

use super::{
    owner,
    stop_run::Stopping,
    thread_name::{ThreadArgs, missing},
};

pub struct StopThread;

impl WriteAction for StopThread {
    type Input = ThreadArgs;
    type Output = Stopping;

    fn spec() -> Spec {
        Spec::program("assistant.stop_thread", Level::Write, Permission::ASSISTANT_USE)
            .describe("Stop the run of a thread that has not ended.")
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &ThreadArgs) -> Result<Stopping, ActionError> {
        let newest = assistant_runs::of_thread(cx.tx, owner(cx.caller), &input.thread, 1).await?;
        if newest.is_empty() {
            return Err(missing(&input.thread));
        }
        let Some(open) = newest.into_iter().find(RunRow::is_open) else { return Ok(Stopping { run: None }) };
        let is_open = assistant_runs::request_stop(cx.tx, open.id, cx.now).await?;
        Ok(Stopping { run: is_open.then_some(open.id) })
    }

    fn describe(input: &ThreadArgs, output: &Stopping) -> String {
        match output.run {
            Some(_) => format!("Stopped the run of thread `{}`", input.thread),
            None => format!("Nothing to stop: nothing runs in thread `{}`", input.thread),
        }
    }
}

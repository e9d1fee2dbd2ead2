//! Stops what runs in a thread.

use toolcrib_engine::prelude::*;
use toolcrib_store::assistant_runs;

use super::{ThreadArgs, newest_run, stop_run::Stopping};
use crate::view::owner;

pub struct StopThread;

impl WriteAction for StopThread {
    type Input = ThreadArgs;
    type Output = Stopping;

    fn spec() -> Spec {
        Spec::program("assistant.stop_thread", Level::Write, Permission::ASSISTANT_USE)
            .describe("Stop the run of a thread that has not ended.")
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &ThreadArgs) -> Result<Stopping, ActionError> {
        let open = newest_run(cx.tx, owner(cx.caller)?, &input.thread).await?;
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

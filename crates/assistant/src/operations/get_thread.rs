//! Reads the messages of a thread, in the shape of the AI SDK's `UIMessage`.

use toolcrib_engine::prelude::*;
use toolcrib_model::RunState;

use super::{ThreadArgs, missing};
use crate::view::{RunView, finish, owner, short};
use crate::{
    message::{Message, stored_parts},
    transcript::{StoredRun, runs_of_thread},
};

/// The most runs that are shown, and about the most bytes of these.
const RUNS: i64 = 50;
const MAX_BYTES: usize = 8 << 20;

pub struct GetThread;

/// A thread with its newest messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Thread {
    /// Name.
    pub thread: String,
    /// Messages, oldest first. While a run is queued or running, the last one is the person's.
    pub messages: Vec<Message>,
    /// Last run; absent if there is none.
    pub last_run: Option<RunView>,
}

impl ReadAction for GetThread {
    type Input = ThreadArgs;
    type Output = Thread;

    fn spec() -> Spec {
        Spec::program("assistant.get_thread", Level::Read, Permission::ASSISTANT_USE)
            .describe("Read the newest messages of a thread of the caller, as front ends show them.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &ThreadArgs) -> Result<Thread, ActionError> {
        let runs = runs_of_thread(cx.tx, owner(cx.caller)?, &input.thread, RUNS, MAX_BYTES).await?;
        let Some(last) = runs.last() else { return Err(missing(&input.thread)) };
        let last_run = RunView { finish: finish(&last.row, &last.steps), ..short(last.row.clone()) };
        let registry = cx.tools.catalog.registry();
        let ids: Vec<Option<String>> = runs.iter().map(|run| run.row.message_id.clone()).collect();
        let mut messages = Vec::new();
        for (at, StoredRun { row: run, steps, .. }) in runs.into_iter().enumerate() {
            // It stands once, before the run of its last sending.
            let is_sent_again = run.message_id.is_some() && ids[at + 1..].contains(&run.message_id);
            if !is_sent_again {
                messages.push(Message::of_person(&run));
            }
            // A run that failed before its first step says why.
            let says_why = run.state == RunState::Failed && !is_sent_again;
            if !run.state.goes_on() && (!steps.is_empty() || says_why) {
                let parts = steps.iter().flat_map(|step| stored_parts(step, registry)).collect();
                let run = RunView { finish: finish(&run, &steps), ..short(run) };
                messages.push(Message::of_assistant(&run, parts));
            }
        }
        Ok(Thread { thread: input.thread.clone(), messages, last_run: Some(last_run) })
    }

    fn describe(input: &ThreadArgs, thread: &Thread) -> String {
        format!("Read {} of thread `{}`", count(thread.messages.len(), "message"), input.thread)
    }
}

//! Marks a thread as read by the caller.

use toolcrib_engine::prelude::*;

use super::message;
use crate::{
    find, permissions, project,
    shared::{Ref, actor},
    tables::{projects::Lock, threads},
};

pub struct MarkThreadRead;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID.
    pub thread: Id,
    /// ID of the last message that was read. Default: the last one of the thread.
    pub up_to: Option<Id>,
}

/// What was read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the thread.
    pub thread: Id,
    /// ID of the last message that was read. An earlier mark that is further on stays.
    pub up_to: Id,
}

impl WriteAction for MarkThreadRead {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::work("game_mark_thread_read")
            .describe("Mark an idea thread as read by you, to the end or up to a message. Also in an archived project.")
            .tags(&["game", "idea", "thread", "read", "unread"])
            .examples(&["Mark the thread as read", "I have read all of it", "Nothing new there, mark it read"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?;
        input.project = Some(project.id.into());
        let thread = find::thread(cx.tx, project.id, input.thread).await?;
        if let Some(up_to) = input.up_to {
            message(cx.tx, project.id, thread.id, up_to).await?;
        }
        let target = project::target("idea thread", thread.name(), &project, None);
        Ok(target.naming("thread", thread.name()))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let project = project::lock_any(cx, input.project.as_ref(), Lock::Add).await?.id;
        let last = match input.up_to {
            Some(up_to) => Some(message(cx.tx, project, input.thread, up_to).await?),
            None => threads::message(cx.tx, project, input.thread, None).await?,
        };
        let last = last.ok_or_else(|| ActionError::not_found("idea thread", &input.thread.to_string()))?;
        threads::mark_read(cx.tx, project, input.thread, actor(cx.caller), last.position()).await?;
        Ok(Output { thread: input.thread, up_to: last.id })
    }

    fn describe(_: &Input, _: &Output) -> String {
        "Marked the idea thread as read".to_owned()
    }
}

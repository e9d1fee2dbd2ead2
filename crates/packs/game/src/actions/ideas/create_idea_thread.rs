//! Begins a thread of ideas.

use toolcrib_engine::prelude::*;

use super::MAX_THREADS;
use crate::{
    permissions, project,
    shared::{Ref, actor, refuse_blank, within},
    tables::{
        projects::{self, Lock},
        threads::{self, MessageRow, ThreadRow},
    },
};

pub struct CreateIdeaThread;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// The first message.
    #[schemars(length(min = 1, max = 10_000), extend("x-raw" = true))]
    pub content: String,
    /// Title.
    pub title: Option<String>,
}

/// A new thread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub thread: ThreadRow,
    /// The first message.
    pub message: MessageRow,
}

impl WriteAction for CreateIdeaThread {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::work("game_create_idea_thread")
            .creates()
            .describe("Begin an idea thread in a game project with a first message, for others to reply to.")
            .tags(&["game", "idea", "thread", "discussion", "new"])
            .examples(&[
                "I have an idea for the game",
                "Start a thread about boss fights",
                "Propose a fishing minigame",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        refuse_blank("/content", &input.content)?;
        let project = project::to_change(cx, &mut input.project).await?;
        Ok(project::target("idea thread", input.title.as_deref().unwrap_or("untitled"), &project, None))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Add).await?.id;
        let hint = "threads stay: post to one of them, with `game_post_idea_message`";
        let threads = projects::counts(cx.tx, project).await?.threads + 1;
        within(threads, MAX_THREADS, "idea threads of a project", hint)?;
        let by = actor(cx.caller);
        let thread = ThreadRow {
            id: cx.new_id(),
            title: input.title.clone(),
            message_count: 1,
            last_message_at: cx.now,
            brainstorm_id: None,
            created_by: by,
            created_at: cx.now,
        };
        let content = input.content.clone();
        let message =
            MessageRow { id: cx.new_id(), parent_id: None, content, created_by: by, created_at: cx.now };
        threads::insert(cx.tx, project, &thread).await?;
        threads::insert_message(cx.tx, project, thread.id, &message).await?;
        threads::mark_read(cx.tx, project, thread.id, by, message.position()).await?;
        Ok(Output { thread, message })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Began idea thread `{}`", output.thread.name())
    }
}

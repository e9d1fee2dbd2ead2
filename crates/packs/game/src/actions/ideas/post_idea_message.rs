//! Adds a message to a thread.

use toolcrib_engine::prelude::*;

use super::{MAX_MESSAGES, message};
use crate::{
    find, permissions, project,
    shared::{Ref, actor, refuse_blank, within},
    tables::{
        projects::Lock,
        threads::{self, MessageRow},
    },
};

pub struct PostIdeaMessage;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID.
    pub thread: Id,
    /// Content.
    #[schemars(length(min = 1, max = 10_000), extend("x-raw" = true))]
    pub content: String,
    /// ID of the message of this thread that it replies to.
    pub parent_message: Option<Id>,
}

impl WriteAction for PostIdeaMessage {
    type Input = Input;
    type Output = MessageRow;

    fn spec() -> Spec {
        permissions::work("game_post_idea_message")
            .creates()
            .describe("Post a message to an idea thread of a game project, or reply to one of its messages.")
            .tags(&["game", "idea", "thread", "reply", "message", "discussion"])
            .examples(&[
                "Reply to that idea",
                "Add to the thread that bosses need phases",
                "Answer in the thread",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        refuse_blank("/content", &input.content)?;
        let project = project::to_change(cx, &mut input.project).await?;
        let thread = find::thread(cx.tx, project.id, input.thread).await?;
        if let Some(parent) = input.parent_message {
            message(cx.tx, project.id, thread.id, parent).await?;
        }
        let target = project::target("idea thread", thread.name(), &project, None);
        Ok(target.naming("thread", thread.name()))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<MessageRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Add).await?.id;
        let thread = find::thread(cx.tx, project, input.thread).await?;
        let row = MessageRow {
            id: cx.new_id(),
            parent_id: input.parent_message,
            content: input.content.clone(),
            created_by: actor(cx.caller),
            created_at: cx.now,
        };
        if !threads::post(cx.tx, project, thread.id, &row, MAX_MESSAGES).await? {
            let hint = "messages stay: go on in a new thread, which `game_create_idea_thread` begins";
            within(MAX_MESSAGES + 1, MAX_MESSAGES, "messages of a thread", hint)?;
        }
        threads::mark_read(cx.tx, project, thread.id, row.created_by, row.position()).await?;
        Ok(row)
    }

    fn describe(_: &Input, _: &MessageRow) -> String {
        "Posted a message to the idea thread".to_owned()
    }
}

//! Stores a brainstorm.

use toolcrib_engine::prelude::*;

use super::{MAX_CONTENT, store};
use crate::{
    permissions, project,
    shared::{Ref, actor, number, refuse_blank},
    tables::{
        brainstorms::{Brainstorm, BrainstormRow, BrainstormSource},
        projects::Lock,
    },
};

pub struct CreateBrainstorm;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Title.
    pub title: String,
    /// Plain text or Markdown, at most 256 KiB.
    #[schemars(length(min = 1, max = 262_144), extend("x-raw" = true))]
    pub content: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// Where it comes from. Default: `manual`.
    pub source: Option<BrainstormSource>,
    /// Tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
}

impl WriteAction for CreateBrainstorm {
    type Input = Input;
    type Output = BrainstormRow;

    fn spec() -> Spec {
        permissions::work("game_create_brainstorm")
            .creates()
            .large_body()
            .describe("Store a brainstorm in a game project. It never changes; systems can be made from it.")
            .tags(&["game", "brainstorm", "ideas", "new", "notes"])
            .examples(&[
                "Save this brainstorm",
                "Store our ideas about crafting",
                "Keep these notes with the game",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        if input.content.len() > MAX_CONTENT {
            return Err(ActionError::invalid("/content", "maxLength", "must be at most 256 KiB of UTF-8"));
        }
        refuse_blank("/content", &input.content)?;
        Ok(project::target("brainstorm", &input.title, &project, None))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<BrainstormRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Add).await?.id;
        let row = BrainstormRow {
            id: cx.new_id(),
            title: input.title.clone(),
            author: input.author.clone(),
            source: input.source.unwrap_or(BrainstormSource::Manual),
            tags: input.tags.clone().unwrap_or_default(),
            bytes: number(input.content.len()),
            created_by: actor(cx.caller),
            created_at: cx.now,
        };
        let brainstorm = Brainstorm { row, content: input.content.clone() };
        store(cx.tx, project, &brainstorm).await?;
        Ok(brainstorm.row)
    }

    fn describe(_: &Input, row: &BrainstormRow) -> String {
        format!("Stored brainstorm `{}`", row.title)
    }
}

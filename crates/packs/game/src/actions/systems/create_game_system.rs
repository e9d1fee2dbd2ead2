//! Creates a system.

use toolcrib_engine::prelude::*;

use super::{announce, check_brainstorm, check_texts, record, within_systems};
use crate::{
    permissions, project,
    shared::{Ref, actor, keep, unless_taken},
    system::{Criticality, SystemStatus, Texts, slug_defect},
    tables::{
        projects::{self, Lock},
        systems::{self, ChangeKind, System, SystemRow},
    },
};

pub struct CreateGameSystem;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Name.
    pub name: String,
    /// Lower-case letters, digits, `-` and `_`; unique in the project and never changed.
    #[schemars(length(min = 1, max = 80))]
    pub slug: String,
    /// How much the first playable version needs it. Default: `important`.
    pub mvp_criticality: Option<Criticality>,
    /// Status. Default: `draft`.
    pub status: Option<SystemStatus>,
    #[serde(flatten)]
    pub texts: Texts,
    /// ID of the brainstorm that it is made from.
    pub from_brainstorm: Option<Id>,
}

impl WriteAction for CreateGameSystem {
    type Input = Input;
    type Output = System;

    fn spec() -> Spec {
        permissions::manage("game_create_game_system")
            .creates()
            .large_body()
            .describe("Create a system of a game. For several at once, or for Markdown, use game_import_system_from_markdown.")
            .tags(&["game", "system", "design", "new"])
            .examples(&["Add a combat system to the game", "Create a system for crafting", "Make a draft of the inventory"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        keep("/name", &mut input.name)?;
        if let Some(defect) = slug_defect(&input.slug) {
            return Err(ActionError::invalid("/slug", "pattern", defect));
        }
        input.texts.drop_blank();
        check_texts(&input.texts)?;
        check_brainstorm(cx.tx, project.id, input.from_brainstorm).await?;
        Ok(project::target("system", &input.name, &project, None))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<System, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        check_brainstorm(cx.tx, project, input.from_brainstorm).await?;
        within_systems(projects::counts(cx.tx, project).await?.systems + 1)?;
        let row = SystemRow {
            id: cx.new_id(),
            name: input.name.clone(),
            slug: input.slug.clone(),
            status: input.status.unwrap_or(SystemStatus::Draft),
            mvp_criticality: input.mvp_criticality.unwrap_or(Criticality::Important),
            brainstorm_id: input.from_brainstorm,
            created_by: actor(cx.caller),
            created_at: cx.now,
            updated_at: cx.now,
            version: 1,
        };
        let system = System { row, texts: input.texts.clone() };
        unless_taken(systems::insert(cx.tx, project, &system).await, || {
            format!("a system with the slug `{}` exists already", input.slug)
        })?;
        record(cx, project, &system.row, ChangeKind::Created, None, vec![]).await?;
        announce(cx, project, &[system.row.id]);
        Ok(system)
    }

    fn describe(_: &Input, system: &System) -> String {
        format!("Created system `{}`", system.row.name)
    }
}

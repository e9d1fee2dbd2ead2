//! Changes a system.

use toolcrib_engine::prelude::*;

use super::{announce, check_brainstorm, check_texts, record};
use crate::{
    find, permissions, project,
    shared::{Ref, keep},
    system::{Criticality, SystemStatus, Texts},
    tables::{
        projects::Lock,
        systems::{self, ChangeKind, System},
    },
};

pub struct UpdateGameSystem;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or slug.
    pub system: Ref,
    /// What changes and why, for the change log.
    #[schemars(length(min = 1, max = 500))]
    pub change_summary: Option<String>,
    /// New name.
    pub name: Option<String>,
    /// How much the first playable version needs it.
    #[schemars(extend("x-plain-words" = true))]
    pub mvp_criticality: Option<Criticality>,
    /// Status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<SystemStatus>,
    #[serde(flatten)]
    pub texts: Texts,
    /// ID of the brainstorm that it is made from.
    pub from_brainstorm: Option<Id>,
}

impl WriteAction for UpdateGameSystem {
    type Input = Input;
    type Output = System;

    fn spec() -> Spec {
        permissions::manage("game_update_game_system")
            .large_body()
            .describe(
                "Change a game system. Only what is given changes; an empty text removes it. The slug stays.",
            )
            .tags(&["game", "system", "design", "edit"])
            .examples(&[
                "Approve the combat system",
                "Rewrite the purpose of crafting",
                "Mark inventory as critical",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let row = find::system(cx.tx, project.id, &input.system).await?;
        input.system = row.id.into();
        if let Some(name) = input.name.as_mut().filter(|name| **name != row.name) {
            keep("/name", name)?;
        }
        check_texts(&input.texts)?;
        check_brainstorm(cx.tx, project.id, input.from_brainstorm).await?;
        Ok(Target {
            id: Some(row.id),
            version: Some(row.version),
            ..project::target("system", &row.name, &project, None)
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<System, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        check_brainstorm(cx.tx, project, input.from_brainstorm).await?;
        let id = find::system(cx.tx, project, &input.system).await?.id;
        let whole = systems::whole(cx.tx, project, &[id]).await?.pop();
        let mut system = whole.ok_or_else(|| ActionError::not_found("system", &input.system.0))?;
        let fields = apply(input, &mut system);
        if fields.is_empty() {
            let message = "changes nothing: give at least one value that differs";
            return Err(ActionError::invalid("", "unchanged", message));
        }
        system.row.updated_at = cx.now;
        systems::update(cx.tx, project, &system).await?;
        record(cx, project, &system.row, ChangeKind::Updated, input.change_summary.clone(), fields).await?;
        announce(cx, project, &[id]);
        Ok(system)
    }

    fn describe(_: &Input, system: &System) -> String {
        format!("Updated system `{}`", system.row.name)
    }
}

/// Sets the given fields whose values differ, and returns their names.
fn apply(input: &Input, system: &mut System) -> Vec<String> {
    let before = system.clone();
    if let Some(name) = &input.name {
        system.row.name.clone_from(name);
    }
    system.row.status = input.status.unwrap_or(system.row.status);
    system.row.mvp_criticality = input.mvp_criticality.unwrap_or(system.row.mvp_criticality);
    system.row.brainstorm_id = input.from_brainstorm.or(system.row.brainstorm_id);
    for (own, given) in system.texts.all_mut().into_iter().zip(input.texts.all()) {
        if let Some(text) = given {
            *own = Some(text.to_owned());
        }
    }
    system.texts.drop_blank();
    let (row, old) = (&system.row, &before.row);
    let own = [
        ("name", row.name != old.name),
        ("status", row.status != old.status),
        ("mvp_criticality", row.mvp_criticality != old.mvp_criticality),
        ("from_brainstorm", row.brainstorm_id != old.brainstorm_id),
    ];
    let texts = system.texts.all().into_iter().zip(before.texts.all()).map(|(new, old)| new != old);
    let texts = Texts::FIELDS.iter().map(|(field, _)| *field).zip(texts);
    own.into_iter().chain(texts).filter(|(_, differs)| *differs).map(|(field, _)| field.to_owned()).collect()
}

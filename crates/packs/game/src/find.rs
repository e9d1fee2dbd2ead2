//! Resolves references inside a project. What belongs to another project is not found.

use toolcrib_engine::prelude::*;
use toolcrib_store::Tx;

use crate::{
    shared::{Ref, not_in_project, with_nearest},
    tables::{
        brainstorms::{self, Brainstorm},
        plans::{self, PlanRow},
        systems::{self, SystemRow},
        threads::{self, ThreadRow},
    },
};

/// Returns the system with this ID or slug.
pub async fn system(tx: &mut Tx, project: Id, reference: &Ref) -> Result<SystemRow, ActionError> {
    let found = match reference.id() {
        Some(id) => systems::get(tx, project, id).await?,
        None => systems::by_slug(tx, project, &reference.0).await?,
    };
    if let Some(row) = found {
        return Ok(row);
    }
    let slugs: Vec<String> = systems::nodes(tx, project).await?.into_iter().map(|node| node.slug).collect();
    Err(with_nearest(not_in_project("system", &reference.0), &reference.0, &slugs, "game_list_game_systems"))
}

/// Returns the plan with this ID or label.
pub async fn plan(tx: &mut Tx, project: Id, reference: &Ref) -> Result<PlanRow, ActionError> {
    let found = match reference.id() {
        Some(id) => plans::get(tx, project, id).await?,
        None => plans::by_label(tx, project, &reference.0).await?,
    };
    if let Some(row) = found {
        return Ok(row);
    }
    let labels = plans::labels(tx, project).await?;
    Err(with_nearest(
        not_in_project("version plan", &reference.0),
        &reference.0,
        &labels,
        "game_list_version_plans",
    ))
}

pub async fn brainstorm(tx: &mut Tx, project: Id, id: Id) -> Result<Brainstorm, ActionError> {
    let found = brainstorms::get(tx, project, id).await?;
    found.ok_or_else(|| {
        not_in_project("brainstorm", &id.to_string()).hint("`game_list_brainstorms` lists them")
    })
}

pub async fn thread(tx: &mut Tx, project: Id, id: Id) -> Result<ThreadRow, ActionError> {
    let found = threads::get(tx, project, id).await?;
    found.ok_or_else(|| {
        not_in_project("idea thread", &id.to_string()).hint("`game_list_idea_threads` lists them")
    })
}

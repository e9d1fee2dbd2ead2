//! What a run of the assistant is told of the games: the project that calls mean, with its systems, or the names of
//! all.

use std::fmt::Write as _;

use futures_util::future::BoxFuture;
use toolcrib_engine::prelude::*;

use crate::{
    project,
    system::Criticality,
    tables::{
        projects::{self, ProjectRow},
        systems::{self, Filter},
    },
};

/// Systems whose names are told.
const SYSTEMS: i64 = 100;
/// Projects whose names are told.
const PROJECTS: usize = 20;

/// Returns the brief; `None` in a workspace without a project.
pub fn brief(mut cx: ReadCx<'_>) -> BoxFuture<'_, Result<Option<String>, ActionError>> {
    Box::pin(async move {
        if let Some(row) = project::usual(&mut cx).await? {
            return of_project(&mut cx, &row).await.map(Some);
        }
        let names = projects::names(cx.tx).await?;
        let shown: Vec<String> = names.iter().take(PROJECTS).map(|name| format!("`{name}`")).collect();
        Ok((!shown.is_empty()).then(|| format!("{}: {}.", count(names.len(), "project"), shown.join(", "))))
    })
}

async fn of_project(cx: &mut ReadCx<'_>, row: &ProjectRow) -> Result<String, ActionError> {
    let counts = projects::counts(cx.tx, row.id).await?;
    let all = systems::list(cx.tx, row.id, &Filter::default(), Cursor::START, SYSTEMS).await?;
    let mut text = format!(
        "project `{}`, {}: {} systems, {} dependencies, {} version plans.",
        row.name, row.status, counts.systems, counts.dependencies, counts.plans
    );
    for criticality in Criticality::ALL {
        let of_it = all.iter().filter(|system| system.mvp_criticality == *criticality);
        let names: Vec<String> = of_it.map(|system| format!("`{}`", system.slug)).collect();
        if !names.is_empty() {
            let _ = write!(text, " {criticality}: {}.", names.join(", "));
        }
    }
    Ok(text)
}

//! Removes a dependency.

use toolcrib_engine::prelude::*;
use toolcrib_store::Tx;

use super::DependencyView;
use crate::{
    actions::systems::{announce, record},
    find, permissions, project,
    shared::{Ref, SOURCE},
    tables::{
        dependencies,
        projects::Lock,
        systems::{ChangeKind, SystemRow},
    },
};

pub struct RemoveDependency;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or slug of the system that depends.
    pub source: Ref,
    /// ID or slug of the system that it depends on.
    pub target: Ref,
}

impl WriteAction for RemoveDependency {
    type Input = Input;
    type Output = DependencyView;

    fn spec() -> Spec {
        permissions::manage("game_remove_dependency")
            .deletes()
            .describe("Remove the dependency of one game system on another, whatever its type.")
            .tags(&["game", "dependency", "graph", "disconnect", "unlink"])
            .examples(&[
                "Combat no longer requires movement",
                "Remove that dependency",
                "Crafting works without inventory now",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let (source, target, _) = ends(cx.tx, project.id, input).await?;
        (input.source, input.target) = (source.id.into(), target.id.into());
        let names = format!("{} → {}", source.name, target.name);
        let card = project::target("dependency", &names, &project, None);
        Ok(card.naming("source", &source.name).naming("target", &target.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DependencyView, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let (source, target, kind) = ends(cx.tx, project, input).await?;
        dependencies::remove(cx.tx, project, source.id, target.id).await?;
        let fields = vec![target.slug.clone()];
        record(cx, project, &source, ChangeKind::DependencyRemoved, None, fields).await?;
        announce(cx, project, &[source.id, target.id]);
        Ok(DependencyView { source: (&source).into(), target: (&target).into(), kind })
    }

    fn describe(_: &Input, output: &DependencyView) -> String {
        format!("`{}` no longer depends on `{}`", output.source.name, output.target.name)
    }
}

/// Returns both systems and the type of the dependency. 404 if there is none.
async fn ends(
    tx: &mut Tx,
    project: Id,
    input: &Input,
) -> Result<(SystemRow, SystemRow, String), ActionError> {
    let source = find::system(tx, project, &input.source).await?;
    let target = find::system(tx, project, &input.target).await?;
    let own = dependencies::targets(tx, project, source.id).await?;
    if let Some(end) = own.iter().find(|end| end.id == target.id) {
        return Ok((source, target, end.kind.to_string()));
    }
    let text = format!("system `{}` does not depend on `{}`", source.name, target.name);
    Err(ActionError::new(ErrorCode::NotFound, text).quoting(SOURCE))
}

//! Adds a dependency between two systems.

use toolcrib_engine::prelude::*;

use super::DependencyView;
use crate::{
    actions::systems::{announce, record},
    find,
    graph::DependencyType,
    permissions, project,
    shared::{Ref, number, unless_taken},
    system::within_dependencies,
    tables::{
        dependencies::{self, DependencyRow},
        projects::Lock,
        systems::ChangeKind,
    },
    view,
};

pub struct AddDependency;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or slug of the system that depends.
    pub source: Ref,
    /// ID or slug of the system that it depends on.
    pub target: Ref,
    /// Type. Default: `requires`.
    #[serde(rename = "type")]
    pub kind: Option<DependencyType>,
}

impl WriteAction for AddDependency {
    type Input = Input;
    type Output = DependencyView;

    fn spec() -> Spec {
        permissions::manage("game_add_dependency")
            .creates()
            .describe("Add a dependency: the source system requires the target, is enhanced by it or can use it. No cycles.")
            .tags(&["game", "dependency", "graph", "connect", "link"])
            .examples(&["Combat requires movement", "Let crafting depend on inventory", "Add a dependency between them"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let source = find::system(cx.tx, project.id, &input.source).await?;
        let target = find::system(cx.tx, project.id, &input.target).await?;
        if source.id == target.id {
            return Err(ActionError::invalid("/target", "self", "must be another system than `source`"));
        }
        (input.source, input.target) = (source.id.into(), target.id.into());
        let names = format!("{} → {}", source.name, target.name);
        let card = project::target("dependency", &names, &project, None);
        Ok(card.naming("source", &source.name).naming("target", &target.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DependencyView, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let source = find::system(cx.tx, project, &input.source).await?;
        let target = find::system(cx.tx, project, &input.target).await?;
        let kind = input.kind.unwrap_or(DependencyType::Requires);
        let graph = dependencies::graph(cx.tx, project).await?;
        within_dependencies(number(graph.edges().len()) + 1)?;
        if let (DependencyType::Requires, Some(from), Some(to)) =
            (kind, graph.position(source.id), graph.position(target.id))
            && let Some(path) = graph.closes_cycle(from, to)
        {
            return Err(view::cycle(&graph, &path));
        }
        let row = DependencyRow { source_id: source.id, target_id: target.id, kind };
        unless_taken(dependencies::insert(cx.tx, project, &[row]).await, || {
            let (source, target) = (&source.name, &target.name);
            format!("system `{source}` depends on `{target}` already; remove that first to change its type")
        })?;
        let fields = vec![target.slug.clone()];
        record(cx, project, &source, ChangeKind::DependencyAdded, None, fields).await?;
        announce(cx, project, &[source.id, target.id]);
        Ok(DependencyView { source: (&source).into(), target: (&target).into(), kind: kind.to_string() })
    }

    fn describe(_: &Input, output: &DependencyView) -> String {
        format!("`{}` now depends on `{}` ({})", output.source.name, output.target.name, output.kind)
    }
}

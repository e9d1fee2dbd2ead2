//! Dependencies between the systems of a project.

mod add_dependency;
mod get_dependency_graph;
mod get_impact_analysis;
mod remove_dependency;

use toolcrib_engine::prelude::*;

use crate::graph::SystemName;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(get_dependency_graph::GetDependencyGraph),
        Action::write(add_dependency::AddDependency),
        Action::write(remove_dependency::RemoveDependency),
        Action::read(get_impact_analysis::GetImpactAnalysis),
    ]
}

/// Two systems and the type of the dependency between them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DependencyView {
    /// The system that depends.
    pub source: SystemName,
    /// The system that it depends on, which comes first.
    pub target: SystemName,
    /// Type: `requires`, `enhances` or `optional`.
    #[serde(rename = "type")]
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
}

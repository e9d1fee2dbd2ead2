//! Checks which systems a version needs.

use toolcrib_engine::prelude::*;

use super::scope::{Checked, ScopeView};
use crate::{inputs::SystemRef, permissions, project, shared::Ref, tables::dependencies};

pub struct ValidateVersionScope;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// IDs or slugs of the systems.
    #[schemars(length(min = 1, max = 2000))]
    #[schemars(with = "Vec<SystemRef>")]
    pub systems: Vec<Ref>,
}

impl ReadAction for ValidateVersionScope {
    type Input = Input;
    type Output = ScopeView;

    fn spec() -> Spec {
        permissions::read("game_validate_version_scope")
            .describe("Check whether some systems make a version: what they lack, warnings, order and phases. Stores nothing.")
            .tags(&["game", "version", "scope", "check", "plan"])
            .examples(&["Can we ship combat alone?", "What does this version lack?", "Check the scope of the demo"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<ScopeView, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let graph = dependencies::graph(cx.tx, project).await?;
        Ok(Checked::of_refs(graph, &input.systems)?.view())
    }

    fn describe(_: &Input, view: &ScopeView) -> String {
        if view.valid {
            format!("The scope is complete, in {}", count(view.phases.len(), "phase"))
        } else {
            format!("The scope lacks {}", count(view.missing.len(), "system"))
        }
    }
}

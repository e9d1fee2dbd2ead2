//! Gets one playbook with its steps and last executions.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    executions::{self, ExecutionRow},
    playbooks,
};

use super::{find, view::PlaybookView};
use crate::shared::refs::Ref;

/// The number of last executions in the output.
const RUNS: i64 = 10;

pub struct GetPlaybook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The playbook with all its steps.
    #[serde(flatten)]
    pub playbook: PlaybookView,
    /// Last ten executions, newest first.
    pub recent_executions: Vec<ExecutionRow>,
}

impl ReadAction for GetPlaybook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_playbook", Category::Playbooks, Permission::PLAYBOOKS_READ)
            .describe("Get one playbook with all its steps, schedule, limits and last runs.")
            .tags(&["playbook", "workflow", "recipe", "details", "steps"])
            .examples(&["Show me the steps of the weekly report playbook"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find::playbook(cx.tx, &input.playbook).await?;
        let steps = playbooks::steps(cx.tx, row.id).await?;
        let runs = executions::recent(cx.tx, row.id, RUNS).await?;
        let playbook = PlaybookView::new(row, steps);
        Ok(Output { playbook, recent_executions: runs })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!(
            "Playbook `{}` with {}",
            output.playbook.playbook.name,
            count(output.playbook.steps.len(), "step")
        )
    }
}

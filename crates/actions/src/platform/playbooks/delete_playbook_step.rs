//! Deletes a step of a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks;

use super::{find, steps, view::PlaybookView};
use crate::shared::refs::Ref;

/// How many characters of the prompt the confirmation shows.
const SHOWN: usize = 120;

pub struct DeletePlaybookStep;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
    /// Index of the step, from 0.
    #[schemars(range(min = 0, max = 49))]
    pub step: i64,
}

impl WriteAction for DeletePlaybookStep {
    type Input = Input;
    type Output = PlaybookView;

    fn spec() -> Spec {
        Spec::write("platform_delete_playbook_step", Category::Playbooks, Permission::PLAYBOOKS_MANAGE)
            .deletes()
            .confirm_simple("The step is deleted permanently, and the steps behind it move up by one.")
            .standing_work()
            .describe("Delete one step of a playbook; the steps behind it move up. A person must approve.")
            .tags(&["playbook", "workflow", "step", "remove"])
            .examples(&["Remove the last step of the weekly report"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (row, mut target) = find::target(cx.tx, &mut input.playbook).await?;
        let all = playbooks::steps(cx.tx, row.id).await?;
        let index = steps::index(&row, input.step, all.len())?;
        target.label = format!("step {} of {}", input.step, target.label);
        target.detail = all.get(index).map(|step| step.prompt.chars().take(SHOWN).collect());
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<PlaybookView, ActionError> {
        let row = find::lock(cx.tx, &input.playbook).await?;
        let mut all = playbooks::steps(cx.tx, row.id).await?;
        let index = steps::index(&row, input.step, all.len())?;
        all.remove(index);
        steps::store(cx, row, all).await
    }

    fn describe(input: &Input, output: &PlaybookView) -> String {
        let left = output.steps.len();
        format!("Deleted step {} of playbook `{}`: {left} left", input.step, output.playbook.name)
    }
}

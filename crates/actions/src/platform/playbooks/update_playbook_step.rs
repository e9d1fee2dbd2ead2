//! Changes or moves a step of a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks::{self, StepRow};

use super::{
    find,
    steps::{self, OnError},
    view::{ChangedPlaybook, PlaybookView},
};
use crate::shared::refs::{self, Ref};

pub struct UpdatePlaybookStep;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
    /// Index of the step, from 0.
    #[schemars(range(min = 0, max = 49))]
    pub step: i64,
    /// Instructions.
    #[schemars(length(min = 1, max = 8000))]
    pub prompt: Option<String>,
    /// ID or exact name of the agent that does the work.
    pub agent: Option<Ref>,
    /// New position of the step, from 0.
    #[schemars(range(min = 0, max = 49))]
    pub position: Option<i64>,
    /// Action on failure.
    #[schemars(extend("x-plain-words" = true))]
    pub on_error: Option<OnError>,
    /// Name of the output for later steps.
    #[schemars(length(min = 1, max = 64))]
    pub output_key: Option<String>,
}

impl WriteAction for UpdatePlaybookStep {
    type Input = Input;
    type Output = ChangedPlaybook;

    fn spec() -> Spec {
        Spec::write("platform_update_playbook_step", Category::Playbooks, Permission::PLAYBOOKS_MANAGE)
            .standing_work()
            .describe(
                "Change one step of a playbook, or move it to another position. Only what is given changes.",
            )
            .tags(&["playbook", "workflow", "step", "edit", "move", "reorder"])
            .examples(&["Move the second step to the front", "Let the Researcher do step 0"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (row, mut target) = find::target(cx.tx, &mut input.playbook).await?;
        steps::index(&row, input.step, playbooks::steps(cx.tx, row.id).await?.len())?;
        target.label = format!("step {} of {}", input.step, target.label);
        if let Some(agent) = &mut input.agent {
            *agent = refs::agent(cx.tx, agent).await?.id.into();
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ChangedPlaybook, ActionError> {
        let row = find::lock(cx.tx, &input.playbook).await?;
        let mut all = playbooks::steps(cx.tx, row.id).await?;
        let index = steps::index(&row, input.step, all.len())?;
        let position = match input.position {
            Some(wanted) => steps::position(wanted, all.len() - 1)?,
            None => index,
        };
        let mut step = all.remove(index);
        let mut changed_fields = apply(cx, input, &mut step).await?;
        if position != index {
            changed_fields.push("position");
        }
        all.insert(position, step);
        let changed = !changed_fields.is_empty();
        let playbook = if changed { steps::store(cx, row, all).await? } else { PlaybookView::new(row, all) };
        Ok(ChangedPlaybook { playbook, changed, changed_fields })
    }

    fn describe(input: &Input, output: &ChangedPlaybook) -> String {
        let (step, name) = (input.step, &output.playbook.playbook.name);
        if output.changed {
            format!("Updated step {step} of playbook `{name}`: {}", output.changed_fields.join(", "))
        } else {
            format!("Nothing to change: step {step} of playbook `{name}` already has these values")
        }
    }
}

/// Sets the given fields whose values differ, and returns their names.
async fn apply(
    cx: &mut WriteCx<'_>,
    input: &Input,
    step: &mut StepRow,
) -> Result<Vec<&'static str>, ActionError> {
    let before = step.clone();
    if let Some(prompt) = &input.prompt {
        step.prompt.clone_from(prompt);
    }
    if let Some(reference) = &input.agent {
        let agent = refs::agent(cx.tx, reference).await?;
        (step.agent_id, step.agent_name) = (Some(agent.id), Some(agent.name));
    }
    if let Some(on_error) = input.on_error {
        on_error.as_str().clone_into(&mut step.on_error);
    }
    if input.output_key.is_some() {
        step.output_key.clone_from(&input.output_key);
    }
    let fields = [
        ("prompt", step.prompt != before.prompt),
        ("agent", step.agent_id != before.agent_id),
        ("on_error", step.on_error != before.on_error),
        ("output_key", step.output_key != before.output_key),
    ];
    Ok(fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect())
}

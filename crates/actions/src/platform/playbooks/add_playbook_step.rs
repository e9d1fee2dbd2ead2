//! Adds a step to a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks;

use super::{
    find,
    steps::{self, MAX_STEPS, OnError},
    view::PlaybookView,
};
use crate::shared::refs::{self, Ref};

pub struct AddPlaybookStep;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
    /// Instructions.
    #[schemars(length(min = 1, max = 8000))]
    pub prompt: String,
    /// ID or exact name of the agent that does the work.
    pub agent: Option<Ref>,
    /// Position of the new step, from 0. Default: the end.
    #[schemars(range(min = 0, max = 49))]
    pub position: Option<i64>,
    /// Action on failure. Default: `stop`.
    pub on_error: Option<OnError>,
    /// Name of the output for later steps.
    #[schemars(length(min = 1, max = 64))]
    pub output_key: Option<String>,
}

impl WriteAction for AddPlaybookStep {
    type Input = Input;
    type Output = PlaybookView;

    fn spec() -> Spec {
        Spec::write("platform_add_playbook_step", Category::Playbooks, Permission::PLAYBOOKS_MANAGE)
            .creates()
            .standing_work()
            .describe(
                "Add a step to a playbook, at the end or at a position; the steps behind it move on by one.",
            )
            .tags(&["playbook", "workflow", "step", "add", "insert"])
            .examples(&["Add a step that mails the summary"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let target = find::target(cx.tx, &mut input.playbook).await?.1;
        if let Some(agent) = &mut input.agent {
            *agent = refs::agent(cx.tx, agent).await?.id.into();
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<PlaybookView, ActionError> {
        let row = find::lock(cx.tx, &input.playbook).await?;
        let mut all = playbooks::steps(cx.tx, row.id).await?;
        if all.len() >= MAX_STEPS {
            return Err(ActionError::conflict(format!(
                "playbook `{}` has {MAX_STEPS} steps, the most it can",
                row.name
            ))
            .quoting("playbooks")
            .hint("remove one with `platform_delete_playbook_step`, or split the playbook"));
        }
        let position = match input.position {
            Some(wanted) => steps::position(wanted, all.len())?,
            None => all.len(),
        };
        let key = input.output_key.as_deref();
        let step = steps::row(cx.tx, input.agent.as_ref(), &input.prompt, input.on_error, key).await?;
        all.insert(position, step);
        steps::store(cx, row, all).await
    }

    fn describe(_: &Input, output: &PlaybookView) -> String {
        format!("Added a step to playbook `{}`: it has {} now", output.playbook.name, output.steps.len())
    }
}

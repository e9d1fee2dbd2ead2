//! Ask for a playbook to be run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::{
    executions::{self, ExecutionRow},
    playbooks::{self, PlaybookRow, StepRow},
};

use super::{find, view::ExecutionView};
use crate::shared::refs::Ref;

/// A workspace may have this many executions that have not ended.
const MOST_OPEN: i64 = 10;
/// The longest input, as JSON.
const MOST_BYTES: usize = 64 * 1024;

/// The action.
pub struct ExecutePlaybook;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id or exact name.
    pub playbook: Ref,
    /// What the steps are given; at most 64 KiB.
    #[schemars(extend("maxProperties" = 100, "x-free" = true))]
    pub input: Option<Map<String, Value>>,
}

impl WriteAction for ExecutePlaybook {
    const SPEC: Spec = Spec::write(
        "platform_execute_playbook",
        Category::Playbooks,
        Permission::PLAYBOOKS_USE,
    )
    .describe(
        "Queue a run of a playbook and return its execution. Follow it with platform_get_playbook_execution.",
    )
    .tags(&["playbook", "workflow", "run", "start", "execute"])
    .examples(&["Run the weekly report", "Start the onboarding workflow for the new customer"]);
    type Input = Input;
    type Output = ExecutionView;

    async fn resolve(cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        text(input)?;
        let (row, target) = find::target(cx.tx, &mut input.playbook).await?;
        runnable(&row, &playbooks::steps(cx.tx, row.id).await?)?;
        Ok(target)
    }

    async fn run(cx: &mut WriteCx<'_>, input: &Input) -> Result<ExecutionView, ActionError> {
        let playbook = find::playbook(cx.tx, &input.playbook).await?;
        let steps = playbooks::steps(cx.tx, playbook.id).await?;
        runnable(&playbook, &steps)?;
        if executions::count_open(cx.tx).await? >= MOST_OPEN {
            return Err(ActionError::conflict(format!(
                "{MOST_OPEN} executions are open in this workspace, the most it can have"
            ))
            .hint("wait until one of them ends"));
        }
        let row = ExecutionRow {
            id: cx.new_id(),
            playbook_id: Some(playbook.id),
            playbook_name: Some(playbook.name.clone()),
            agent_id: None,
            status: "queued".to_owned(),
            input: text(input)?,
            output: None,
            error: None,
            requested_by_kind: Some(cx.caller.principal.kind().to_owned()),
            requested_by: Some(cx.caller.principal.id()),
            created_at: cx.now,
            started_at: None,
            finished_at: None,
        };
        executions::insert(cx.tx, &row).await?;
        cx.emit(
            "playbook.execution_requested",
            "playbooks:read",
            json!({ "execution_id": row.id, "playbook_id": playbook.id, "name": playbook.name,
                "steps": steps.len(), "max_retries": playbook.max_retries,
                "step_timeout_s": playbook.step_timeout_s }),
        );
        Ok(row.into())
    }

    fn describe(_: &Input, output: &ExecutionView) -> String {
        format!("Queued a run of playbook `{}`", output.playbook_name.as_deref().unwrap_or_default())
    }
}

/// The input as it is stored; 422 where it is too long.
fn text(input: &Input) -> Result<Option<String>, ActionError> {
    let text = input.input.as_ref().map(|input| json!(input).to_string());
    match text {
        Some(text) if text.len() > MOST_BYTES => {
            Err(ActionError::invalid("/input", "maxLength", "must be at most 64 KiB of JSON"))
        }
        text => Ok(text),
    }
}

/// 409 unless it can be run.
fn runnable(playbook: &PlaybookRow, steps: &[StepRow]) -> Result<(), ActionError> {
    let name = &playbook.name;
    if playbook.status != "active" {
        return Err(ActionError::conflict(format!("playbook `{name}` is inactive"))
            .hint("set its status to active with `platform_update_playbook`"));
    }
    if steps.is_empty() {
        return Err(ActionError::conflict(format!("playbook `{name}` has no steps"))
            .hint("add one with `platform_add_playbook_step`"));
    }
    match steps.iter().position(|step| step.agent_id.is_some() && step.agent_name.is_none()) {
        Some(step) => {
            Err(ActionError::conflict(format!("the agent of step {step} of playbook `{name}` is gone"))
                .hint("name another one with `platform_update_playbook_step`"))
        }
        None => Ok(()),
    }
}

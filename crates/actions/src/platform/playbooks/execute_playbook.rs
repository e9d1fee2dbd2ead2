//! Queues an execution of a playbook.

use serde_json::{Map, Value};
use toolcrib_assistant::background;
use toolcrib_engine::prelude::*;
use toolcrib_model::WorkRunner;
use toolcrib_store::{
    executions::{self, ExecutionRow},
    playbooks,
};

use super::{find, queue};
use crate::shared::refs::Ref;

/// The maximum size of the input as JSON, in bytes.
const MAX_INPUT_BYTES: usize = 64 * 1024;

pub struct ExecutePlaybook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
    /// Input for the steps, at most 64 KiB of JSON.
    #[schemars(extend("maxProperties" = 100, "x-free" = true))]
    pub input: Option<Map<String, Value>>,
}

impl WriteAction for ExecutePlaybook {
    type Input = Input;
    type Output = ExecutionRow;

    fn spec() -> Spec {
        Spec::write("platform_execute_playbook", Category::Playbooks, Permission::PLAYBOOKS_USE).creates()
            .standing_work()
            .describe(
                "Queue a run of a playbook and return its execution. Follow it with platform_get_playbook_execution.",
            )
            .tags(&["playbook", "workflow", "run", "start", "execute"])
            .examples(&["Run the weekly report", "Start the onboarding workflow for the new customer"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_size(input)?;
        let (row, target) = find::target(cx.tx, &mut input.playbook).await?;
        let steps = playbooks::steps(cx.tx, row.id).await?;
        queue::obstacle(&row, &steps).map_or(Ok(()), Err)?;
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ExecutionRow, ActionError> {
        let playbook = find::playbook(cx.tx, &input.playbook).await?;
        let steps = playbooks::steps(cx.tx, playbook.id).await?;
        queue::obstacle(&playbook, &steps).map_or(Ok(()), Err)?;
        queue::full(executions::count_open(cx.tx).await?).map_or(Ok(()), Err)?;
        check_size(input)?;
        let by = cx.caller.principal;
        let mut row = ExecutionRow {
            caller: Some(cx.stored_caller().as_str().to_owned()),
            requested_by_kind: Some(by.kind().as_str().to_owned()),
            requested_by: Some(by.id()),
            ..queue::row(cx.new_id(), &playbook, input.input.clone(), cx.now)
        };
        executions::insert(cx.tx, &row).await?;
        let mut data = queue::requested(&row, &playbook, steps.len());
        let is_internal = cx.policy.runner == WorkRunner::Internal;
        if is_internal {
            background::mark(&mut data);
        }
        cx.emit("playbook.execution_requested", "playbooks:read", data);
        if is_internal {
            let stamp = cx.stamp();
            background::playbook::begin(cx.tx, stamp, &mut row).await?;
        }
        Ok(row)
    }

    fn describe(_: &Input, output: &ExecutionRow) -> String {
        format!("Queued a run of playbook `{}`", output.playbook_name.as_deref().unwrap_or_default())
    }
}

/// Returns 422 if the input is too long as JSON text.
fn check_size(input: &Input) -> Result<(), ActionError> {
    if input.input.as_ref().is_some_and(|input| json!(input).to_string().len() > MAX_INPUT_BYTES) {
        return Err(ActionError::invalid("/input", "maxLength", "must be at most 64 KiB of JSON"));
    }
    Ok(())
}

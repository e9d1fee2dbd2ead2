//! The enum of a step, and functions that all changes of steps share.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    playbooks::{self, PlaybookRow, StepRow},
};

use super::{find, view::PlaybookView};
use crate::shared::refs::{self, Ref};

/// The maximum number of steps of a playbook.
pub const MAX_STEPS: usize = 50;

toolcrib_model::closed_set! {
    "an on error",
    /// Action when a step fails.
    #[derive(Default)]
    OnError {
        /// End the execution as failed.
        #[default]
        Stop = "stop",
        /// Continue with the next step.
        Skip = "skip",
        /// Retry, up to the limit of the playbook.
        Retry = "retry",
    }
}

/// Returns a step as a row, with its agent resolved.
pub async fn row(
    tx: &mut Tx,
    agent: Option<&Ref>,
    prompt: &str,
    on_error: Option<OnError>,
    output_key: Option<&str>,
) -> Result<StepRow, ActionError> {
    let agent = refs::optional_agent(tx, agent).await?;
    Ok(StepRow {
        prompt: prompt.to_owned(),
        agent_id: agent.as_ref().map(|agent| agent.id),
        agent_name: agent.map(|agent| agent.name),
        on_error: on_error.unwrap_or_default().as_str().to_owned(),
        output_key: output_key.map(str::to_owned),
    })
}

/// Returns the index of a step. 404 with the valid range if the step does not exist.
pub fn index(row: &PlaybookRow, step: i64, count: usize) -> Result<usize, ActionError> {
    match usize::try_from(step) {
        Ok(index) if index < count => Ok(index),
        _ => Err(ActionError::new(
            ErrorCode::NotFound,
            format!("playbook `{}` has no step {step}; {}", row.name, range(count)),
        )
        .quoting("playbooks")
        .hint("steps count from 0; `platform_get_playbook` shows them")),
    }
}

fn range(count: usize) -> String {
    match count {
        0 => "it has no steps".to_owned(),
        1 => "it has only step 0".to_owned(),
        more => format!("it has steps 0 to {}", more - 1),
    }
}

/// Returns the position of a step. 422 unless it is from 0 to `last`.
pub fn position(wanted: i64, last: usize) -> Result<usize, ActionError> {
    usize::try_from(wanted).ok().filter(|position| *position <= last).ok_or_else(|| {
        ActionError::invalid(
            "/position",
            "maximum",
            format!("must be at most {last}: positions have no gaps"),
        )
    })
}

/// Replaces the steps of a playbook and increments its version.
pub async fn store(
    cx: &mut WriteCx<'_>,
    mut row: PlaybookRow,
    steps: Vec<StepRow>,
) -> Result<PlaybookView, ActionError> {
    find::store(cx, &mut row).await?;
    playbooks::replace_steps(cx.tx, row.id, &steps).await?;
    cx.emit(
        "playbook.updated",
        "playbooks:read",
        json!({ "id": row.id, "name": row.name, "changed": ["steps"] }),
    );
    Ok(PlaybookView::new(row, steps))
}

//! Gets one execution, or the recent ones of a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_store::executions::{self, ExecutionRow, ExecutionStepRow};

use super::find;
use crate::shared::refs::Ref;

/// The number of recent executions in the output.
const RECENT: i64 = 20;

pub struct GetPlaybookExecution;

/// Arguments: exactly one of the two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One execution.
    pub execution_id: Option<Id>,
    /// The recent ones of this playbook: id or exact name.
    pub playbook: Option<Ref>,
}

/// Result.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The execution that was asked for.
    #[serde(flatten)]
    pub execution: Option<ExecutionRow>,
    /// Steps of the execution, in order; absent if `playbook` was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<ExecutionStepRow>>,
    /// The playbook's last 20 executions, newest first; absent where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<ExecutionRow>>,
}

impl ReadAction for GetPlaybookExecution {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_playbook_execution", Category::Playbooks, Permission::PLAYBOOKS_READ)
            .describe(
                "Get one execution with its steps, or a playbook's recent executions. Give one of the two.",
            )
            .tags(&["playbook", "workflow", "execution", "run", "status", "progress"])
            .examples(&["Is the weekly report done?", "How did the last runs of the onboarding go?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        match (input.execution_id, &input.playbook) {
            (None, None) => {
                let message = "`execution_id` or `playbook` is required";
                Err(ActionError::invalid("/execution_id", "required", message))
            }
            (None, Some(reference)) => {
                let playbook = find::playbook(cx.tx, reference).await?;
                let items = executions::recent(cx.tx, playbook.id, RECENT).await?;
                Ok(Output { items: Some(items), ..Output::default() })
            }
            (Some(id), playbook) => {
                let row = one(cx, id, playbook.as_ref()).await?;
                let steps = executions::steps(cx.tx, row.id).await?;
                Ok(Output { execution: Some(row), steps: Some(steps), items: None })
            }
        }
    }

    fn describe(_: &Input, output: &Output) -> String {
        match &output.execution {
            Some(one) => {
                format!(
                    "Execution of playbook `{}` is {}",
                    one.playbook_name.as_deref().unwrap_or("-"),
                    one.status
                )
            }
            None => format!("Found {}", count(output.items.as_ref().map_or(0, Vec::len), "execution")),
        }
    }
}

/// Returns the execution. If `playbook` is given, the execution must belong to it.
async fn one(cx: &mut ReadCx<'_>, id: Id, playbook: Option<&Ref>) -> Result<ExecutionRow, ActionError> {
    let playbook = match playbook {
        Some(reference) => Some(find::playbook(cx.tx, reference).await?.id),
        None => None,
    };
    let row = executions::get(cx.tx, id).await?;
    row.filter(|row| playbook.is_none() || row.playbook_id == playbook).ok_or_else(|| {
        ActionError::not_found("execution", &id.to_string())
            .hint("to list the recent executions of a playbook, pass only `playbook`")
    })
}

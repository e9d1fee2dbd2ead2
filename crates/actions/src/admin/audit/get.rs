//! Gets one row of the audit log.

use toolcrib_engine::prelude::*;
use toolcrib_model::Outcome;
use toolcrib_store::audit;

use super::{steps, view::AuditView};

pub struct GetAudit;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The `call_id` of an answer.
    pub call_id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// The call's row.
    #[serde(flatten)]
    pub row: AuditView,
    /// If the call's outcome is `started`: the rows of kind `outcome` that tell how it ended, oldest first. There are
    /// two if the end was unknown at first and was reported late.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<AuditView>,
}

impl ReadAction for GetAudit {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("audit.get", Level::Read, Permission::AUDIT_READ)
            .deleted_workspaces()
            .describe("Get the audit log's row of one call, by the `call_id` of its answer, with its later outcome if the call \
                 ran elsewhere.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = audit::get(cx.tx, input.call_id).await?;
        let row = row.ok_or_else(|| ActionError::not_found("call", &input.call_id.to_string()))?;
        let started = row.outcome == Outcome::Started.as_str();
        let outcomes = if started { audit::outcomes(cx.tx, row.id).await? } else { Vec::new() };
        let outcomes = AuditView::of_all(cx.tx, outcomes).await?;
        let row = steps::with_steps(cx.tx, vec![row]).await?.remove(0);
        Ok(Output { row, outcomes })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found the call of `{}`", output.row.row.action)
    }
}

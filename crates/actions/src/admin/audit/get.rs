//! Gets one row of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::audit::{self, AuditEntry};

/// `audit.get`.
pub struct GetAudit;

/// Arguments of the operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The `call_id` of an answer.
    pub call_id: Id,
}

impl ReadAction for GetAudit {
    type Input = Input;
    type Output = AuditEntry;

    fn spec() -> Spec {
        Spec::program("audit.get", Level::Read, Permission::AUDIT_READ)
            .deleted_workspaces()
            .describe("Get the audit log's row of one call, by the `call_id` of its answer.")
    }

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<AuditEntry, ActionError> {
        let row = audit::get(cx.tx, input.call_id).await?;
        row.ok_or_else(|| ActionError::not_found("call", &input.call_id.to_string()))
    }

    fn describe(_: &Input, row: &AuditEntry) -> String {
        format!("Found the call of `{}`", row.action)
    }
}

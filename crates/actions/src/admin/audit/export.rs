//! Begins an export of the audit log.

use toolcrib_engine::{chain::ExportRange, prelude::*};

/// `audit.export`. Its route answers with the rows of the range.
pub struct ExportAudit;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only rows with a greater number in the chain, such as the last `seq` of an earlier export. Default: all rows.
    #[schemars(range(min = 0))]
    pub after_seq: Option<i64>,
    /// Start of the period, inclusive.
    pub from: Option<Ts>,
    /// End of the period, exclusive.
    pub to: Option<Ts>,
}

impl ReadAction for ExportAudit {
    type Input = Input;
    type Output = ExportRange;

    fn spec() -> Spec {
        Spec::program("audit.export", Level::Read, Permission::AUDIT_READ).deleted_workspaces().describe(
            "Export the workspace's audit log as lines of JSON: the sealed rows in the order of the chain, then the \
             checkpoints. The lines can be verified without the service.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<ExportRange, ActionError> {
        let after = input.after_seq.unwrap_or_default();
        Ok(ExportRange::read(cx.tx, after, input.from, input.to).await?)
    }

    fn describe(_: &Input, range: &ExportRange) -> String {
        format!("Exported the audit log after place {} up to place {}", range.after_seq, range.until_seq)
    }
}

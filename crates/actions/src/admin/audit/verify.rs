//! Verifies the hash chain of the audit log.

use toolcrib_engine::{
    chain::{Verification, VerifyRequest, verify},
    prelude::*,
};

pub struct VerifyAudit;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Verify only rows with a greater number in the chain. Default: all rows. 100,000 rows take a few seconds.
    #[schemars(range(min = 0))]
    pub after_seq: Option<i64>,
}

impl ReadAction for VerifyAudit {
    type Input = Input;
    type Output = Verification;

    fn spec() -> Spec {
        Spec::program("audit.verify", Level::Read, Permission::AUDIT_READ)
            .deleted_workspaces()
            .describe(
                "Verify that no row of the workspace's audit log was changed, removed, inserted, reordered or \
                 truncated.",
            )
            .timeout_seconds(60)
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Verification, ActionError> {
        let after = input.after_seq.unwrap_or_default();
        let question =
            VerifyRequest { now: cx.now, after, ..VerifyRequest::of(&cx.tools.catalog.rules().audit_keys) };
        Ok(verify(cx.tx, &question).await?)
    }

    fn describe(_: &Input, found: &Verification) -> String {
        let told = if found.ok { "is intact" } else { "is broken" };
        format!("The chain over {} of the audit log {told}", count(found.sealed, "row"))
    }
}

//! Reads a run.

use std::sync::Arc;

use toolcrib_access::Caller;
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, assistant_runs};

use crate::Providers;
use crate::view::{ApproveUrls, RunView, owner, short, view};

pub struct GetRun(pub Arc<Providers>);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the run.
    pub id: Id,
    /// Seconds to wait for the end of the run.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

impl ReadAction for GetRun {
    type Input = Input;
    type Output = RunView;

    fn spec() -> Spec {
        Spec::program("assistant.get_run", Level::Read, Permission::ASSISTANT_USE).describe(
            "Read a run of the caller, or with `audit:read` that of somebody else, without texts. With `wait`, the response \
             comes when the run has ended or waits for a person.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<RunView, ActionError> {
        let urls = ApproveUrls::new(&self.0, cx.policy);
        run_of(cx.tx, cx.caller, input.id, urls).await
    }

    fn describe(_: &Input, run: &RunView) -> String {
        format!("Read a run that is {}", run.state)
    }
}

/// Returns a run of the caller, or with `audit:read` another one without texts. Otherwise 404.
pub async fn run_of(
    tx: &mut Tx,
    caller: &Caller,
    id: Id,
    urls: ApproveUrls<'_>,
) -> Result<RunView, ActionError> {
    let owner = owner(caller)?;
    match assistant_runs::get(tx, id).await? {
        Some(row) if row.owner_id == owner => view(tx, row, urls).await,
        Some(row) if caller.holds(&Permission::AUDIT_READ) => Ok(short(row)),
        _ => Err(ActionError::not_found("run", &id.to_string())),
    }
}

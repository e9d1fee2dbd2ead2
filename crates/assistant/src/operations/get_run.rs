//! Reads a run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{Tx, assistant_runs};

use crate::Providers;
use crate::view::{ApproveUrls, RunView, owner, view};

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
            "Read a run of the caller. With `wait`, the response comes when the run has ended or waits for a person.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<RunView, ActionError> {
        let urls = ApproveUrls::new(&self.0, cx.policy);
        run_of(cx.tx, owner(cx.caller)?, input.id, urls).await
    }

    fn describe(_: &Input, run: &RunView) -> String {
        format!("Read a run that is {}", run.state)
    }
}

/// Returns a run of this person. 404 for another person's.
pub async fn run_of(tx: &mut Tx, owner: Id, id: Id, urls: ApproveUrls<'_>) -> Result<RunView, ActionError> {
    let row = assistant_runs::get(tx, id).await?.filter(|row| row.owner_id == owner);
    let row = row.ok_or_else(|| ActionError::not_found("run", &id.to_string()))?;
    view(tx, row, urls).await
}

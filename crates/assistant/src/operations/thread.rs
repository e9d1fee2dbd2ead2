//! A thread by its name.

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, assistant_runs::RunRow};

use crate::transcript;

/// Name of a thread, which the client chooses, or that of a background run, which has a colon. Threads of different people have nothing to do with each other.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadArgs {
    /// Name of the thread.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[A-Za-z0-9_:-]{1,64}$"))]
    pub thread: String,
}

/// Returns the 404 error of a thread without runs of the caller.
pub fn missing(thread: &str) -> ActionError {
    ActionError::not_found("thread", thread)
}

/// Returns the newest run of a thread. 404 for a thread without runs of the caller.
pub async fn newest_run(tx: &mut Tx, owner: Id, thread: &str) -> Result<RunRow, ActionError> {
    transcript::newest_run(tx, owner, thread).await?.ok_or_else(|| missing(thread))
}

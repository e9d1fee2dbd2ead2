//! The operations on runs and threads. They only store what is wanted, and read what became of it.

mod delete_thread;
mod get_run;
mod get_thread;
mod list_models;
mod list_runs;
mod list_threads;
mod start_run;
mod stop_run;
mod stop_thread;

use std::sync::Arc;

use toolcrib_auth::Authenticated;
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, assistant_runs::RunRow};

use crate::{Assistant, Providers, RunView, transcript, view::ApproveUrls};

/// Returns the operations, in order.
pub fn operations(providers: &Arc<Providers>) -> Vec<Action> {
    vec![
        Action::read(list_models::ListModels(providers.clone())),
        Action::paged(list_threads::ListThreads),
        Action::read(get_thread::GetThread),
        Action::write(delete_thread::DeleteThread),
        Action::write(stop_thread::StopThread),
        Action::write(start_run::StartRun(providers.clone())),
        Action::paged(list_runs::ListRuns),
        Action::read(get_run::GetRun(providers.clone())),
        Action::write(stop_run::StopRun),
    ]
}

/// Name of a thread, which the client chooses, or that of a background run, which has a colon. Threads of different people have nothing to do with each other.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadArgs {
    /// Name of the thread.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[A-Za-z0-9_:-]{1,64}$"))]
    pub thread: String,
}

/// Returns the 404 error of a thread without runs of the caller.
fn missing(thread: &str) -> ActionError {
    ActionError::not_found("thread", thread)
}

/// Returns the newest run of a thread. 404 for a thread without runs of the caller.
async fn newest_run(tx: &mut Tx, owner: Id, thread: &str) -> Result<RunRow, ActionError> {
    transcript::newest_run(tx, owner, thread).await?.ok_or_else(|| missing(thread))
}

impl Assistant {
    /// Returns a run of the caller as it is now. For requests that wait: it has no audit row.
    pub async fn run(&self, authenticated: &Authenticated, id: Id) -> Result<RunView, ActionError> {
        let (caller, policy) = self.engine.admit(authenticated).await?;
        let urls = ApproveUrls::new(&self.providers, &policy);
        let mut tx = self.db.read(caller.workspace).await?;
        let found = get_run::run_of(&mut tx, &caller, id, urls).await;
        tx.end().await?;
        found
    }
}

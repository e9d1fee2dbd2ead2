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
mod thread;

use std::sync::Arc;

use toolcrib_auth::Authenticated;
use toolcrib_engine::{Action, ActionError};
use toolcrib_model::Id;

use crate::{Assistant, Providers, RunView, view::ApproveUrls};

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

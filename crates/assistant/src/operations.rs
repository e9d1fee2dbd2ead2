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
mod thread_name;
mod view;

use std::sync::Arc;

use toolcrib_access::Caller;
use toolcrib_engine::Action;
use toolcrib_model::Id;

use crate::Providers;

pub use view::RunView;

/// Returns the operations, in order.
pub fn operations(providers: &Arc<Providers>) -> Vec<Action> {
    vec![
        Action::read(list_models::ListModels(providers.clone())),
        Action::read(list_threads::ListThreads),
        Action::read(get_thread::GetThread(providers.clone())),
        Action::write(delete_thread::DeleteThread),
        Action::write(stop_thread::StopThread),
        Action::write(start_run::StartRun(providers.clone())),
        Action::read(list_runs::ListRuns),
        Action::read(get_run::GetRun(providers.clone())),
        Action::write(stop_run::StopRun),
    ]
}

/// Returns whose threads a caller has: those of the person it acts for, or those of a key that acts for none.
fn owner(caller: &Caller) -> Id {
    caller.principal.user().unwrap_or_else(|| caller.principal.id())
}

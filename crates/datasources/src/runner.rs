//! Who asks when: no workspace's questions wait for all of another's, and what is computed here leaves processors free.
//!
//! Two walls. Of each workspace few questions are under way at once. And those that compute in this process, which are
//! SQLite's, take turns: after each slice of time the next workspace's question goes on.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use toolcrib_model::Id;

use super::{
    DatasourceError, DatasourceUrl, QueryLimits, Select, Table, postgres,
    slices::{Slice, Slices, StopOnDrop},
    sqlite,
};

/// Questions of one workspace that are under way at once.
const AT_ONCE_OF_ONE: usize = 4;
/// The same of all. Who waits for one of these has one of its workspace's, so that they go round.
const AT_ONCE: usize = 64;

/// Asks questions, fairly. One a process.
pub struct QueryRunner {
    of_one: Mutex<HashMap<Id, Arc<Semaphore>>>,
    all: Arc<Semaphore>,
    slices: Arc<Slices>,
}

impl Default for QueryRunner {
    /// Computes on half of the processors, at least one.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with_slots((processors / 2).max(1))
    }
}

impl QueryRunner {
    fn with_slots(slots: usize) -> Self {
        let all = Arc::new(Semaphore::new(AT_ONCE));
        Self { of_one: Mutex::default(), all, slices: Arc::new(Slices::new(slots)) }
    }

    /// Checks a question and asks a database, when it is this workspace's turn: a check computes as well.
    pub async fn ask(
        &self,
        workspace: Id,
        source: &DatasourceUrl,
        text: &str,
        bounds: QueryLimits,
    ) -> Result<Table, DatasourceError> {
        let _turn = self.turn(workspace).await?;
        let stop = Arc::new(AtomicBool::new(false));
        // Where nobody waits any more, it is not begun.
        let _stop = StopOnDrop::new(&stop);
        let slices = Arc::clone(&self.slices);
        let begin = move || Some(Slice::begin(slices, workspace, stop));
        let select = Select::check_in(source.kind(), text, begin).await?;
        self.run(workspace, source, &select, bounds).await
    }

    async fn run(
        &self,
        workspace: Id,
        source: &DatasourceUrl,
        select: &Select,
        bounds: QueryLimits,
    ) -> Result<Table, DatasourceError> {
        match source {
            DatasourceUrl::Postgres(options) => postgres::query(options, select.sql(), bounds).await,
            DatasourceUrl::Sqlite(path) => {
                let slices = Arc::clone(&self.slices);
                sqlite::query(path, select.sql(), bounds, move |stop| Slice::begin(slices, workspace, stop))
                    .await
            }
        }
    }

    async fn turn(&self, workspace: Id) -> Result<[OwnedSemaphorePermit; 2], DatasourceError> {
        let of_one = {
            let mut known = self.of_one.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody holds or waits for those that only the map knows.
            known.retain(|_, turns| Arc::strong_count(turns) > 1);
            Arc::clone(known.entry(workspace).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_OF_ONE))))
        };
        let closed = |fault: tokio::sync::AcquireError| DatasourceError::Unreachable(fault.to_string());
        let own = of_one.acquire_owned().await.map_err(closed)?;
        let any = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
        Ok([own, any])
    }
}

#[cfg(test)]
mod tests;

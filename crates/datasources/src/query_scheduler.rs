//! Schedules queries, so that no workspace waits for all queries of another and other work has free
//! processors.
//!
//! Limits the concurrent queries of each workspace. In addition, the checks and the SQLite queries, which
//! compute in this process, take turns: after each time slice the query that has waited longest continues.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use toolcrib_model::Id;

use super::{CheckedSelect, DatasourceError, DatasourceUrl, QueryLimits, Table, postgres, sqlite};

/// The maximum number of concurrent queries of one workspace.
const MAX_PER_WORKSPACE: usize = 4;
/// The maximum number of concurrent queries. A query waits for this limit only with a permit of its
/// workspace, so that every workspace gets its turn.
const MAX_CONCURRENT: usize = 64;

/// Runs queries and is fair to workspaces. One per process.
pub struct QueryScheduler {
    per_workspace: Mutex<HashMap<Id, Arc<Semaphore>>>,
    all: Arc<Semaphore>,
    /// The permits to compute in this process.
    slots: Arc<Semaphore>,
}

impl Default for QueryScheduler {
    /// Creates a scheduler that computes on half of the processors, at least on one.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with_slots((processors / 2).max(1))
    }
}

impl QueryScheduler {
    fn with_slots(slots: usize) -> Self {
        let all = Arc::new(Semaphore::new(MAX_CONCURRENT));
        Self { per_workspace: Mutex::default(), all, slots: Arc::new(Semaphore::new(slots)) }
    }

    /// Checks a query and runs it, when it is this workspace's turn. The check also waits for CPU time.
    pub async fn query(
        &self,
        workspace: Id,
        source: &DatasourceUrl,
        text: &str,
        bounds: QueryLimits,
    ) -> Result<Table, DatasourceError> {
        let _permits = self.acquire_permits(workspace).await?;
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(closed)?;
        let select = CheckedSelect::check_with(source.kind(), text, slot).await?;
        match source {
            DatasourceUrl::Postgres(options) => postgres::query(options, select.sql(), bounds).await,
            DatasourceUrl::Sqlite(path) => {
                sqlite::query(path, select.sql(), bounds, Arc::clone(&self.slots)).await
            }
        }
    }

    async fn acquire_permits(&self, workspace: Id) -> Result<[OwnedSemaphorePermit; 2], DatasourceError> {
        let per_workspace = {
            let mut known = self.per_workspace.lock();
            // A semaphore that only the map references has no permit in use and no waiter.
            known.retain(|_, turns| Arc::strong_count(turns) > 1);
            Arc::clone(known.entry(workspace).or_insert_with(|| Arc::new(Semaphore::new(MAX_PER_WORKSPACE))))
        };
        let own = per_workspace.acquire_owned().await.map_err(closed)?;
        let any = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
        Ok([own, any])
    }
}

/// Can't occur: no semaphore is closed.
fn closed(error: AcquireError) -> DatasourceError {
    DatasourceError::Unreachable(error.to_string())
}

#[cfg(test)]
mod tests;

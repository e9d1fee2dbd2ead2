//! What is stored of runs: their steps, with the calls of each.

use std::collections::HashMap;

use toolcrib_model::Id;
use toolcrib_store::{
    StoreError, Tx,
    assistant_runs::{self, RunRow},
    assistant_steps::{self, CallRow, StepRow},
};

/// A step of a run, with its calls.
pub struct Step {
    pub row: StepRow,
    pub calls: Vec<CallRow>,
}

pub struct StoredRun {
    pub row: RunRow,
    pub steps: Vec<Step>,
    /// Of how many steps, the oldest, the answers are not sent.
    pub cleared: usize,
}

/// Returns the steps of a run, in order.
pub async fn steps_of_run(tx: &mut Tx, run: Id) -> Result<Vec<Step>, StoreError> {
    let steps = assistant_steps::of_run(tx, run).await?;
    Ok(with_calls(steps, assistant_steps::calls_of_run(tx, run).await?))
}

pub async fn newest_run(tx: &mut Tx, owner: Id, thread: &str) -> Result<Option<RunRow>, StoreError> {
    Ok(assistant_runs::of_thread(tx, owner, thread, 1).await?.into_iter().next())
}

/// Returns the newest runs of a thread, oldest first: at most `limit`, and as many as have at most so many bytes. The
/// newest two are always returned.
pub async fn runs_of_thread(
    tx: &mut Tx,
    owner: Id,
    thread: &str,
    limit: i64,
    bytes: usize,
) -> Result<Vec<StoredRun>, StoreError> {
    let mut rows = assistant_runs::of_thread(tx, owner, thread, limit).await?;
    let mut left = i64::try_from(bytes).unwrap_or(i64::MAX);
    let sizes = assistant_runs::sizes_of_thread(tx, owner, thread, limit).await?;
    let fitting = sizes.iter().take_while(|size| {
        left -= **size;
        left >= 0
    });
    rows.truncate(fitting.count().max(2));
    rows.reverse();
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let since = first.created_at;
    let (mut steps, mut calls) = (HashMap::<Id, Vec<_>>::new(), HashMap::<Id, Vec<_>>::new());
    for step in assistant_steps::of_thread(tx, owner, thread, since).await? {
        steps.entry(step.run_id).or_default().push(step);
    }
    for call in assistant_steps::calls_of_thread(tx, owner, thread, since).await? {
        calls.entry(call.run_id).or_default().push(call);
    }
    let runs = rows.into_iter().map(|row| {
        let own = (steps.remove(&row.id).unwrap_or_default(), calls.remove(&row.id).unwrap_or_default());
        StoredRun { steps: with_calls(own.0, own.1), row, cleared: 0 }
    });
    Ok(runs.collect())
}

/// Joins steps of a run with their calls; both are in order.
fn with_calls(steps: Vec<StepRow>, calls: Vec<CallRow>) -> Vec<Step> {
    let mut calls = calls.into_iter().peekable();
    steps
        .into_iter()
        .map(|row| {
            let own = std::iter::from_fn(|| calls.next_if(|call| call.step == row.step)).collect();
            Step { row, calls: own }
        })
        .collect()
}

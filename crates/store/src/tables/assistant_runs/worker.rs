//! The process that holds a run: leases and fences. Workers find runs of all workspaces, and change each in its
//! workspace.
//!
//! A process that takes a run increments its fence. Each of its later writes names that fence, so that a process which
//! was stopped for longer than its lease changes nothing.

use toolcrib_model::{Id, RunState, Ts};

use super::RunRow;
use crate::backend::{Db, StoreError, WriteTx};

/// How many runs of a workspace may be running.
#[derive(Clone, Copy, Debug)]
pub struct RunningLimits {
    /// Of all kinds.
    pub all: i64,
    /// Of these, those with no person beside them.
    pub background: i64,
}

/// Returns workspace and id of at most `limit` runs that nobody holds, the oldest first. Of a workspace not more than
/// may run beside those that are running, so that no workspace holds up another.
pub async fn queued(db: &Db, limit: i64, most: RunningLimits) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT q.workspace_id, q.id FROM (SELECT workspace_id, id, kind, created_at, \
        ROW_NUMBER() OVER (PARTITION BY workspace_id, CASE WHEN kind = 'chat' THEN 0 ELSE 1 END \
        ORDER BY created_at, id) AS place FROM assistant_runs WHERE state = 'queued') q \
        WHERE q.place <= $2 - (SELECT COUNT(*) FROM assistant_runs r \
        WHERE r.state = 'running' AND r.workspace_id = q.workspace_id) \
        AND (q.kind = 'chat' OR q.place <= $3 - (SELECT COUNT(*) FROM assistant_runs r \
        WHERE r.state = 'running' AND r.workspace_id = q.workspace_id AND r.kind <> 'chat')) \
        ORDER BY q.created_at LIMIT $1";
    let mut tx = db.read_as_worker().await?;
    let found = with_backend!(tx, c => sqlx::query_as(SQL).bind(limit).bind(most.all).bind(most.background)
        .fetch_all(c).await);
    tx.finish(found).await
}

/// Returns workspace and id of at most `limit` runs whose process did not renew its lease until `now`.
pub async fn lost(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT workspace_id, id FROM assistant_runs WHERE state = 'running' AND lease_until <= $1 \
        ORDER BY created_at LIMIT $2";
    db.due(SQL, now, limit).await
}

/// Returns workspace and id of at most `limit` runs that wait and whose confirmations have all ended at `now`, or that
/// are past their deadline (which does not run while a step of a playbook waits), or that were asked to stop.
pub async fn done_waiting(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT r.workspace_id, r.id FROM assistant_runs r WHERE r.state = 'waiting' \
        AND ((r.deadline <= $1 AND r.kind <> 'playbook') OR r.stop = TRUE OR NOT EXISTS (SELECT 1 FROM assistant_calls c JOIN confirmations f \
        ON f.workspace_id = c.workspace_id AND f.id = c.confirmation_id \
        WHERE c.workspace_id = r.workspace_id AND c.run_id = r.id AND c.state = 'waiting' \
        AND (f.status = 'running' OR (f.status IN ('pending', 'awaiting_phrase') AND f.expires_at > $1)))) \
        ORDER BY r.created_at LIMIT $2";
    db.due(SQL, now, limit).await
}

/// Queues a run that waits. A step of a playbook gets the time back for which it waited for people.
pub async fn requeue_waiting(tx: &mut WriteTx, id: Id, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = 'queued', \
        deadline = CASE WHEN kind = 'playbook' THEN deadline + $3 - updated_at ELSE deadline END WHERE workspace_id = $1 AND id = $2 \
        AND state = 'waiting'";
    Ok(tx.execute_at(SQL, id, now).await? == 1)
}

/// Queues a run whose process did not renew its lease until `now`.
pub async fn requeue_lost(tx: &mut WriteTx, id: Id, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = 'queued', lost = lost + 1, fence = fence + 1, \
        lease_until = NULL WHERE workspace_id = $1 AND id = $2 AND state = 'running' AND lease_until <= $3";
    Ok(tx.execute_at(SQL, id, now).await? == 1)
}

/// Takes a queued run from `now` until `until`, unless the most runs of the workspace are running. Returns the run with
/// its new fence.
pub async fn claim(
    tx: &mut WriteTx,
    id: Id,
    now: Ts,
    until: Ts,
    most: RunningLimits,
) -> Result<Option<RunRow>, StoreError> {
    const SQL: &str = concat!(
        "UPDATE assistant_runs SET state = 'running', fence = fence + 1, lease_until = $3, \
        deadline = CASE WHEN fence = 0 AND kind = 'playbook' THEN deadline + $6 - created_at ELSE deadline END \
        WHERE workspace_id = $1 AND id = $2 AND state = 'queued' \
        AND (SELECT COUNT(*) FROM assistant_runs r WHERE r.workspace_id = $1 AND r.state = 'running') < $4 \
        AND (kind = 'chat' OR (SELECT COUNT(*) FROM assistant_runs r WHERE r.workspace_id = $1 \
        AND r.state = 'running' AND r.kind <> 'chat') < $5) RETURNING ",
        columns!(assistant_runs)
    );
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(id)
        .bind(until.as_micros()).bind(most.all).bind(most.background).bind(now.as_micros()).fetch_optional(c).await)
}

/// Gives a run back that this process holds: it is queued as it was stored last.
pub async fn release(tx: &mut WriteTx, id: Id, fence: i64) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = 'queued', lease_until = NULL WHERE workspace_id = $1 AND id = $2 \
        AND fence = $3 AND state = 'running'";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(fence)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

/// Renews the lease of a run. Returns whether this process still holds it, and whether it was asked to stop.
pub async fn renew(tx: &mut WriteTx, id: Id, fence: i64, until: Ts) -> Result<Option<bool>, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET lease_until = $4 WHERE workspace_id = $1 AND id = $2 \
        AND fence = $3 AND state = 'running' RETURNING stop";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(id).bind(fence)
        .bind(until.as_micros()).fetch_optional(c).await)
}

/// What a process stores of a run that it holds.
#[derive(Clone, Debug)]
pub struct Progress<'p> {
    /// The state from now on. Any other than `running` ends the lease.
    pub state: RunState,
    /// Why it failed: a code, and a sentence.
    pub error: Option<(&'p str, &'p str)>,
    pub now: Ts,
}

/// Stores the run's progress: its totals as they are in `row`, and its state. Returns `false` if another process has
/// taken the run.
pub async fn update(tx: &mut WriteTx, row: &RunRow, progress: &Progress<'_>) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = $4, preface = $5, history_from = $6, steps = $7, \
        input_tokens = $8, cached_input_tokens = $9, output_tokens = $10, error_code = $11, error = $12, \
        updated_at = $13, cost_microusd = $14, cost_known = $15, model = $16, upstream = $17, \
        ended_at = CASE WHEN $4 IN ('completed', 'failed', 'stopped') THEN $13 END, \
        lease_until = CASE WHEN $4 = 'running' THEN lease_until END \
        WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND state = 'running'";
    let (code, sentence) = progress.error.unzip();
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.fence)
        .bind(progress.state.as_str()).bind(&row.preface).bind(row.history_from).bind(row.steps)
        .bind(row.input_tokens).bind(row.cached_input_tokens).bind(row.output_tokens).bind(code)
        .bind(sentence).bind(progress.now.as_micros()).bind(row.cost_microusd).bind(row.cost_known).bind(&row.model)
        .bind(&row.upstream).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

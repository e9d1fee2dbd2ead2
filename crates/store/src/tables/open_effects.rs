//! The table `open_effects`: effects of packs' actions whose outcome and record are not both committed yet. A row is
//! made with the start row of the call, and deleted with the commit that has its outcome and its record.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, Tx, WriteTx, json};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OpenEffectRow {
    /// The id of the call's audit row.
    pub call_id: Id,
    /// Full name of the action.
    pub action: String,
    /// The thing that the effect changes. Unique in the workspace.
    pub target_key: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// What the action resolved the call to, as JSON text.
    pub plan: String,
    /// The claims of the caller, as JSON text.
    pub requester: String,
    #[sqlx(try_from = "i64")]
    pub started_at: Ts,
    /// When a worker looks at it next, in microseconds; absent if no more.
    pub next_look: Option<i64>,
    /// How often a worker has looked.
    pub looks: i64,
    /// The output of a success whose record failed, as JSON text.
    pub output: Option<String>,
}

/// Inserts a row. Returns `false` if another effect of the same thing is open.
pub async fn insert(tx: &mut WriteTx, row: &OpenEffectRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO open_effects (workspace_id, call_id, action, target_key, arguments, plan, requester, \
        started_at, next_look, looks) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0) ON CONFLICT DO NOTHING";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.call_id).bind(&row.action)
        .bind(&row.target_key).bind(&row.arguments).bind(&row.plan).bind(&row.requester)
        .bind(row.started_at.as_micros()).bind(row.next_look).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Returns the call whose effect on a thing is open, its state, and when a worker looks at it next, in microseconds.
pub async fn of_target(
    tx: &mut Tx,
    target_key: &str,
) -> Result<Option<(Id, String, Option<i64>)>, StoreError> {
    const SQL: &str = "SELECT e.call_id, c.state, e.next_look FROM open_effects e JOIN open_calls c \
        ON c.workspace_id = e.workspace_id AND c.call_id = e.call_id \
        WHERE e.workspace_id = $1 AND e.target_key = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(target_key).fetch_optional(c)
        .await)?,
    )
}

/// Claims a look: counts it, and moves the next one to `next_look`. Returns `false` if another process claimed it
/// first: then the row has another number of `looks`, or is gone.
pub async fn claim(tx: &mut WriteTx, call_id: Id, looks: i64, next_look: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_effects SET next_look = $4, looks = looks + 1 \
        WHERE workspace_id = $1 AND call_id = $2 AND looks = $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).bind(looks)
        .bind(next_look.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Stores the output of a success whose record failed, and when a worker tries to record it. Returns `false` if the row
/// is gone.
pub async fn defer_record(
    tx: &mut WriteTx,
    call_id: Id,
    next_look: Ts,
    output: &str,
) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_effects SET next_look = $3, looks = 1, output = $4 \
        WHERE workspace_id = $1 AND call_id = $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id)
        .bind(next_look.as_micros()).bind(output).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Deletes a row. Returns `false` if another process did.
pub async fn delete(tx: &mut WriteTx, call_id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM open_effects WHERE workspace_id = $1 AND call_id = $2";
    Ok(tx.execute(SQL, call_id).await? == 1)
}

/// Returns at most `limit` workspaces with rows of these actions that a worker looks at now, the longest overdue first.
pub async fn due(db: &Db, now: Ts, actions: &[String], limit: i64) -> Result<Vec<Id>, StoreError> {
    const SQLITE: &str = "SELECT workspace_id FROM open_effects WHERE next_look <= $1 \
        AND action IN (SELECT value FROM json_each($2)) GROUP BY workspace_id ORDER BY MIN(next_look), workspace_id LIMIT $3";
    const PG: &str = "SELECT workspace_id FROM open_effects WHERE next_look <= $1 AND action = ANY($2) \
        GROUP BY workspace_id ORDER BY MIN(next_look), workspace_id LIMIT $3";
    let names = json(actions)?;
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar(SQLITE).bind(now.as_micros()).bind(names).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_scalar(PG).bind(now.as_micros()).bind(actions).bind(limit).fetch_all(c).await,
    );
    tx.finish(found).await
}

/// Returns the row of these actions that a worker looks at next in a workspace, if its time has come.
pub async fn next_due(tx: &mut Tx, now: Ts, actions: &[String]) -> Result<Option<OpenEffectRow>, StoreError> {
    const SQLITE: &str = select!(open_effects " FROM open_effects WHERE workspace_id = $1 AND next_look <= $2 \
        AND action IN (SELECT value FROM json_each($3)) ORDER BY next_look, call_id LIMIT 1");
    const PG: &str = select!(open_effects " FROM open_effects WHERE workspace_id = $1 AND next_look <= $2 \
        AND action = ANY($3) ORDER BY next_look, call_id LIMIT 1");
    let names = json(actions)?;
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(now.as_micros()).bind(names).fetch_optional(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(now.as_micros()).bind(actions).fetch_optional(c).await,
    )
}

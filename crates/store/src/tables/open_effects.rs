//! The table `open_effects`: effects of packs' actions whose outcome and record are not both committed yet. A row is made with the
//! start row of the call, and deleted with the commit that has its outcome and its record.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, Tx, WriteTx};

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
    /// When the call was started.
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

pub async fn get(tx: &mut Tx, call_id: Id) -> Result<Option<OpenEffectRow>, StoreError> {
    const SQL: &str = select!(open_effects " FROM open_effects WHERE workspace_id = $1 AND call_id = $2");
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(call_id).fetch_optional(c)
        .await)?)
}

/// Stores when a worker looks next, and the output of a success whose record failed.
pub async fn postpone(
    tx: &mut WriteTx,
    call_id: Id,
    next_look: Option<Ts>,
    output: Option<&str>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE open_effects SET next_look = $3, looks = looks + 1, output = COALESCE($4, output) \
        WHERE workspace_id = $1 AND call_id = $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id)
        .bind(next_look.map(Ts::as_micros)).bind(output).execute(c).await.map(|_| ()))?)
}

/// Deletes a row. Returns `false` if another process did.
pub async fn delete(tx: &mut WriteTx, call_id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM open_effects WHERE workspace_id = $1 AND call_id = $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).execute(c).await
        .map(|done| done.rows_affected()))?
        == 1)
}

/// Returns the workspace and the call of at most `limit` rows of all workspaces that a worker looks at now, the oldest first.
pub async fn due(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str =
        "SELECT workspace_id, call_id FROM open_effects WHERE next_look <= $1 ORDER BY next_look LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(now.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok(found)
}

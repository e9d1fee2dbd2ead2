//! The outbox. An event's offset is its position among the committed events of all workspaces.
//! Offsets only grow, so that a reader that has read up to an offset has missed no earlier event.
//!
//! On PostgreSQL `seq` can't be the offset: it is assigned at the insert, and a transaction with a lower
//! `seq` may commit later. There [`assign_offsets`] assigns offsets (the column `place`) to committed rows,
//! in one process at a time. SQLite has one writer, so that `seq` is the offset.

use serde_json::Value;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, Tx, WORKER_LIMIT, WriteTx, bulk_table, within};

/// The most rows that one transaction of [`assign_offsets`] takes.
const BATCH: i64 = 5_000;
/// The key of the advisory lock that a process holds while it assigns offsets.
const LOCK: i64 = 0x746f_6f6c_7365_616c;

/// A new row of the outbox, inserted in the same commit as the change that it reports.
#[derive(Clone, Debug)]
pub struct EventRow {
    pub workspace_id: Id,
    pub id: Id,
    /// The name, such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain`, `permission` or `notification`.
    pub kind: &'static str,
    /// The conversation of the event.
    pub session: Option<String>,
    /// The user whom the event concerns.
    pub user_id: Option<Id>,
    /// The permission that a reader needs to see the event, such as `agents:read`.
    pub permission: Option<String>,
    pub data: Value,
    pub occurred_at: Ts,
}

bulk_table!("events", row: EventRow, {
    id: Id(Some(row.id)),
    name: Text(Some(row.name)),
    kind: Word(Some(row.kind)),
    session: Text(row.session),
    user_id: Id(row.user_id),
    permission: Text(row.permission),
    data: Text(Some(row.data.to_string())),
    occurred_at: Number(Some(row.occurred_at.as_micros())),
});

impl WriteTx {
    /// Adds a row to the outbox, which the transaction's commit inserts.
    pub fn event(&mut self, row: EventRow) {
        self.push_outbox(row.into());
    }
}

/// A row of the outbox with its offset.
#[derive(Clone, Debug, FromRow)]
pub struct EventEntry {
    #[sqlx(rename = "place")]
    pub offset: i64,
    pub workspace_id: Id,
    pub id: Id,
    /// The name, such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain`, `permission` or `notification`.
    pub kind: String,
    /// The conversation of the event.
    pub session: Option<String>,
    /// The user whom the event concerns.
    pub user_id: Option<Id>,
    /// The permission that a reader needs to see the event, such as `agents:read`.
    pub permission: Option<String>,
    /// The payload, as JSON text.
    pub data: String,
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
}

/// Lists at most `limit` of the workspace's events after an offset, in order.
pub async fn after(tx: &mut Tx, offset: i64, limit: i64) -> Result<Vec<EventEntry>, StoreError> {
    const SQLITE: &str = "SELECT seq AS place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    const PG: &str = "SELECT place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE workspace_id = $1 AND place > $2 ORDER BY place LIMIT $3";
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(offset).bind(limit)
        .fetch_all(c).await)
}

/// Returns the offset of the workspace's last event, or 0.
pub async fn last(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQLITE: &str = "SELECT coalesce(max(seq), 0) FROM events WHERE workspace_id = $1";
    const PG: &str = "SELECT coalesce(max(place), 0) FROM events WHERE workspace_id = $1";
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, workspace, c => sqlx::query_scalar(sql).bind(workspace).fetch_one(c).await)
}

/// Returns the offset of one of the workspace's events. On PostgreSQL `None` too while it has none yet.
pub async fn offset_of(tx: &mut Tx, id: Id) -> Result<Option<i64>, StoreError> {
    const SQLITE: &str = "SELECT seq FROM events WHERE workspace_id = $1 AND id = $2";
    const PG: &str = "SELECT place FROM events WHERE workspace_id = $1 AND id = $2 AND place IS NOT NULL";
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, workspace, c => sqlx::query_scalar(sql).bind(workspace).bind(id).fetch_optional(c)
        .await)
}

/// Lists at most `limit` domain events of all workspaces after an offset, in order. Only for operators of the
/// platform.
pub async fn after_everywhere(db: &Db, offset: i64, limit: i64) -> Result<Vec<EventEntry>, StoreError> {
    const SQLITE: &str = "SELECT seq AS place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE seq > $1 AND kind = 'domain' ORDER BY seq LIMIT $2";
    const PG: &str = "SELECT place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE place > $1 AND kind = 'domain' ORDER BY place LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(SQLITE, PG);
    let found = with_backend!(tx, c => sqlx::query_as(sql).bind(offset).bind(limit).fetch_all(c).await);
    tx.finish(found).await
}

/// Returns the offset of the last event of all workspaces, or 0.
pub async fn last_everywhere(db: &Db) -> Result<i64, StoreError> {
    let mut tx = db.read_as_worker().await?;
    let sql =
        tx.sql("SELECT coalesce(max(seq), 0) FROM events", "SELECT coalesce(max(place), 0) FROM events");
    let found = with_backend!(tx, c => sqlx::query_scalar(sql).fetch_one(c).await);
    tx.finish(found).await
}

/// Returns offset and workspace of at most `limit` events of all workspaces after an offset, in order.
pub async fn workspaces_after(db: &Db, offset: i64, limit: i64) -> Result<Vec<(i64, Id)>, StoreError> {
    const SQLITE: &str = "SELECT seq, workspace_id FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";
    const PG: &str = "SELECT place, workspace_id FROM events WHERE place > $1 ORDER BY place LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(SQLITE, PG);
    let found = with_backend!(tx, c => sqlx::query_as(sql).bind(offset).bind(limit).fetch_all(c).await);
    tx.finish(found).await
}

/// Assigns offsets to the rows committed so far. Waits if another process is assigning offsets.
pub async fn assign_offsets(db: &Db) -> Result<(), StoreError> {
    // SQLite's offsets are assigned at the insert.
    if db.is_sqlite() {
        return Ok(());
    }
    loop {
        let mut tx = db.begin_write_as_worker().await?;
        let assigned = within(WORKER_LIMIT, assign_some(&mut tx)).await?;
        if tx.end(assigned).await? < BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}

async fn assign_some(tx: &mut WriteTx) -> Result<u64, StoreError> {
    const ASSIGN: &str = "UPDATE events e SET place = base.last + open.n \
        FROM (SELECT workspace_id, seq, row_number() OVER (ORDER BY seq) AS n FROM \
            (SELECT workspace_id, seq FROM events WHERE place IS NULL ORDER BY seq LIMIT $1) found) open, \
        (SELECT coalesce(max(place), 0) AS last FROM events) base \
        WHERE e.workspace_id = open.workspace_id AND e.seq = open.seq";
    per_backend!(tx,
        sqlite _c => Ok(0),
        pg c => {
            // The lock is released after the commit, so that the next holder sees all offsets that were
            // assigned.
            sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *c).await?;
            sqlx::query(ASSIGN).bind(BATCH).execute(c).await.map(|done| done.rows_affected())
        },
    )
}

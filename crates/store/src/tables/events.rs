//! The outbox, read. An event's place is where it stands among those that are committed: it only grows, so that who
//! read up to a place has missed nothing before it.
//!
//! `seq` is no such thing on PostgreSQL: it is taken when a row is inserted, and a transaction that took a lower one
//! may commit later. There [`seal`] gives places to rows once they are committed, one process at a time. SQLite has
//! one writer, whose `seq` is the place.

mod row;

pub(crate) use row::BULK;
pub use row::EventRow;

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, Tx, WriteTx};

/// Rows that one sealing takes.
const SEALED: i64 = 5_000;
/// Whoever holds it seals.
const LOCK: i64 = 0x746f_6f6c_7365_616c;

/// An event as it is stored, with its place.
#[derive(Clone, Debug, FromRow)]
pub struct EventEntry {
    /// Where it stands.
    #[sqlx(rename = "place")]
    pub offset: i64,
    /// Its workspace.
    pub workspace_id: Id,
    /// Its own id.
    pub id: Id,
    /// Such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain` or `permission`.
    pub kind: String,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// The user it belongs to.
    pub user_id: Option<Id>,
    /// What a reader must hold to see it, such as `agents:read`.
    pub permission: Option<String>,
    /// What is told, as JSON text.
    pub data: String,
    /// When.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
}

/// The workspace's events behind a place, in order; at most `limit`.
pub async fn after(tx: &mut Tx, offset: i64, limit: i64) -> Result<Vec<EventEntry>, StoreError> {
    const SQLITE: &str = "SELECT seq AS place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    const PG: &str = "SELECT place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE workspace_id = $1 AND place > $2 ORDER BY place LIMIT $3";
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(offset).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(offset).bind(limit).fetch_all(c).await,
    )?)
}

/// The place of the workspace's last event; 0 where there is none.
pub async fn last(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQLITE: &str = "SELECT coalesce(max(seq), 0) FROM events WHERE workspace_id = $1";
    const PG: &str = "SELECT coalesce(max(place), 0) FROM events WHERE workspace_id = $1";
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_scalar(SQLITE).bind(workspace).fetch_one(c).await,
        pg c => sqlx::query_scalar(PG).bind(workspace).fetch_one(c).await,
    )?)
}

/// Where one of the workspace's events stands.
pub async fn place_of(tx: &mut Tx, id: Id) -> Result<Option<i64>, StoreError> {
    const SQLITE: &str = "SELECT seq FROM events WHERE workspace_id = $1 AND id = $2";
    const PG: &str = "SELECT place FROM events WHERE workspace_id = $1 AND id = $2 AND place IS NOT NULL";
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_scalar(SQLITE).bind(workspace).bind(id).fetch_optional(c).await,
        pg c => sqlx::query_scalar(PG).bind(workspace).bind(id).fetch_optional(c).await,
    )?)
}

/// Domain events of all workspaces behind a place, in order; at most `limit`. For whoever operates the platform.
pub async fn after_everywhere(db: &Db, offset: i64, limit: i64) -> Result<Vec<EventEntry>, StoreError> {
    const SQLITE: &str = "SELECT seq AS place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE seq > $1 AND kind = 'domain' ORDER BY seq LIMIT $2";
    const PG: &str = "SELECT place, workspace_id, id, name, kind, session, user_id, permission, data, \
        occurred_at FROM events WHERE place > $1 AND kind = 'domain' ORDER BY place LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(offset).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(offset).bind(limit).fetch_all(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// The place of the last event of all workspaces; 0 where there is none.
pub async fn last_everywhere(db: &Db) -> Result<i64, StoreError> {
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM events").fetch_one(c).await,
        pg c => sqlx::query_scalar("SELECT coalesce(max(place), 0) FROM events").fetch_one(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// In which workspaces something happened behind a place: each event's place and workspace, at most `limit`.
pub async fn touched(db: &Db, offset: i64, limit: i64) -> Result<Vec<(i64, Id)>, StoreError> {
    const SQLITE: &str = "SELECT seq, workspace_id FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";
    const PG: &str = "SELECT place, workspace_id FROM events WHERE place > $1 ORDER BY place LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(offset).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(offset).bind(limit).fetch_all(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// Gives places to what was committed until now. Where another process is at it, it waits for that one.
pub async fn seal(db: &Db) -> Result<(), StoreError> {
    // SQLite needs none.
    while db.pg().is_some()
        && db.write_as_worker(|tx| Box::pin(seal_some(tx))).await? == SEALED.unsigned_abs()
    {}
    Ok(())
}

async fn seal_some(tx: &mut WriteTx) -> Result<u64, StoreError> {
    const SEAL: &str = "UPDATE events e SET place = base.last + open.n \
        FROM (SELECT workspace_id, seq, row_number() OVER (ORDER BY seq) AS n FROM \
            (SELECT workspace_id, seq FROM events WHERE place IS NULL ORDER BY seq LIMIT $1) found) open, \
        (SELECT coalesce(max(place), 0) AS last FROM events) base \
        WHERE e.workspace_id = open.workspace_id AND e.seq = open.seq";
    per_backend!(tx,
        sqlite _c => Ok(0),
        pg c => {
            // The lock is let go after the commit: who holds it next sees every place that was given.
            sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *c).await?;
            Ok(sqlx::query(SEAL).bind(SEALED).execute(c).await?.rows_affected())
        },
    )
}

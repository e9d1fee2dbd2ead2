//! What the sealer reads and writes, across workspaces.

use std::ops::{Add, AddAssign};

use sqlx::{AssertSqlSafe, FromRow};
use toolcrib_model::{Cursor, Id, Ts};

use super::{Head, Link, PG_HOMES, SQLITE_HOMES, head_of};
use crate::{
    backend::{Db, StoreError, WriteTx, json},
    tables::audit::AuditEntry,
};

/// Whoever holds it seals.
const LOCK: i64 = 0x746f_6f6c_6c6f_6721;

/// A workspace with rows that have no place yet.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct UnsealedWorkspace {
    /// The workspace; the nil id for what was done outside all of them.
    pub workspace_id: Id,
    /// The time of its oldest such row.
    #[sqlx(try_from = "i64")]
    pub oldest: Ts,
}

/// Rows of one workspace that are to be sealed, behind where its chain ended when they were read.
#[derive(Clone, Debug)]
pub struct Sealing {
    workspace: Id,
    head: Head,
    links: Vec<Link>,
}

/// What an append did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// Rows that were sealed.
    pub sealed: usize,
    /// Rows that were left: somebody else had sealed on that chain meanwhile.
    pub left: usize,
}

impl Add for Appended {
    type Output = Self;

    fn add(mut self, more: Self) -> Self {
        self += more;
        self
    }
}

impl AddAssign for Appended {
    fn add_assign(&mut self, more: Self) {
        self.sealed += more.sealed;
        self.left += more.left;
    }
}

/// The ids of all workspaces, and the nil id: wherever a log may be.
pub async fn homes(db: &Db) -> Result<Vec<Id>, StoreError> {
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar(SQLITE_HOMES).fetch_all(c).await,
        pg c => sqlx::query_scalar(PG_HOMES).fetch_all(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// Which times are looked at for rows without a place. Whatever is looked at, each row that is found gets one.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Nothing from before this time.
    pub since: Ts,
    /// Nothing from before the chain's newest row, less `grace`, as far as that is no later than this time.
    pub newest_until: Ts,
    /// Microseconds.
    pub grace: i64,
    /// Nothing from after this time.
    pub until: Ts,
}

impl Window {
    /// Every row.
    pub const ALL: Self = Self { since: FIRST, newest_until: FIRST, grace: 0, until: LAST };
    /// What is behind the newest row that has a place: no other row is looked at.
    pub const BEHIND: Self = Self { since: FIRST, newest_until: LAST, grace: 0, until: LAST };
}

const FIRST: Ts = Ts::from_micros(i64::MIN);
const LAST: Ts = Ts::from_micros(i64::MAX);

/// Each workspace costs two looks into an index, and a walk over its rows from then on. The common tables are
/// materialised: a planner that joins instead would read the whole log.
fn waiting_sql(homes: &str) -> String {
    const NEWEST: &str = "(CASE WHEN c.newest < $2 THEN c.newest ELSE $2 END - $3)";
    format!(
        "WITH homes AS MATERIALIZED (SELECT w.id AS workspace_id, COALESCE( \
            (SELECT CASE WHEN {NEWEST} > $1 THEN {NEWEST} ELSE $1 END FROM audit_chain c \
             WHERE c.workspace_id = w.id ORDER BY c.seq DESC LIMIT 1), $1) AS since FROM ({homes}) w), \
        found AS MATERIALIZED (SELECT h.workspace_id, (SELECT a.occurred_at FROM action_log a \
            WHERE a.workspace_id = h.workspace_id AND a.occurred_at >= h.since AND a.occurred_at <= $4 AND NOT EXISTS \
            (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id) \
            ORDER BY a.occurred_at LIMIT 1) AS oldest FROM homes h) \
        SELECT workspace_id, oldest FROM found WHERE oldest IS NOT NULL"
    )
}

/// The workspaces with rows in the window that have no place yet.
pub async fn waiting(db: &Db, window: &Window) -> Result<Vec<UnsealedWorkspace>, StoreError> {
    let (since, until) = (window.since.as_micros(), window.until.as_micros());
    let (newest, grace) = (window.newest_until.as_micros(), window.grace);
    let mut tx = db.read_as_worker().await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_as(AssertSqlSafe(waiting_sql(SQLITE_HOMES))).bind(since).bind(newest).bind(grace)
            .bind(until).fetch_all(c).await,
        pg c => sqlx::query_as(AssertSqlSafe(waiting_sql(PG_HOMES))).bind(since).bind(newest).bind(grace)
            .bind(until).fetch_all(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// Where a workspace's chain ends, and its next rows without a place behind `after` and up to `until`: the oldest first,
/// at most `limit`. The end is read first: who seals in between makes it another one, and [`append`] leaves these rows.
pub async fn unsealed(
    db: &Db,
    workspace: Id,
    after: Cursor,
    until: Ts,
    limit: i64,
) -> Result<(Head, Vec<AuditEntry>), StoreError> {
    const SQL: &str = "SELECT a.*, CAST(NULL AS BIGINT) AS seq FROM action_log a \
        WHERE a.workspace_id = $1 AND (a.occurred_at, a.id) > ($2, $3) AND a.occurred_at <= $4 AND NOT EXISTS \
        (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id) \
        ORDER BY a.occurred_at, a.id LIMIT $5";
    let mut tx = db.read_as_worker().await?;
    let head = head_of(&mut tx, workspace).await?;
    let rows = with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(after.at.as_micros()).bind(after.id)
        .bind(until.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok((head, rows))
}

impl Sealing {
    /// Makes the places of rows, each behind the other, whatever their times are.
    pub fn of(workspace: Id, head: Head, rows: &[AuditEntry], sealed_at: Ts) -> Self {
        let mut end = head.clone();
        let mut links = Vec::with_capacity(rows.len());
        for row in rows {
            let link = end.link(row, sealed_at);
            end = link.head();
            links.push(link);
        }
        Self { workspace, head, links }
    }

    /// How many rows it seals.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is nothing to seal.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

/// Appends to the chains. One process at a time: on PostgreSQL behind a lock that is let go with the commit, on SQLite
/// as the one writer. Where a chain does not end any more where it did, its rows are left for the next time.
pub async fn append(tx: &mut WriteTx, sealings: &[Sealing]) -> Result<Appended, StoreError> {
    per_backend!(tx,
        sqlite _c => Ok::<_, sqlx::Error>(()),
        pg c => sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(c).await.map(|_| ()),
    )?;
    let mut links = Vec::new();
    let mut left = 0;
    for sealing in sealings {
        if head_of(tx, sealing.workspace).await? == sealing.head {
            links.extend(&sealing.links);
        } else {
            left += sealing.len();
        }
    }
    insert(tx, &links).await?;
    Ok(Appended { sealed: links.len(), left })
}

async fn insert(tx: &mut WriteTx, links: &[&Link]) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, \
        sealed_at) SELECT unhex(v->>'workspace_id'), v->>'seq', unhex(v->>'row_id'), v->>'row_hash', \
        v->>'prev_hash', v->>'hash', v->>'newest', v->>'sealed_at' FROM (SELECT value AS v FROM json_each($1))";
    const PG: &str = "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, \
        sealed_at) SELECT workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at \
        FROM json_populate_recordset(CAST(NULL AS audit_chain), CAST($1 AS JSON))";
    if links.is_empty() {
        return Ok(());
    }
    let rows = json(links)?;
    per_backend!(tx,
        sqlite c => sqlx::query(SQLITE).bind(rows).execute(c).await.map(|_| ()),
        pg c => sqlx::query(PG).bind(rows).execute(c).await.map(|_| ()),
    )?;
    Ok(())
}

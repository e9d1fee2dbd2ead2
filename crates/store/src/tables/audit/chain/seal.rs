//! The statements of the sealer, across workspaces.

use std::ops::{Add, AddAssign};

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use super::{Head, Link, PG_HOMES, SQLITE_HOMES, head_of, select_homes};
use crate::{
    backend::{BulkRow, Db, StoreError, WriteTx, bulk_table},
    tables::audit::AuditEntry,
};

/// The key of the advisory lock that a process holds while it appends to chains.
const LOCK: i64 = 0x746f_6f6c_6c6f_6721;

#[derive(Clone, Copy, Debug, FromRow)]
pub struct UnsealedWorkspace {
    /// The workspace; the nil id for actions outside all workspaces.
    pub workspace_id: Id,
    /// The time of the workspace's oldest row that is not sealed.
    #[sqlx(try_from = "i64")]
    pub oldest: Ts,
}

/// New links of one workspace, and the end of the chain that they continue.
#[derive(Clone, Debug)]
pub struct Sealing {
    workspace: Id,
    head: Head,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// The number of rows that were sealed.
    pub sealed: usize,
    /// The number of rows that were not sealed because another process had appended to their chain.
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

/// Returns the ids under which a chain can exist: all workspaces and the nil id.
pub async fn homes(db: &Db) -> Result<Vec<Id>, StoreError> {
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(SQLITE_HOMES, PG_HOMES);
    let found = with_backend!(tx, c => sqlx::query_scalar(sql).fetch_all(c).await);
    tx.finish(found).await
}

/// The range of times in which [`waiting`] searches for rows that are not sealed. The range affects only the
/// cost of the search: every row that is found gets sealed.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The earliest time of a row.
    pub since: Ts,
    /// The search begins `grace` before the newest sealed row of the chain, or before this time if this is
    /// earlier; but never before `since`.
    pub newest_until: Ts,
    /// In microseconds.
    pub grace: i64,
    /// The latest time of a row.
    pub until: Ts,
}

impl Window {
    pub const ALL: Self = Self { since: FIRST, newest_until: FIRST, grace: 0, until: LAST };
    /// The rows that are at least as new as the newest sealed row.
    pub const BEHIND: Self = Self { since: FIRST, newest_until: LAST, grace: 0, until: LAST };

    /// The values of the parameters `$1` to `$4`.
    pub(super) const fn values(&self) -> [i64; 4] {
        [self.since.as_micros(), self.newest_until.as_micros(), self.grace, self.until.as_micros()]
    }
}

const FIRST: Ts = Ts::from_micros(i64::MIN);
const LAST: Ts = Ts::from_micros(i64::MAX);

/// The text that selects each workspace with the time at which the search begins, from [`Window::values`]. The common
/// table expression is materialized, because a planner that joins it instead reads the whole log.
macro_rules! with_homes {
    ($database:ident) => {
        concat!(
            "WITH homes AS MATERIALIZED (SELECT w.id AS workspace_id, COALESCE((SELECT CASE WHEN c.newest > $1 THEN c.newest \
             ELSE $1 END FROM (SELECT (CASE WHEN newest < $2 THEN newest ELSE $2 END) - $3 AS newest FROM audit_chain \
             WHERE workspace_id = w.id ORDER BY seq DESC LIMIT 1) c), $1) AS since FROM (",
            select_homes!($database),
            ") w)"
        )
    };
}
pub(super) use with_homes;

/// Returns the workspaces that have rows in the window that are not sealed. Looks up each row of the window until it
/// finds one that is not sealed.
pub async fn waiting(db: &Db, window: &Window) -> Result<Vec<UnsealedWorkspace>, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            concat!(
                with_homes!($database),
                ", found AS MATERIALIZED (SELECT h.workspace_id, (SELECT a.occurred_at FROM action_log a \
                 WHERE a.workspace_id = h.workspace_id AND a.occurred_at >= h.since AND a.occurred_at <= $4 AND NOT EXISTS \
                 (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id) \
                 ORDER BY a.occurred_at LIMIT 1) AS oldest FROM homes h) \
                 SELECT workspace_id, oldest FROM found WHERE oldest IS NOT NULL"
            )
        };
    }
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(sql!(sqlite), sql!(pg));
    let [since, newest, grace, until] = window.values();
    let found = with_backend!(tx, c => sqlx::query_as(sql).bind(since).bind(newest).bind(grace).bind(until)
        .fetch_all(c).await);
    tx.finish(found).await
}

/// Returns the end of a workspace's chain and at most `limit` rows that are not sealed, oldest first, after
/// the cursor and up to `until`. Reads the end first: if another process appends meanwhile, the end has
/// changed and [`append`] skips these rows.
pub async fn unsealed(
    db: &Db,
    workspace: Id,
    after: Cursor,
    until: Ts,
    limit: i64,
) -> Result<(Head, Vec<AuditEntry>), StoreError> {
    const SQL: &str = select!(action_log "a." ", CAST(NULL AS BIGINT) AS seq FROM action_log a \
        WHERE a.workspace_id = $1 AND (a.occurred_at, a.id) > ($2, $3) AND a.occurred_at <= $4 AND NOT EXISTS \
        (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id) \
        ORDER BY a.occurred_at, a.id LIMIT $5");
    let mut tx = db.read_as_worker().await?;
    let head = head_of(&mut tx, workspace).await?;
    let rows = with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(after.at.as_micros()).bind(after.id)
        .bind(until.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok((head, rows))
}

impl Sealing {
    /// Makes links for rows in the given order, whatever their times are.
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

    /// The number of rows that this seals.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

/// Appends links to the chains. One process appends at a time: PostgreSQL holds an advisory lock until the
/// commit, SQLite has one writer. Skips the rows of a chain whose end has changed; the caller seals them in
/// the next run.
pub async fn append(tx: &mut WriteTx, sealings: &[Sealing]) -> Result<Appended, StoreError> {
    per_backend!(tx,
        sqlite _c => Ok::<_, sqlx::Error>(()),
        pg c => sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(c).await.map(|_| ()),
    )?;
    let mut links = Vec::new();
    let mut left = 0;
    for sealing in sealings {
        if head_of(tx, sealing.workspace).await? == sealing.head {
            links.extend(sealing.links.iter().map(BulkRow::from));
        } else {
            left += sealing.len();
        }
    }
    tx.insert_rows(&BULK, &links).await?;
    Ok(Appended { sealed: links.len(), left })
}

bulk_table!("audit_chain", link: &Link, {
    seq: Number(Some(link.seq)),
    row_id: Id(Some(link.row_id)),
    row_hash: Text(Some(link.row_hash.clone())),
    prev_hash: Text(Some(link.prev_hash.clone())),
    hash: Text(Some(link.hash.clone())),
    newest: Number(Some(link.newest.as_micros())),
    sealed_at: Number(Some(link.sealed_at.as_micros())),
});

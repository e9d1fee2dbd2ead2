//! Counts of audit rows in buckets of time. No row of the log is changed or deleted, so that a bucket with as many rows
//! as when all of them were sealed needs no look-up of each.

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::{
    seal::{UnsealedWorkspace, Window, with_homes},
    select_homes,
};
use crate::backend::{Db, StoreError, hex_id, json};

/// The length of a bucket in microseconds. In a bucket that still fills, rows are looked up each time.
const LENGTH: i64 = 5_000_000;
/// The most buckets that one statement of [`look_up`] reads.
const MAX_BUCKETS: usize = 1_000;

/// The number of a workspace's audit rows in one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct BucketCount {
    /// The workspace; the nil id for actions outside all workspaces.
    #[serde(serialize_with = "hex_id")]
    pub workspace_id: Id,
    /// The time at which the bucket begins, in microseconds.
    pub begins: i64,
    pub rows: i64,
}

#[derive(Clone, Copy, Debug, FromRow)]
pub struct LookedUp {
    /// All rows of the bucket, sealed or not.
    #[sqlx(flatten)]
    pub count: BucketCount,
    oldest: Option<i64>,
}

impl LookedUp {
    /// The workspace with the time of the bucket's oldest row that is not sealed, or `None` if all are sealed.
    pub fn unsealed(&self) -> Option<UnsealedWorkspace> {
        let oldest = Ts::from_micros(self.oldest?);
        Some(UnsealedWorkspace { workspace_id: self.count.workspace_id, oldest })
    }
}

/// Counts the rows in each bucket of the window, from an index alone.
pub async fn counts(db: &Db, window: &Window) -> Result<Vec<BucketCount>, StoreError> {
    macro_rules! sql {
        ($database:ident, $rows:literal) => {
            concat!(
                with_homes!($database),
                " SELECT h.workspace_id AS workspace_id, a.occurred_at / $5 * $5 AS begins, \
                 CAST(COUNT(*) AS BIGINT) AS rows ",
                $rows,
                " GROUP BY 1, 2"
            )
        };
    }
    // The rows are those of each workspace in turn: a planner that may join them otherwise reads the whole log.
    let sqlite = sql!(
        sqlite,
        "FROM homes h CROSS JOIN action_log a ON a.workspace_id = h.workspace_id \
         AND a.occurred_at >= h.since / $5 * $5 AND a.occurred_at <= $4"
    );
    let pg = sql!(
        pg,
        "FROM homes h, LATERAL (SELECT occurred_at FROM action_log r WHERE r.workspace_id = h.workspace_id \
         AND r.occurred_at >= h.since / $5 * $5 AND r.occurred_at <= $4 OFFSET 0) a"
    );
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(sqlite, pg);
    let [since, newest, grace, until] = window.values();
    let found = with_backend!(tx, c => sqlx::query_as(sql).bind(since).bind(newest).bind(grace)
        .bind(until).bind(LENGTH).fetch_all(c).await);
    tx.finish(found).await
}

/// Looks up each row of the buckets: whether it is sealed.
pub async fn look_up(db: &Db, buckets: &[BucketCount]) -> Result<Vec<LookedUp>, StoreError> {
    macro_rules! sql {
        ($buckets:literal) => {
            concat!(
                "SELECT b.workspace_id, b.begins, \
                 (SELECT CAST(COUNT(*) AS BIGINT) FROM action_log a WHERE a.workspace_id = b.workspace_id \
                 AND a.occurred_at >= b.begins AND a.occurred_at < b.begins + $2) AS rows, \
                 (SELECT a.occurred_at FROM action_log a WHERE a.workspace_id = b.workspace_id \
                 AND a.occurred_at >= b.begins AND a.occurred_at < b.begins + $2 AND NOT EXISTS \
                 (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id) \
                 ORDER BY a.occurred_at LIMIT 1) AS oldest FROM ",
                $buckets
            )
        };
    }
    let sqlite = sql!(
        "(SELECT unhex(v->>'workspace_id') AS workspace_id, v->>'begins' AS begins \
         FROM (SELECT value AS v FROM json_each($1))) AS b"
    );
    let pg = sql!("json_to_recordset(CAST($1 AS JSON)) AS b(workspace_id UUID, begins BIGINT)");
    // Of one snapshot: the rows that are counted are those that are looked up.
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(sqlite, pg);
    let mut all = Vec::with_capacity(buckets.len());
    for some in buckets.chunks(MAX_BUCKETS) {
        let some = json(some)?;
        let found: Vec<LookedUp> =
            with_backend!(tx, c => sqlx::query_as(sql).bind(some).bind(LENGTH).fetch_all(c).await)?;
        all.extend(found);
    }
    tx.end().await?;
    Ok(all)
}

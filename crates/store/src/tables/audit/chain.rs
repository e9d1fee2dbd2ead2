//! The hash chain over the audit log. Rows are inserted without a link; later the sealer gives each row a
//! sequence number and a hash that includes the previous hash, in a separate transaction.

mod buckets;
mod checkpoint;
mod seal;

pub use buckets::{BucketCount, LookedUp, counts, look_up};
pub use checkpoint::{
    Checkpoint, checkpoints, cut, insert_checkpoints, last_checkpoint, last_checkpoints, uncovered,
};
pub use seal::{Appended, Sealing, UnsealedWorkspace, Window, append, homes, unsealed, waiting};

use serde::Deserialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::{AuditEntry, canonical};
use crate::backend::{StoreError, Tx};

/// The text that selects the ids under which a chain can exist: all workspaces, and the nil id for actions outside
/// them.
macro_rules! select_homes {
    (sqlite) => {
        "SELECT id FROM workspaces UNION ALL SELECT x'00000000000000000000000000000000'"
    };
    (pg) => {
        "SELECT id FROM workspaces UNION ALL SELECT CAST('00000000-0000-0000-0000-000000000000' AS UUID)"
    };
}
use select_homes;

const SQLITE_HOMES: &str = select_homes!(sqlite);
const PG_HOMES: &str = select_homes!(pg);

/// The end of a chain.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Head {
    /// The sequence number of the last link; 0 for an empty chain.
    pub seq: i64,
    /// The hash of the last link.
    pub hash: String,
    /// The latest time of all rows in the chain.
    #[sqlx(try_from = "i64")]
    pub newest: Ts,
}

/// A link of a chain: one sealed row. It is also read from exports.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Deserialize)]
pub struct Link {
    pub workspace_id: Id,
    /// The sequence number, from 1 without a gap.
    pub seq: i64,
    /// The id of the sealed row.
    #[serde(rename = "id")]
    pub row_id: Id,
    /// The hash of the row: [`canonical::row_hash`].
    pub row_hash: String,
    /// The hash of the previous link; 64 zeros for the first link.
    pub prev_hash: String,
    /// The hash of this link: [`Link::digest`].
    pub hash: String,
    /// The latest time of all rows up to this one.
    #[sqlx(try_from = "i64")]
    pub newest: Ts,
    #[sqlx(try_from = "i64")]
    pub sealed_at: Ts,
}

impl Head {
    /// Returns the end of an empty chain.
    pub fn start() -> Self {
        Self { seq: 0, hash: "0".repeat(64), newest: Ts::from_micros(i64::MIN) }
    }

    /// Returns the next link, which seals `row`.
    pub fn link(&self, row: &AuditEntry, sealed_at: Ts) -> Link {
        let mut link = Link {
            workspace_id: row.workspace_id,
            seq: self.seq + 1,
            row_id: row.id,
            row_hash: canonical::row_hash(row),
            prev_hash: self.hash.clone(),
            hash: String::new(),
            newest: self.newest.max(row.occurred_at),
            sealed_at,
        };
        link.hash = link.digest();
        link
    }

    /// Whether `link` can follow this end of the chain.
    pub fn leads_to(&self, link: &Link) -> bool {
        link.seq == self.seq + 1 && link.prev_hash == self.hash && link.newest >= self.newest
    }
}

impl Link {
    /// Computes the hash of the link: the SHA-256, in hexadecimal, of these lines, each of which ends with a
    /// line feed.
    pub fn digest(&self) -> String {
        let Self { workspace_id, seq, row_id, row_hash, prev_hash, newest, sealed_at, hash: _ } = self;
        canonical::digest(&format!(
            "toolcrib-audit-1\n{workspace_id}\n{seq}\n{row_id}\n{row_hash}\n{prev_hash}\n{newest}\n{sealed_at}\n"
        ))
    }

    /// Returns the end of a chain whose last link is this one.
    pub fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash.clone(), newest: self.newest }
    }
}

/// Returns the end of the chain of the transaction's workspace.
pub async fn head(tx: &mut Tx) -> Result<Head, StoreError> {
    let workspace = tx.workspace;
    head_of(tx, workspace).await
}

/// Reads the end of the workspace's chain.
async fn head_of(tx: &mut Tx, workspace: Id) -> Result<Head, StoreError> {
    const SQL: &str =
        "SELECT seq, hash, newest FROM audit_chain WHERE workspace_id = $1 ORDER BY seq DESC LIMIT 1";
    let found: Option<Head> =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)?;
    Ok(found.unwrap_or_else(Head::start))
}

/// Lists at most `limit` links with a sequence number greater than `after`, in order.
pub async fn links(tx: &mut Tx, after: i64, limit: i64) -> Result<Vec<Link>, StoreError> {
    const SQL: &str = "SELECT workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at \
        FROM audit_chain WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(after).bind(limit)
            .fetch_all(c).await)
}

/// Returns one link, or `None` if the chain has no link with this number.
pub async fn link(tx: &mut Tx, seq: i64) -> Result<Option<Link>, StoreError> {
    let next = links(tx, seq - 1, 1).await?;
    Ok(next.into_iter().find(|link| link.seq == seq))
}

/// The number of a workspace's audit rows, sealed and not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Unsealed {
    /// All rows, sealed or not.
    pub rows: i64,
    /// Rows that are not sealed.
    pub unsealed: i64,
    /// Rows that are not sealed and older than the given time.
    pub overdue: i64,
}

/// Counts the workspace's rows: all, those that are not sealed, and of these the ones from before `overdue`.
pub async fn count_unsealed(tx: &mut Tx, overdue: Ts) -> Result<Unsealed, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS unsealed, \
        CAST(COALESCE(SUM(CASE WHEN occurred_at < $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue, \
        (SELECT CAST(COUNT(*) AS BIGINT) FROM action_log WHERE workspace_id = $1) AS rows \
        FROM action_log a WHERE a.workspace_id = $1 AND NOT EXISTS \
        (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id)";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(overdue.as_micros())
            .fetch_one(c).await)
}

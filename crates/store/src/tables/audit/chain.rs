//! The chain over the audit log. Rows are written without it; the sealer gives each a place and a hash that includes
//! the hash before it, in a transaction of its own.

mod checkpoint;
mod seal;

pub use checkpoint::{
    Checkpoint, checkpoints, cut, insert_checkpoints, last_checkpoint, last_checkpoints, uncovered,
};
pub use seal::{Appended, Sealing, UnsealedWorkspace, Window, append, homes, unsealed, waiting};

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::{AuditEntry, canonical};
use crate::backend::{StoreError, Tx, hex_id, micros};

/// Wherever there may be a chain: all workspaces, and the nil id for what was done outside them.
macro_rules! homes {
    ($nil:literal) => {
        concat!("SELECT id FROM workspaces UNION ALL SELECT ", $nil)
    };
}
const SQLITE_HOMES: &str = homes!("x'00000000000000000000000000000000'");
const PG_HOMES: &str = homes!("CAST('00000000-0000-0000-0000-000000000000' AS UUID)");

/// Where a chain ends.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Head {
    /// The place of its last row; 0 where there is none.
    pub seq: i64,
    /// The hash of its last row.
    pub hash: String,
    /// The latest time of all its rows.
    #[sqlx(try_from = "i64")]
    pub newest: Ts,
}

/// A place in a chain.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct Link {
    /// Whose chain.
    #[serde(serialize_with = "hex_id")]
    pub workspace_id: Id,
    /// The place, from 1 on without a gap.
    pub seq: i64,
    /// The row that has it.
    #[serde(serialize_with = "hex_id")]
    pub row_id: Id,
    /// The row's own hash: [`canonical::row_hash`].
    pub row_hash: String,
    /// The hash of the place before; 64 zeros for the first.
    pub prev_hash: String,
    /// The hash of this place: [`Link::digest`].
    pub hash: String,
    /// The latest time of all rows up to here.
    #[sqlx(try_from = "i64")]
    #[serde(serialize_with = "micros")]
    pub newest: Ts,
    /// When it was sealed.
    #[sqlx(try_from = "i64")]
    #[serde(serialize_with = "micros")]
    pub sealed_at: Ts,
}

impl Head {
    /// Before the first row.
    pub fn start() -> Self {
        Self { seq: 0, hash: "0".repeat(64), newest: Ts::from_micros(i64::MIN) }
    }

    /// The next place, for this row.
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

    /// Whether `link` is what comes next.
    pub fn leads_to(&self, link: &Link) -> bool {
        link.seq == self.seq + 1 && link.prev_hash == self.hash && link.newest >= self.newest
    }
}

impl Link {
    /// What `hash` must be: the SHA-256, in hexadecimal, of these lines, each of which ends with a line feed.
    pub fn digest(&self) -> String {
        let Self { workspace_id, seq, row_id, row_hash, prev_hash, newest, sealed_at, hash: _ } = self;
        canonical::digest(&format!(
            "toolcrib-audit-1\n{workspace_id}\n{seq}\n{row_id}\n{row_hash}\n{prev_hash}\n{newest}\n{sealed_at}\n"
        ))
    }

    /// The chain's end, were this its last place.
    pub fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash.clone(), newest: self.newest }
    }
}

/// Where the workspace's chain ends.
async fn head_of(tx: &mut Tx, workspace: Id) -> Result<Head, StoreError> {
    const SQL: &str =
        "SELECT seq, hash, newest FROM audit_chain WHERE workspace_id = $1 ORDER BY seq DESC LIMIT 1";
    let found: Option<Head> =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)?;
    Ok(found.unwrap_or_else(Head::start))
}

/// The places behind `after`, in order; at most `limit`.
pub async fn links(tx: &mut Tx, after: i64, limit: i64) -> Result<Vec<Link>, StoreError> {
    const SQL: &str = "SELECT workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at \
        FROM audit_chain WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(after).bind(limit).fetch_all(c).await)?,
    )
}

/// One place; `None` where the chain does not have it.
pub async fn link(tx: &mut Tx, seq: i64) -> Result<Option<Link>, StoreError> {
    let next = links(tx, seq - 1, 1).await?;
    Ok(next.into_iter().find(|link| link.seq == seq))
}

/// Rows of a workspace that have no place in its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Unsealed {
    /// All rows of the log, sealed or not.
    pub rows: i64,
    /// Those without a place.
    pub unsealed: i64,
    /// Of these, those from before the time that was asked about.
    pub overdue: i64,
}

/// Counts the workspace's rows without a place, and those of them from before `overdue`.
pub async fn count_unsealed(tx: &mut Tx, overdue: Ts) -> Result<Unsealed, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS unsealed, \
        CAST(COALESCE(SUM(CASE WHEN occurred_at < $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue, \
        (SELECT CAST(COUNT(*) AS BIGINT) FROM action_log WHERE workspace_id = $1) AS rows \
        FROM action_log a WHERE a.workspace_id = $1 AND NOT EXISTS \
        (SELECT 1 FROM audit_chain s WHERE s.workspace_id = a.workspace_id AND s.row_id = a.id)";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(overdue.as_micros()).fetch_one(c).await)?,
    )
}

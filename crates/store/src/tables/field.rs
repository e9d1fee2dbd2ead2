//! The field: what the agents of one mission share, and how often it was written.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{
    StoreError, Tx, WriteTx,
    text::{self, Ranked},
};

/// An entry as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct FieldRow {
    /// Its id.
    pub id: Id,
    /// The mission.
    pub mission_id: Id,
    /// Unique in the mission.
    pub key: String,
    /// What is shared.
    pub value: String,
    /// The words of key and value.
    pub tokens: String,
    /// 0 to 1, at the time it was reinforced.
    pub strength: f64,
    /// When it was written last.
    #[sqlx(try_from = "i64")]
    pub reinforced_at: Ts,
    /// Counts its writes.
    pub version: i64,
    /// Who wrote it first.
    pub created_by: Option<Id>,
    /// When it was written first.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl FieldRow {
    /// Its strength at `now`: halved for every 24 hours since it was reinforced.
    pub fn strength_at(&self, now: Ts) -> f64 {
        decayed(self.strength, self.reinforced_at, now)
    }
}

impl FieldStrength {
    /// Its strength at `now`: halved for every 24 hours since it was reinforced.
    pub fn strength_at(&self, now: Ts) -> f64 {
        decayed(self.strength, self.reinforced_at, now)
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of centuries are below 2^53")]
fn decayed(strength: f64, since: Ts, now: Ts) -> f64 {
    const DAY: f64 = 86_400e6;
    strength * (-(now.micros_since(since).max(0) as f64) / DAY).exp2()
}

impl Ranked for FieldRow {
    fn tokens(&self) -> &str {
        &self.tokens
    }

    fn key(&self) -> (Ts, Id) {
        (self.reinforced_at, self.id)
    }
}

/// A write of an entry.
#[derive(Clone, Debug, FromRow)]
pub struct FieldWrite {
    /// Its id.
    pub id: Id,
    /// The mission.
    pub mission_id: Id,
    /// The entry.
    pub entry_id: Id,
    /// Whether the value was new, and not only reinforced.
    pub changed: bool,
    /// Who wrote.
    pub written_by: Option<Id>,
    /// When.
    #[sqlx(try_from = "i64")]
    pub written_at: Ts,
}

/// How strong an entry is: all that its share of a field is made of.
#[derive(Clone, Debug, FromRow)]
pub struct FieldStrength {
    /// The entry.
    pub id: Id,
    /// 0 to 1, at the time it was reinforced.
    pub strength: f64,
    /// When it was written last.
    #[sqlx(try_from = "i64")]
    pub reinforced_at: Ts,
}

/// One entry of a mission by its key.
pub async fn by_key(tx: &mut Tx, mission: Id, key: &str) -> Result<Option<FieldRow>, StoreError> {
    const SQL: &str = "SELECT * FROM field_entries WHERE workspace_id = $1 AND mission_id = $2 AND key = $3";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(mission).bind(key).fetch_optional(c).await)?,
    )
}

/// Adds an entry; [`StoreError::Duplicate`] when the mission has its key.
pub async fn insert(tx: &mut WriteTx, row: &FieldRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO field_entries (workspace_id, id, mission_id, key, value, tokens, strength, \
        reinforced_at, version, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.mission_id).bind(&row.key).bind(&row.value)
        .bind(&row.tokens).bind(row.strength).bind(row.reinforced_at.as_micros()).bind(row.version)
        .bind(row.created_by).bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores value and strength and counts the version up, where it still is `row.version`.
pub async fn update(tx: &mut WriteTx, row: &FieldRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE field_entries SET value = $4, tokens = $5, strength = $6, reinforced_at = $7, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let workspace = tx.workspace;
    let changed = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version).bind(&row.value)
        .bind(&row.tokens).bind(row.strength).bind(row.reinforced_at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Notes a write.
pub async fn log(tx: &mut WriteTx, write: &FieldWrite) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO field_writes (workspace_id, id, mission_id, entry_id, changed, written_by, \
        written_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(write.id).bind(write.mission_id).bind(write.entry_id)
        .bind(write.changed).bind(write.written_by).bind(write.written_at.as_micros()).execute(c).await
        .map(|_| ()))?;
    Ok(())
}

/// The newest writes of a mission.
pub async fn writes(tx: &mut Tx, mission: Id, limit: i64) -> Result<Vec<FieldWrite>, StoreError> {
    const SQL: &str = "SELECT * FROM field_writes WHERE workspace_id = $1 AND mission_id = $2 \
        ORDER BY written_at DESC, id DESC LIMIT $3";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(mission).bind(limit).fetch_all(c).await)?,
    )
}

/// The strengths of all entries of a mission, oldest entry first.
pub async fn strengths(tx: &mut Tx, mission: Id) -> Result<Vec<FieldStrength>, StoreError> {
    const SQL: &str = "SELECT id, strength, reinforced_at FROM field_entries \
        WHERE workspace_id = $1 AND mission_id = $2 ORDER BY id";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(mission).fetch_all(c).await)?)
}

/// The entries of a mission that were reinforced last and share a word with `words`.
pub async fn candidates(tx: &mut Tx, words: &[String], mission: Id) -> Result<Vec<FieldRow>, StoreError> {
    const SQLITE: &str = "SELECT e.* FROM field_entries_text CROSS JOIN field_entries e ON e.seq = field_entries_text.rowid \
        WHERE field_entries_text MATCH $2 AND e.workspace_id = $1 AND e.mission_id = $3 \
        ORDER BY e.reinforced_at DESC, e.id DESC LIMIT $4";
    const PG: &str = "SELECT * FROM field_candidates($2, $3, $4) WHERE workspace_id = $1";
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(text::fts5(workspace, words)).bind(mission)
            .bind(text::CANDIDATES).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(mission)
            .bind(text::CANDIDATES).fetch_all(c).await,
    )?)
}

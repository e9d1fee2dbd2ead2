//! The field of a mission: entries that its agents share, and the log of their writes.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{
    StoreError, Tx, WriteTx,
    text::{self, Ranked},
};

#[derive(Clone, Debug, FromRow)]
pub struct FieldRow {
    pub id: Id,
    pub mission_id: Id,
    /// The key: unique in the mission.
    pub key: String,
    pub value: String,
    /// The words of the key and the value.
    pub tokens: String,
    /// The strength at `reinforced_at`, from 0 to 1.
    pub strength: f64,
    /// When the entry was last written.
    #[sqlx(try_from = "i64")]
    pub reinforced_at: Ts,
    /// The number of writes of the entry.
    pub version: i64,
    /// The user who wrote the entry first.
    pub created_by: Option<Id>,
    /// When the entry was first written.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl FieldRow {
    /// Returns the strength at `now`: it halves in 24 hours without a write.
    pub fn strength_at(&self, now: Ts) -> f64 {
        decayed(self.strength, self.reinforced_at, now)
    }
}

impl FieldStrength {
    /// Returns the strength at `now`: it halves in 24 hours without a write.
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

/// A row of `field_writes`: one write of an entry.
#[derive(Clone, Debug, FromRow)]
pub struct FieldWrite {
    pub id: Id,
    pub mission_id: Id,
    pub entry_id: Id,
    /// `true` if the write changed the value, `false` if it only reinforced the entry.
    pub changed: bool,
    /// The user who wrote.
    pub written_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub written_at: Ts,
}

/// The columns of an entry from which its strength is computed.
#[derive(Clone, Debug, FromRow)]
pub struct FieldStrength {
    pub id: Id,
    /// The strength at `reinforced_at`, from 0 to 1.
    pub strength: f64,
    /// When the entry was last written.
    #[sqlx(try_from = "i64")]
    pub reinforced_at: Ts,
}

pub async fn by_key(tx: &mut Tx, mission: Id, key: &str) -> Result<Option<FieldRow>, StoreError> {
    const SQL: &str = select!(field_entries " FROM field_entries WHERE workspace_id = $1 AND mission_id = $2 \
        AND key = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(mission).bind(key)
        .fetch_optional(c).await)
}

/// Returns the entry of a mission with this key. Other transactions that change or lock it wait until this one ends;
/// SQLite has one writer anyway.
pub async fn lock(tx: &mut WriteTx, mission: Id, key: &str) -> Result<Option<FieldRow>, StoreError> {
    let sql = locked!(tx, select!(field_entries " FROM field_entries WHERE workspace_id = $1 \
        AND mission_id = $2 AND key = $3") => " FOR NO KEY UPDATE");
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(mission).bind(key)
        .fetch_optional(c).await)
}

/// Inserts an entry. Returns `false` if the mission has an entry with this key.
pub async fn insert(tx: &mut WriteTx, row: &FieldRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO field_entries (workspace_id, id, mission_id, key, value, tokens, strength, \
        reinforced_at, version, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (workspace_id, mission_id, key) DO NOTHING";
    let inserted = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.mission_id).bind(&row.key).bind(&row.value).bind(&row.tokens).bind(row.strength)
        .bind(row.reinforced_at.as_micros()).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(inserted == 1)
}

/// Updates value and strength and increments the version if the stored version is still `row.version`;
/// returns `false` otherwise.
pub async fn update(tx: &mut WriteTx, row: &FieldRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE field_entries SET value = $4, tokens = $5, strength = $6, reinforced_at = $7, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version)
        .bind(&row.value).bind(&row.tokens).bind(row.strength).bind(row.reinforced_at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Inserts a row into the log of writes.
pub async fn log(tx: &mut WriteTx, write: &FieldWrite) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO field_writes (workspace_id, id, mission_id, entry_id, changed, written_by, \
        written_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(write.id)
        .bind(write.mission_id).bind(write.entry_id).bind(write.changed).bind(write.written_by)
        .bind(write.written_at.as_micros()).execute(c).await.map(|_| ()))
}

/// Returns the newest writes of a mission.
pub async fn writes(tx: &mut Tx, mission: Id, limit: i64) -> Result<Vec<FieldWrite>, StoreError> {
    const SQL: &str = select!(field_writes " FROM field_writes WHERE workspace_id = $1 AND mission_id = $2 \
        ORDER BY written_at DESC, id DESC LIMIT $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(mission).bind(limit)
        .fetch_all(c).await)
}

/// Returns the strengths of all entries of a mission, oldest entry first.
pub async fn strengths(tx: &mut Tx, mission: Id) -> Result<Vec<FieldStrength>, StoreError> {
    const SQL: &str = "SELECT id, strength, reinforced_at FROM field_entries \
        WHERE workspace_id = $1 AND mission_id = $2 ORDER BY id";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(mission)
        .fetch_all(c).await)
}

/// Returns the most recently written entries of a mission that share a word with `words`, to be ranked by
/// [`text::rank`].
pub async fn candidates(tx: &mut Tx, words: &[String], mission: Id) -> Result<Vec<FieldRow>, StoreError> {
    const SQLITE: &str = select!(field_entries "e."
        " FROM field_entries_text CROSS JOIN field_entries e ON e.seq = field_entries_text.rowid \
        WHERE field_entries_text MATCH $2 AND e.workspace_id = $1 AND e.mission_id = $3 \
        ORDER BY e.reinforced_at DESC, e.id DESC LIMIT $4");
    const PG: &str = select!(field_entries " FROM field_candidates($2, $3, $4) WHERE workspace_id = $1");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(text::fts5(mission, words)).bind(mission)
            .bind(text::CANDIDATES).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(mission)
            .bind(text::CANDIDATES).fetch_all(c).await,
    )
}

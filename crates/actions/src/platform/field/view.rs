//! An entry of a field as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::field::FieldRow;

use crate::shared::score;

/// What one key of a mission's field holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EntryView {
    /// Its id.
    pub id: Id,
    /// The mission.
    pub mission_id: Id,
    /// Unique in the mission.
    #[schemars(extend("x-untrusted" = "field entries"))]
    pub key: String,
    /// What is shared.
    #[schemars(extend("x-untrusted" = "field entries"))]
    pub value: String,
    /// 0 to 1, now: it halves every 24 hours since `reinforced_at`.
    pub strength: f64,
    /// When it was written last.
    pub reinforced_at: Ts,
    /// How often it was written.
    pub writes: i64,
    /// When it was written first.
    pub created_at: Ts,
}

impl EntryView {
    /// As it is at `now`.
    pub fn at(row: FieldRow, now: Ts) -> Self {
        Self {
            strength: score(row.strength_at(now)),
            id: row.id,
            mission_id: row.mission_id,
            key: row.key,
            value: row.value,
            reinforced_at: row.reinforced_at,
            writes: row.version,
            created_at: row.created_at,
        }
    }
}

//! An entry of a field as callers see it.

use toolcrib_engine::prelude::*;
use toolcrib_store::field::FieldRow;

use crate::shared::score;

/// An entry of a mission's field.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EntryView {
    /// ID of the entry.
    pub id: Id,
    /// ID of the mission.
    pub mission_id: Id,
    /// Key, unique in the mission.
    #[schemars(extend("x-untrusted" = "field entries"))]
    pub key: String,
    /// Shared value.
    #[schemars(extend("x-untrusted" = "field entries"))]
    pub value: String,
    /// Strength now, 0 to 1. It halves every 24 hours after `reinforced_at`.
    pub strength: f64,
    /// Time of the last write.
    pub reinforced_at: Ts,
    /// Number of writes.
    pub writes: i64,
    /// Time of the first write.
    pub created_at: Ts,
}

impl EntryView {
    /// Returns the entry as it is at `now`.
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

//! An entry of a field as callers see it, and the mission of a field.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, field::FieldRow, missions};

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

/// Returns the given mission, or else the caller's own. An agent that works in a mission may not use the
/// field of another mission. 404 if the workspace has no such mission.
pub async fn mission(tx: &mut Tx, caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    let mission = resolve(caller, named)?;
    if missions::get(tx, mission).await?.is_some() {
        return Ok(mission);
    }
    Err(ActionError::not_found("mission", &mission.to_string())
        .hint("list missions with `platform_list_missions`"))
}

fn resolve(caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    match (caller.principal, named, caller.mission) {
        (Principal::Agent { .. }, Some(named), Some(own)) if named != own => Err(ActionError::new(
            ErrorCode::PermissionDenied,
            "`mission` is not the mission that this agent works in",
        )
        .hint("omit `mission`")),
        (_, Some(mission), _) | (_, None, Some(mission)) => Ok(mission),
        (_, None, None) => Err(ActionError::invalid(
            "/mission",
            "required",
            "is required, because this caller works in no mission",
        )
        .hint("list missions with `platform_list_missions`")),
    }
}

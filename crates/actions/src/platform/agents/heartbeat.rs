//! A heartbeat as callers see it.

use toolcrib_engine::prelude::*;
use toolcrib_store::heartbeats::HeartbeatRow;

use crate::shared::active_hours::ActiveHours;

toolcrib_model::closed_set! {
    "a heartbeat mode",
    /// What an agent does with the findings of a heartbeat.
    #[derive(Default)]
    HeartbeatMode {
        /// Keeps its findings to itself.
        Silent = "silent",
        /// Notifies people.
        #[default]
        Notify = "notify",
        /// Acts on its findings.
        Act = "act",
    }
}

/// Heartbeat of an agent: when the agent acts by itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeartbeatView {
    /// Whether the heartbeat is on.
    pub enabled: bool,
    /// Minutes between heartbeats.
    pub interval_minutes: i64,
    /// Instructions for each heartbeat.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub prompt: Option<String>,
    /// Hours with heartbeats; null means all day.
    pub active_hours: Option<ActiveHours>,
    /// What the agent does with its findings: `silent`, `notify` or `act`.
    #[schemars(extend("x-ours" = true))]
    pub mode: String,
    /// Time of the next heartbeat; null while the heartbeat is off.
    pub next_due_at: Option<Ts>,
    /// Time of the last change.
    pub updated_at: Ts,
}

impl From<HeartbeatRow> for HeartbeatView {
    fn from(row: HeartbeatRow) -> Self {
        Self {
            enabled: row.enabled,
            interval_minutes: row.interval_minutes,
            prompt: row.prompt,
            active_hours: row.active_hours.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            mode: row.mode,
            next_due_at: row.next_due_at.map(Ts::from_micros),
            updated_at: row.updated_at,
        }
    }
}

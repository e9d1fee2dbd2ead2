//! A heartbeat as callers see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::Ts;
use toolcrib_store::heartbeats::HeartbeatRow;

use crate::shared::active_hours::ActiveHours;

/// What an agent does with what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum HeartbeatMode {
    /// Keeps it to itself.
    Silent,
    /// Tells people.
    #[default]
    Notify,
    /// Acts on it.
    Act,
}

impl HeartbeatMode {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Notify => "notify",
            Self::Act => "act",
        }
    }
}

/// When an agent looks around by itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeartbeatView {
    /// Whether it beats.
    pub enabled: bool,
    /// How often, in minutes.
    pub interval_minutes: i64,
    /// What the agent is told each time.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub prompt: Option<String>,
    /// The hours in which it beats; null: all day.
    pub active_hours: Option<ActiveHours>,
    /// `silent`, `notify` or `act`.
    #[schemars(extend("x-ours" = true))]
    pub mode: String,
    /// When it beats next; null while it is off.
    pub next_due_at: Option<Ts>,
    /// When it last changed.
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

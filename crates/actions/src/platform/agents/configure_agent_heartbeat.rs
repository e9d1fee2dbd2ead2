//! Configures an agent's heartbeat: when the agent acts by itself.

use toolcrib_engine::prelude::*;
use toolcrib_model::RunKind;
use toolcrib_store::{
    assistant_runs,
    heartbeats::{self, HeartbeatRow},
};

use super::{
    assigned::AgentName,
    heartbeat::{HeartbeatMode, HeartbeatView},
};
use crate::shared::{
    active_hours::ActiveHours,
    refs::{self, Ref},
};

pub struct ConfigureAgentHeartbeat;

/// Arguments of `platform_configure_agent_heartbeat`. Omitted fields keep their value, except that `enabled` becomes true.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// Whether the heartbeat is on. Default: `true`.
    pub enabled: Option<bool>,
    /// Minutes between heartbeats. Initially 60.
    #[schemars(extend("enum" = [15, 30, 60, 120, 240, 480, 1440, 10080]))]
    pub interval_minutes: Option<i64>,
    /// Instructions for each heartbeat.
    #[schemars(length(min = 1, max = 2000))]
    pub prompt: Option<String>,
    /// Hours with heartbeats. Initially all day.
    pub active_hours: Option<ActiveHours>,
    /// What the agent does with its findings. Initially `notify`.
    #[schemars(extend("x-plain-words" = true))]
    pub mode: Option<HeartbeatMode>,
}

/// Result of `platform_configure_agent_heartbeat`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Agent of the heartbeat.
    pub agent: AgentName,
    /// Heartbeat after the call.
    #[serde(flatten)]
    pub heartbeat: HeartbeatView,
    /// Whether the call changed anything.
    pub changed: bool,
}

impl WriteAction for ConfigureAgentHeartbeat {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_configure_agent_heartbeat", Category::Agents, Permission::AGENTS_MANAGE)
            .standing_work()
            .describe("Make an agent wake and act by itself at intervals, or stop its heartbeat. For fixed times use platform_schedule_task.")
            .tags(&["agent", "heartbeat", "interval", "autonomous", "wake"])
            .examples(&["Let the Researcher check in every hour", "Stop the support bot's heartbeat"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = refs::agent(cx.tx, &input.agent).await?;
        input.agent = row.id.into();
        if let Some(hours) = &input.active_hours {
            hours.at_or_after(cx.now)?;
        }
        // What a person confirms is a change of the settings that they were shown.
        let before = heartbeats::get(cx.tx, row.id).await?;
        let version = before.map(|before| before.updated_at.as_micros());
        Ok(Target { id: Some(row.id), label: format!("agent `{}`", row.name), version, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let before = heartbeats::get(cx.tx, agent.id).await?;
        let mut row = wanted(input, before.clone(), agent.id, cx.now);
        let changed = before.as_ref() != Some(&row);
        if changed {
            row.next_due_at = next_due(&row, cx.now)?;
            row.updated_at = cx.now;
            row.caller = Some(cx.stored_caller().as_str().to_owned());
            row.set_by = cx.caller.principal.user();
            heartbeats::put(cx.tx, &row).await?;
            if !row.enabled {
                assistant_runs::request_stop_of(cx.tx, RunKind::Heartbeat, agent.id, cx.now).await?;
            }
            let data = json!({
                "agent": agent.id, "enabled": row.enabled, "interval_minutes": row.interval_minutes,
            });
            cx.emit("agent.heartbeat_configured", "agents:read", data);
        }
        Ok(Output { agent: agent.into(), heartbeat: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let name = &output.agent.name;
        match (output.changed, output.heartbeat.next_due_at) {
            (false, _) => {
                format!("Nothing to change: the heartbeat of agent `{name}` already has these settings")
            }
            (true, Some(at)) => format!("The next heartbeat of agent `{name}` is at {at}"),
            (true, None) => format!("The heartbeat of agent `{name}` is off"),
        }
    }
}

/// Returns the stored heartbeat, or the defaults, with the given fields replaced.
fn wanted(input: &Input, before: Option<HeartbeatRow>, agent: Id, now: Ts) -> HeartbeatRow {
    let mut row = before.unwrap_or_else(|| HeartbeatRow {
        agent_id: agent,
        enabled: true,
        interval_minutes: 60,
        prompt: None,
        active_hours: None,
        mode: HeartbeatMode::default().as_str().to_owned(),
        next_due_at: None,
        caller: None,
        set_by: None,
        updated_at: now,
    });
    row.enabled = input.enabled.unwrap_or(true);
    row.interval_minutes = input.interval_minutes.unwrap_or(row.interval_minutes);
    if input.prompt.is_some() {
        row.prompt.clone_from(&input.prompt);
    }
    if let Some(hours) = &input.active_hours {
        row.active_hours = (!hours.all_day()).then(|| json!(hours).to_string());
    }
    if let Some(mode) = input.mode {
        mode.as_str().clone_into(&mut row.mode);
    }
    row
}

/// Returns when the heartbeat is due next: one interval from now, or at the start of the active hours after
/// that. Returns `None` while the heartbeat is off.
fn next_due(row: &HeartbeatRow, now: Ts) -> Result<Option<i64>, ActionError> {
    if !row.enabled {
        return Ok(None);
    }
    let due = now.plus_seconds(row.interval_minutes.saturating_mul(60));
    let hours: Option<ActiveHours> =
        row.active_hours.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let due = match hours {
        Some(hours) => hours.at_or_after(due)?,
        None => due,
    };
    Ok(Some(due.as_micros()))
}

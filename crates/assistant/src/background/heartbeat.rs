//! Heartbeats of agents.

use serde_json::json;
use toolcrib_engine::Stamp;
use toolcrib_model::{RunKind, RunState};
use toolcrib_store::{
    StoreError, WriteTx, agents, assistant_steps,
    heartbeats::{self, HeartbeatRow, HeartbeatRunRow},
};

use super::{RunEnd, Work, cut, notify_ended, queue};

/// What the model answers if there is nothing to tell.
const NOTHING: &str = "Nothing to report";
const DEFAULT_PROMPT: &str =
    "Look at what has happened in the workspace since the last heartbeat, and at what needs attention.";
/// Letters of a stored note.
const MAX_NOTE: usize = 2_000;

/// Queues the run of a heartbeat that is due. Returns `false` if the last one is still open.
pub async fn begin(tx: &mut WriteTx, stamp: Stamp<'_>, row: &HeartbeatRow) -> Result<bool, StoreError> {
    let how = match row.mode.as_str() {
        "act" => "Act on what you find.",
        "silent" => "You can only read. What you report is stored, and nobody is told.",
        _ => "You can only read. What you report is sent to whoever set the heartbeat up.",
    };
    let prompt = row.prompt.as_deref().unwrap_or(DEFAULT_PROMPT);
    let message = format!("{prompt}\n\n[{how} If there is nothing to tell, answer exactly: {NOTHING}]");
    let work = Work {
        agent: Some(row.agent_id),
        reads_only: row.mode != "act",
        ..Work::new(RunKind::Heartbeat, row.agent_id, message)
    };
    queue(tx, stamp, row.caller.as_deref(), work).await
}

/// Stores how a heartbeat went, and tells what it found if that was asked for.
pub async fn follow(tx: &mut WriteTx, stamp: Stamp<'_>, end: &RunEnd<'_>) -> Result<(), StoreError> {
    let Some(agent) = agents::get(tx, end.ref_id()).await? else { return Ok(()) };
    let failure = end.failure();
    let says_nothing = end.text.trim().trim_end_matches('.').eq_ignore_ascii_case(NOTHING);
    let status = match &failure {
        Some(_) => "failed",
        None if assistant_steps::had_effect(tx, end.run.id).await? => "acted",
        None => "ok",
    };
    let note = cut(failure.as_deref().unwrap_or(end.text), MAX_NOTE);
    let row = HeartbeatRunRow {
        id: end.run.id,
        occurred_at: end.run.created_at,
        agent_id: agent.id,
        status: status.to_owned(),
        note: Some(note).filter(|note| !note.is_empty()),
    };
    heartbeats::insert_run(tx, &row).await?;
    agents::set_last_active(tx, agent.id, stamp.now).await?;
    let data = json!({ "agent_id": agent.id, "name": agent.name, "status": status });
    stamp.emit(tx, "heartbeat.reported", "agents:read", data);
    let Some(heartbeat) = heartbeats::get(tx, agent.id).await? else { return Ok(()) };
    if end.ends(heartbeat.updated_at) {
        heartbeats::switch_off(tx, agent.id, stamp.now).await?;
        return notify_ended(tx, stamp, &format!("The heartbeat of agent `{}`", agent.name), end).await;
    }
    if end.state == RunState::Failed || (heartbeat.mode == "notify" && !says_nothing) {
        end.notify(tx, stamp, &format!("Heartbeat of agent `{}`", agent.name)).await?;
    }
    Ok(())
}

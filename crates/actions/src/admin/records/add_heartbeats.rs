//! Reports heartbeats: scheduled activity of agents.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    agents,
    heartbeats::{self, HeartbeatRunRow},
};

use super::{
    SCOPE,
    batch::{self, Record, Stop},
};

toolcrib_model::closed_set! {
    "a heartbeat status",
    /// How a heartbeat went.
    HeartbeatStatus {
        /// The agent had nothing to do.
        Ok = "ok",
        /// The agent did something.
        Acted = "acted",
        /// The heartbeat failed.
        Failed = "failed",
    }
}

/// One heartbeat.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time.
    pub at: Ts,
    /// The agent.
    pub agent_id: Id,
    /// Result.
    pub status: HeartbeatStatus,
    /// Note.
    #[schemars(length(min = 1, max = 2000))]
    pub note: Option<String>,
}

impl Record for Heartbeat {
    fn spec() -> Spec {
        Spec::program("records.add_heartbeats", Level::Write, Permission::AGENTS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report heartbeats of agents. Records with a known ID are skipped; invalid ones are listed in \
                 `rejected`.",
            )
    }

    fn agent(&self) -> Option<Id> {
        Some(self.agent_id)
    }

    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        let Some(agent) = agents::get(cx.tx, self.agent_id).await? else {
            let message = "there is no such agent in this workspace";
            return Err(Stop::wrong("/agent_id", "not_found", message));
        };
        let row = HeartbeatRunRow {
            id: self.id,
            occurred_at: self.at,
            agent_id: self.agent_id,
            status: self.status.as_str().to_owned(),
            note: self.note,
        };
        if !heartbeats::insert_run(cx.tx, &row).await? {
            return Err(Stop::Known);
        }
        agents::set_last_active(cx.tx, agent.id, row.occurred_at).await?;
        let data = json!({ "agent_id": agent.id, "name": agent.name, "status": row.status });
        batch::happened(cx, "heartbeat.reported", "agents:read", None, row.occurred_at, data);
        Ok(())
    }
}

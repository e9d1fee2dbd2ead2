//! Who answers for what goes on by itself: the stored callers of heartbeats, schedules, playbooks and missions.

use toolcrib_model::Id;

use crate::backend::{StoreError, WriteTx};

/// Makes a caller answer for all work that an agent does by itself.
pub async fn set_caller_of_agent_work(
    tx: &mut WriteTx,
    agent: Id,
    caller: &str,
    user: Option<Id>,
) -> Result<(), StoreError> {
    const BY_USER: [&str; 2] = [
        "UPDATE heartbeats SET caller = $3, set_by = $4 WHERE workspace_id = $1 AND agent_id = $2",
        "UPDATE playbooks SET caller = $3, set_by = $4 WHERE workspace_id = $1 AND next_run_at IS NOT NULL \
            AND id IN (SELECT playbook_id FROM playbook_steps WHERE workspace_id = $1 AND agent_id = $2)",
    ];
    const BY_CALLER: [&str; 2] = [
        "UPDATE schedules SET caller = $3 WHERE workspace_id = $1 AND agent_id = $2 AND status IN ('active', 'paused')",
        "UPDATE missions SET caller = $3 WHERE workspace_id = $1 AND state IN ('awaiting_approval', 'running') \
            AND id IN (SELECT mission_id FROM mission_tasks WHERE workspace_id = $1 AND agent_id = $2)",
    ];
    for sql in BY_USER {
        with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(agent).bind(caller).bind(user)
            .execute(c).await.map(|_| ()))?;
    }
    for sql in BY_CALLER {
        with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(agent).bind(caller)
            .execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

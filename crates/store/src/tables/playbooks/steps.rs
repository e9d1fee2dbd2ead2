//! The steps of a playbook. All steps are written together, so that their positions have no gaps.

use sqlx::FromRow;
use toolcrib_model::Id;

use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `playbook_steps` with the agent's name.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StepRow {
    /// The prompt of the step.
    pub prompt: String,
    /// The agent that executes the step.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` if the agent no longer exists.
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    pub on_error: String,
    /// The name under which later steps get the output.
    pub output_key: Option<String>,
}

/// Returns the steps of a playbook, in order.
pub async fn steps(tx: &mut Tx, playbook: Id) -> Result<Vec<StepRow>, StoreError> {
    const SQL: &str = "SELECT s.prompt, s.agent_id, a.name AS agent_name, s.on_error, s.output_key \
        FROM playbook_steps s LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.playbook_id = $2 ORDER BY s.position";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(playbook).fetch_all(c).await)?)
}

/// Replaces the steps of a playbook.
pub async fn replace_steps(tx: &mut WriteTx, playbook: Id, steps: &[StepRow]) -> Result<(), StoreError> {
    const CLEAR: &str = "DELETE FROM playbook_steps WHERE workspace_id = $1 AND playbook_id = $2";
    const ADD: &str = "INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, \
        output_key) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(CLEAR).bind(workspace).bind(playbook).execute(c).await.map(|_| ()))?;
    for (position, step) in (0_i64..).zip(steps) {
        with_backend!(tx, c => sqlx::query(ADD).bind(workspace).bind(playbook).bind(position).bind(&step.prompt)
            .bind(step.agent_id).bind(&step.on_error).bind(&step.output_key).execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

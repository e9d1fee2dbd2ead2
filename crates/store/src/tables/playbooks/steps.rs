//! The steps of a playbook. All steps are written together, so that their positions have no gaps.

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::Id;

use crate::backend::{StoreError, Tx, WriteTx, hex_optional_id, json};

/// A row of `playbook_steps` with the agent's name.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StepRow {
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
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(playbook)
        .fetch_all(c).await)?)
}

/// A step as JSON, without its playbook.
#[derive(Serialize)]
struct NewStep<'s> {
    position: usize,
    prompt: &'s str,
    #[serde(serialize_with = "hex_optional_id")]
    agent_id: Option<Id>,
    on_error: &'s str,
    output_key: Option<&'s str>,
}

pub async fn replace_steps(tx: &mut WriteTx, playbook: Id, steps: &[StepRow]) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM playbook_steps WHERE workspace_id = $1 AND playbook_id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(playbook).execute(c).await
        .map(|_| ()))?;
    insert_steps(tx, playbook, steps).await
}

/// Inserts the steps of a playbook that has none, with one statement.
pub async fn insert_steps(tx: &mut WriteTx, playbook: Id, steps: &[StepRow]) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, \
        output_key) SELECT $1, $2, v->>'position', v->>'prompt', unhex(v->>'agent_id'), v->>'on_error', \
        v->>'output_key' FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, \
        output_key) SELECT $1, $2, v.* FROM json_to_recordset(CAST($3 AS json)) \
        AS v(position BIGINT, prompt TEXT, agent_id UUID, on_error TEXT, output_key TEXT)";
    if steps.is_empty() {
        return Ok(());
    }
    let rows: Vec<NewStep<'_>> =
        steps.iter().enumerate().map(|(position, step)| step.new_at(position)).collect();
    let (workspace, rows) = (tx.workspace, json(&rows)?);
    let sql = tx.sql(SQLITE, PG);
    Ok(with_backend!(tx, c => sqlx::query(sql).bind(workspace).bind(playbook).bind(rows).execute(c).await
        .map(|_| ()))?)
}

impl StepRow {
    fn new_at(&self, position: usize) -> NewStep<'_> {
        NewStep {
            position,
            prompt: &self.prompt,
            agent_id: self.agent_id,
            on_error: &self.on_error,
            output_key: self.output_key.as_deref(),
        }
    }
}

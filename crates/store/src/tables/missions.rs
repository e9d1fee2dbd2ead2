//! Missions: a goal with its tasks, their dependencies and a budget.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, StoreError, Tx, WriteTx, hex_id, hex_optional_id, json, micros};

#[derive(Clone, Debug, FromRow)]
pub struct MissionRow {
    pub id: Id,
    /// The goal, in words.
    pub goal: String,
    /// `awaiting_approval`, `running`, `completed`, `failed` or `cancelled`.
    pub state: String,
    /// The maximum cost, in millionths of a dollar.
    pub max_cost_microusd: Option<i64>,
    /// The maximum number of input and output tokens together.
    pub max_tokens: Option<i64>,
    /// The percentage of a limit from which an alert is raised.
    pub alert_at_percent: i64,
    /// Why the mission was cancelled or failed.
    pub reason: Option<String>,
    /// The version of the row; each update increments it.
    pub version: i64,
    /// The user who created the mission.
    pub created_by: Option<Id>,
    /// The stored caller who created the mission. The assistant does its tasks as them.
    pub caller: Option<String>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// When the mission was started, in microseconds.
    pub started_at: Option<i64>,
    /// When the mission ended, in microseconds.
    pub finished_at: Option<i64>,
}

/// A mission with the progress of its tasks.
#[derive(Clone, Debug, FromRow)]
pub struct MissionSummaryRow {
    #[sqlx(flatten)]
    pub mission: MissionRow,
    pub tasks: i64,
    /// The number of tasks with the status `done`.
    pub tasks_done: i64,
}

/// A task of a mission.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct MissionTaskRow {
    /// ID.
    pub id: Id,
    /// Index in the submitted list, from 0, as used in `depends_on`.
    pub position: i64,
    /// Title.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub title: String,
    /// Instructions in plain text.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub description: Option<String>,
    /// ID of the agent that does the work.
    pub agent_id: Option<Id>,
    /// `open`, `in_progress`, `done`, `failed` or `cancelled`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Positions of the tasks that must be done first.
    #[sqlx(try_from = "JsonText")]
    pub depends_on: Vec<usize>,
    /// Result of a done task.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub output: Option<String>,
    /// Why the task failed.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub error: Option<String>,
    #[serde(skip)]
    pub mission_id: Id,
    /// When the task was created.
    #[serde(skip)]
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When the task was last changed.
    #[serde(skip)]
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// Lists at most `limit` missions after `cursor`, newest first. With `state`, only missions in this state.
pub async fn list(
    tx: &mut Tx,
    state: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<MissionSummaryRow>, StoreError> {
    let sql = filtered!(select!(missions "m." ", CAST((SELECT COUNT(*) FROM mission_tasks t \
         WHERE t.workspace_id = m.workspace_id AND t.mission_id = m.id) AS BIGINT) AS tasks, \
         CAST((SELECT COUNT(*) FROM mission_tasks t WHERE t.workspace_id = m.workspace_id AND t.mission_id = m.id \
         AND t.status = 'done') AS BIGINT) AS tasks_done FROM missions m \
         WHERE m.workspace_id = $1 AND "),
        [state => "m.state = $2" or "$2 IS NULL"],
        " AND (m.created_at, m.id) < ($3, $4) \
         ORDER BY m.created_at DESC, m.id DESC LIMIT $5"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(state)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<MissionRow>, StoreError> {
    tx.find(by_id!(missions), id).await
}

/// Returns a mission's tasks, ordered by position.
pub async fn tasks(tx: &mut Tx, mission: Id) -> Result<Vec<MissionTaskRow>, StoreError> {
    const SQL: &str = select!(mission_tasks " FROM mission_tasks WHERE workspace_id = $1 AND mission_id = $2 \
        ORDER BY position");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(mission)
        .fetch_all(c).await)
}

pub async fn insert(tx: &mut WriteTx, row: &MissionRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO missions (workspace_id, id, goal, state, max_cost_microusd, max_tokens, \
        alert_at_percent, reason, version, created_by, created_at, updated_at, started_at, finished_at, caller) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.goal)
        .bind(&row.state).bind(row.max_cost_microusd).bind(row.max_tokens).bind(row.alert_at_percent)
        .bind(&row.reason).bind(row.version).bind(row.created_by).bind(row.created_at.as_micros())
        .bind(row.updated_at.as_micros()).bind(row.started_at).bind(row.finished_at).bind(&row.caller).execute(c).await
        .map(|_| ()))
}

/// A task of a mission as JSON, without its mission.
#[derive(Serialize)]
struct NewTask<'t> {
    #[serde(serialize_with = "hex_id")]
    id: Id,
    position: i64,
    title: &'t str,
    description: Option<&'t str>,
    #[serde(serialize_with = "hex_optional_id")]
    agent_id: Option<Id>,
    status: &'t str,
    depends_on: String,
    #[serde(serialize_with = "micros")]
    created_at: Ts,
}

/// Inserts the tasks of a mission with one statement.
pub async fn insert_tasks(tx: &mut WriteTx, mission: Id, tasks: &[MissionTaskRow]) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO mission_tasks (workspace_id, id, mission_id, position, title, description, \
        agent_id, status, depends_on, created_at, updated_at) SELECT $1, unhex(v->>'id'), $2, v->>'position', \
        v->>'title', v->>'description', unhex(v->>'agent_id'), v->>'status', v->>'depends_on', v->>'created_at', \
        v->>'created_at' FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO mission_tasks (workspace_id, id, mission_id, position, title, description, \
        agent_id, status, depends_on, created_at, updated_at) SELECT $1, v.id, $2, v.position, v.title, \
        v.description, v.agent_id, v.status, v.depends_on, v.created_at, v.created_at \
        FROM json_to_recordset(CAST($3 AS json)) AS v(id UUID, position BIGINT, title TEXT, description TEXT, \
        agent_id UUID, status TEXT, depends_on TEXT, created_at BIGINT)";
    if tasks.is_empty() {
        return Ok(());
    }
    let rows: Vec<NewTask<'_>> = tasks.iter().map(MissionTaskRow::as_new).collect::<Result<_, _>>()?;
    let (workspace, rows) = (tx.workspace, json(&rows)?);
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, c => sqlx::query(sql).bind(workspace).bind(mission).bind(rows).execute(c).await
        .map(|_| ()))
}

impl MissionTaskRow {
    fn as_new(&self) -> Result<NewTask<'_>, StoreError> {
        Ok(NewTask {
            id: self.id,
            position: self.position,
            title: &self.title,
            description: self.description.as_deref(),
            agent_id: self.agent_id,
            status: &self.status,
            depends_on: json(&self.depends_on)?,
            created_at: self.created_at,
        })
    }
}

/// Returns a mission, locked until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<MissionRow>, StoreError> {
    let sql = locked!(tx, by_id!(missions) => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Starts a mission that awaits approval. Returns whether it did.
pub async fn start(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE missions SET state = 'running', version = version + 1, updated_at = $3, started_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND state = 'awaiting_approval'";
    Ok(tx.execute_at(SQL, id, at).await? == 1)
}

/// Stores the status, agent and result of a task.
pub async fn update_task(tx: &mut WriteTx, task: &MissionTaskRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE mission_tasks SET status = $3, agent_id = $4, output = $5, error = $6, updated_at = $7 \
        WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(task.id).bind(&task.status)
        .bind(task.agent_id).bind(&task.output).bind(&task.error).bind(task.updated_at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Ends a mission that has not ended as `completed`, `failed` or `cancelled`, and cancels its tasks that have not
/// ended. Returns the number of cancelled tasks, or `None` if no such mission is open.
pub async fn end(
    tx: &mut WriteTx,
    id: Id,
    state: &str,
    reason: Option<&str>,
    at: Ts,
) -> Result<Option<u64>, StoreError> {
    const MISSION: &str = "UPDATE missions SET state = $5, reason = $3, version = version + 1, \
        updated_at = $4, finished_at = $4 \
        WHERE workspace_id = $1 AND id = $2 AND state IN ('awaiting_approval', 'running')";
    const TASKS: &str = "UPDATE mission_tasks SET status = 'cancelled', updated_at = $3 \
        WHERE workspace_id = $1 AND mission_id = $2 AND status IN ('open', 'in_progress')";
    let ended = with_backend!(tx, workspace, c => sqlx::query(MISSION).bind(workspace).bind(id).bind(reason)
        .bind(at.as_micros()).bind(state).execute(c).await.map(|done| done.rows_affected()))?;
    if ended != 1 {
        return Ok(None);
    }
    let tasks = tx.execute_at(TASKS, id, at).await?;
    Ok(Some(tasks))
}

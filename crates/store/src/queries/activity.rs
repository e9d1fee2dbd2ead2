//! Recent activity in a workspace: domain events of the outbox and calls of the audit log.
//!
//! Every filter has the permissions or actions of the reader, and other events and calls are never returned.

use sqlx::{AssertSqlSafe, FromRow};
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx};

/// A domain event with the user who caused it.
#[derive(Clone, Debug, FromRow)]
pub struct ActivityEvent {
    /// The event's id.
    pub id: Id,
    /// When the event happened.
    #[sqlx(try_from = "i64")]
    pub at: Ts,
    /// The name, such as `task.created`.
    pub name: String,
    /// The payload, as JSON text.
    pub data: String,
    /// The user who caused the event, or for whom an agent or key caused it.
    pub user_id: Option<Id>,
    /// The user's display name.
    pub user_name: Option<String>,
}

/// A call with its caller.
#[derive(Clone, Debug, FromRow)]
pub struct CallEntry {
    /// The id of the call, which is the `call_id` of its response.
    pub id: Id,
    /// When the call was made.
    #[sqlx(try_from = "i64")]
    pub at: Ts,
    /// The action.
    pub action: String,
    /// `auto_allowed`, `approved` or `denied`.
    pub decision: String,
    /// The code of the error.
    pub error_code: Option<String>,
    /// The target of the call, for people.
    pub target: Option<String>,
    /// `user`, `agent` or `service`.
    pub principal_kind: String,
    /// The user, agent or key.
    pub principal_id: Id,
    /// The agent's slug.
    pub caller_name: Option<String>,
    /// The user who made the call, or for whom an agent or key made it.
    pub user_id: Option<Id>,
    /// The user's display name.
    pub user_name: Option<String>,
}

/// Conditions for events.
#[derive(Clone, Debug)]
pub struct EventFilter {
    /// Prefixes of names, such as `task.`, of which one must match.
    pub prefixes: Vec<&'static str>,
    /// The reader's permissions, such as `tasks:read`.
    pub permissions: Vec<String>,
    /// The earliest time.
    pub from: Ts,
}

/// Conditions for calls. Only writes that succeeded and refused calls match.
#[derive(Clone, Debug)]
pub struct CallFilter<'f> {
    /// The actions that the reader may see.
    pub actions: Vec<&'f str>,
    /// Whether refused calls of other users match too.
    pub all_refusals: bool,
    /// The user who reads.
    pub reader: Option<Id>,
    /// The earliest time.
    pub from: Ts,
}

const EVENTS: &str = "FROM events e LEFT JOIN members m ON m.workspace_id = e.workspace_id AND m.user_id = e.user_id \
    LEFT JOIN users u ON u.id = e.user_id \
    WHERE e.workspace_id = $1 AND e.occurred_at >= $2 AND e.kind = 'domain'";
const CALLS: &str = "FROM action_log l LEFT JOIN members m ON m.workspace_id = l.workspace_id AND m.user_id = l.user_id \
    LEFT JOIN users u ON u.id = l.user_id \
    WHERE l.workspace_id = $1 AND l.occurred_at >= $2 AND l.kind = 'call' \
    AND ((l.outcome = 'succeeded' AND l.permission_level <> 'read') \
      OR (l.decision = 'denied' AND ($3 OR l.user_id = $4)))";

/// Returns the newest matching events; at most `limit`.
pub async fn events(tx: &mut Tx, filter: &EventFilter, limit: i64) -> Result<Vec<ActivityEvent>, StoreError> {
    let Some(rest) = filter.rest() else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT e.id, e.occurred_at AS at, e.name, e.data, e.user_id, coalesce(m.display_name, u.display_name) AS user_name \
         {EVENTS} {rest} ORDER BY e.occurred_at DESC, e.id DESC LIMIT $3"
    );
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros());
        filter.permissions.iter().fold(query.bind(limit), sqlx::query::QueryAs::bind).fetch_all(c).await
    })?)
}

/// Counts the matching events by name.
pub async fn event_counts(tx: &mut Tx, filter: &EventFilter) -> Result<Vec<(String, i64)>, StoreError> {
    let Some(rest) = filter.rest() else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT e.name, CAST(COUNT(*) AS BIGINT) {EVENTS} {rest} GROUP BY e.name ORDER BY e.name LIMIT $3"
    );
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros());
        filter.permissions.iter().fold(query.bind(1_000_i64), sqlx::query::QueryAs::bind).fetch_all(c).await
    })?)
}

/// Returns the newest matching calls; at most `limit`.
pub async fn calls(tx: &mut Tx, filter: &CallFilter<'_>, limit: i64) -> Result<Vec<CallEntry>, StoreError> {
    let Some(rest) = within("l.action", 6, filter.actions.len()) else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT l.id, l.occurred_at AS at, l.action, l.decision, l.error_code, l.target, l.principal_kind, \
         l.principal_id, l.caller_name, l.user_id, coalesce(m.display_name, u.display_name) AS user_name \
         {CALLS} AND {rest} ORDER BY l.occurred_at DESC, l.id DESC LIMIT $5"
    );
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros())
            .bind(filter.all_refusals).bind(filter.reader);
        filter.actions.iter().fold(query.bind(limit), |query, one| query.bind(*one)).fetch_all(c).await
    })?)
}

/// Counts the matching calls.
pub async fn call_count(tx: &mut Tx, filter: &CallFilter<'_>) -> Result<i64, StoreError> {
    let Some(rest) = within("l.action", 5, filter.actions.len()) else { return Ok(0) };
    let sql = format!("SELECT CAST(COUNT(*) AS BIGINT) {CALLS} AND {rest}");
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros())
            .bind(filter.all_refusals).bind(filter.reader);
        filter.actions.iter().fold(query, |query, one| query.bind(*one)).fetch_one(c).await
    })?)
}

impl EventFilter {
    /// Returns the SQL condition for names and permissions, or `None` if nothing can match. Permissions are
    /// bound from $4 on.
    fn rest(&self) -> Option<String> {
        let permissions = within("e.permission", 4, self.permissions.len())?;
        let names: Vec<String> =
            self.prefixes.iter().map(|prefix| format!("e.name LIKE '{prefix}%'")).collect();
        (!names.is_empty()).then(|| format!("AND {permissions} AND ({})", names.join(" OR ")))
    }
}

/// Returns `column IN ($first, …)`, or `None` for an empty list.
fn within(column: &str, first: usize, count: usize) -> Option<String> {
    let list: Vec<String> = (first..first + count).map(|n| format!("${n}")).collect();
    (count > 0).then(|| format!("{column} IN ({})", list.join(", ")))
}

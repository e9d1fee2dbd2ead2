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

const EVENTS: &str = "FROM events e WHERE e.workspace_id = $1 AND e.occurred_at >= $2 AND e.kind = 'domain'";
/// The name of the user of a row, without a join: a count of rows needs no names.
const NAME: &str = "coalesce((SELECT m.display_name FROM members m WHERE m.workspace_id = $1 AND m.user_id = of.user_id), \
    (SELECT u.display_name FROM users u WHERE u.id = of.user_id)) AS user_name";
/// The third and fourth line are the condition of the index `action_log_activity` (migration 93), word for word: SQLite compares
/// them as text. A denied call never succeeds.
const CALLS: &str = "FROM action_log l WHERE l.workspace_id = $1 AND l.occurred_at >= $2 \
    AND (l.decision <> 'denied' OR $3 OR l.user_id = $4) \
    AND l.kind = 'call' \
    AND ((l.outcome = 'succeeded' AND l.permission_level <> 'read') OR l.decision = 'denied')";

/// Returns [`CALLS`] for the transaction's database. In a log of many reads SQLite takes the index by time otherwise, which has
/// every row.
fn calls_of(tx: &Tx) -> String {
    CALLS.replacen("action_log l", tx.sql("action_log l INDEXED BY action_log_activity", "action_log l"), 1)
}

/// Returns the newest matching events; at most `limit`.
pub async fn events(tx: &mut Tx, filter: &EventFilter, limit: i64) -> Result<Vec<ActivityEvent>, StoreError> {
    let Some(permissions) = filter.permitted(4) else { return Ok(Vec::new()) };
    let name = NAME.replace("of.", "e.");
    let names = filter.prefixes.iter().map(|prefix| begins_with(prefix)).collect::<Vec<_>>().join(" OR ");
    let sql = format!(
        "SELECT e.id, e.occurred_at AS at, e.name, e.data, e.user_id, {name} \
         {EVENTS} AND {permissions} AND ({names}) ORDER BY e.occurred_at DESC, e.id DESC LIMIT $3"
    );
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros());
        filter.permissions.iter().fold(query.bind(limit), sqlx::query::QueryAs::bind).fetch_all(c).await
    })?)
}

/// Counts the matching events by prefix.
pub async fn event_counts(tx: &mut Tx, filter: &EventFilter) -> Result<Vec<(&'static str, i64)>, StoreError> {
    let Some(permissions) = filter.permitted(3) else { return Ok(Vec::new()) };
    // One row of counts instead of groups, which SQLite would sort.
    let count = |prefix: &&str| format!("CAST(COUNT(*) FILTER (WHERE {}) AS TEXT)", begins_with(prefix));
    let counts = filter.prefixes.iter().map(count).collect::<Vec<_>>().join(" || ',' || ");
    let sql = format!("SELECT {counts} {EVENTS} AND {permissions}");
    let workspace = tx.workspace;
    let counts: String = with_backend!(tx, c => {
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros());
        filter.permissions.iter().fold(query, sqlx::query::QueryScalar::bind).fetch_one(c).await
    })?;
    Ok(filter
        .prefixes
        .iter()
        .copied()
        .zip(counts.split(',').map(|count| count.parse().unwrap_or(0)))
        .collect())
}

/// Returns the newest matching calls; at most `limit`.
pub async fn calls(tx: &mut Tx, filter: &CallFilter<'_>, limit: i64) -> Result<Vec<CallEntry>, StoreError> {
    let Some(rest) = within("l.action", 6, filter.actions.len()) else { return Ok(Vec::new()) };
    let (name, calls) = (NAME.replace("of.", "l."), calls_of(tx));
    let sql = format!(
        "SELECT l.id, l.occurred_at AS at, l.action, l.decision, l.error_code, l.target, l.principal_kind, \
         l.principal_id, l.caller_name, l.user_id, {name} \
         {calls} AND {rest} ORDER BY l.occurred_at DESC, l.id DESC LIMIT $5"
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
    let sql = format!("SELECT CAST(COUNT(*) AS BIGINT) {} AND {rest}", calls_of(tx));
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => {
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(workspace).bind(filter.from.as_micros())
            .bind(filter.all_refusals).bind(filter.reader);
        filter.actions.iter().fold(query, |query, one| query.bind(*one)).fetch_one(c).await
    })?)
}

impl EventFilter {
    /// Returns the SQL condition for permissions, which are bound from `$first` on, or `None` if nothing can match.
    fn permitted(&self, first: usize) -> Option<String> {
        let permissions = within("e.permission", first, self.permissions.len())?;
        (!self.prefixes.is_empty()).then_some(permissions)
    }
}

fn begins_with(prefix: &str) -> String {
    format!("e.name LIKE '{prefix}%'")
}

/// Returns `column IN ($first, …)`, or `None` for an empty list.
fn within(column: &str, first: usize, count: usize) -> Option<String> {
    let list: Vec<String> = (first..first + count).map(|n| format!("${n}")).collect();
    (count > 0).then(|| format!("{column} IN ({})", list.join(", ")))
}

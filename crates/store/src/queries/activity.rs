//! Recent activity in a workspace: domain events of the outbox and calls of the audit log.
//!
//! Every filter has the permissions or actions of the reader, and other events and calls are never returned. Counts are
//! of the newest [`MAX_COUNTED`] matches, so that they take as long in a large workspace as in a small one.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx};

/// The most events, calls or messages that one count reads.
pub const MAX_COUNTED: i64 = 500;

/// A domain event with the user who caused it.
#[derive(Clone, Debug, FromRow)]
pub struct ActivityEvent {
    pub id: Id,
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

#[derive(Clone, Debug, FromRow)]
pub struct CallEntry {
    /// The id of the call, which is the `call_id` of its response.
    pub id: Id,
    #[sqlx(try_from = "i64")]
    pub at: Ts,
    pub action: String,
    /// `auto_allowed`, `approved` or `denied`.
    pub decision: String,
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

/// The numbers of events by the prefix of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct EventCounts {
    /// All events that were counted, at most [`MAX_COUNTED`].
    pub counted: i64,
    /// Events with the prefix `playbook.`.
    pub playbook: i64,
    /// Events with the prefix `heartbeat.`.
    pub heartbeat: i64,
    /// Events with the prefix `mission.`.
    pub mission: i64,
    /// Events with the prefix `task.`.
    pub task: i64,
}

#[derive(Clone, Debug)]
pub struct EventFilter {
    /// Prefixes of names up to the dot, such as `task.`, of which one must match.
    pub prefixes: Vec<&'static str>,
    /// The reader's permissions, such as `tasks:read`.
    pub permissions: Vec<String>,
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
    pub from: Ts,
}

/// Whether an expression is one of the words of a parameter, a JSON array of texts. PostgreSQL looks it up in a hash
/// table that is made once; it would compare with each of several parameters. `IS TRUE` keeps it from a join, which
/// would sort all rows before the newest are taken.
macro_rules! one_of {
    (sqlite, $expression:expr, $parameter:literal) => {
        concat!($expression, " IN (SELECT value FROM json_each(", $parameter, "))")
    };
    (pg, $expression:expr, $parameter:literal) => {
        concat!(
            "(",
            $expression,
            " IN (SELECT jsonb_array_elements_text(CAST(",
            $parameter,
            " AS jsonb)))) IS TRUE"
        )
    };
}

/// The order in which the newest rows come first, after the name of the table.
macro_rules! newest {
    ($table:literal) => {
        concat!(" ORDER BY ", $table, ".occurred_at DESC, ", $table, ".id DESC LIMIT ")
    };
}

macro_rules! events {
    ($database:ident) => {
        concat!(
            " FROM events e WHERE e.workspace_id = $1 AND e.occurred_at >= $2 AND e.kind = 'domain' AND ",
            one_of!($database, "e.permission", "$3")
        )
    };
}

/// Binds the workspace and the parameters of `events!`.
macro_rules! bind_events {
    ($query:expr, $workspace:expr, $filter:expr) => {
        $query.bind($workspace).bind($filter.from.as_micros()).bind(array(&$filter.permissions))
    };
}

/// A name up to its dot.
macro_rules! prefix {
    (sqlite) => {
        "substr(e.name, 1, instr(e.name, '.'))"
    };
    (pg) => {
        "split_part(e.name, '.', 1) || '.'"
    };
}

/// The table, with the index that has only these calls. In a log of many reads SQLite takes the index by time
/// otherwise, which has every row.
macro_rules! log {
    (sqlite) => {
        "action_log l INDEXED BY action_log_activity"
    };
    (pg) => {
        "action_log l"
    };
}

/// The calls of a filter. The last two conditions are those of the index `action_log_activity`, word for word: SQLite
/// compares them as text. A denied call never succeeds.
macro_rules! calls {
    ($database:ident) => {
        concat!(
            " FROM ",
            log!($database),
            " WHERE l.workspace_id = $1 AND l.occurred_at >= $2 AND (l.decision <> 'denied' OR $3 OR l.user_id = $4) \
              AND ",
            one_of!($database, "l.action", "$5"),
            " AND l.kind = 'call' \
              AND ((l.outcome = 'succeeded' AND l.permission_level <> 'read') OR l.decision = 'denied')"
        )
    };
}

/// Binds the workspace and the parameters of `calls!`.
macro_rules! bind_calls {
    ($query:expr, $workspace:expr, $filter:expr) => {
        $query
            .bind($workspace)
            .bind($filter.from.as_micros())
            .bind($filter.all_refusals)
            .bind($filter.reader)
            .bind(array(&$filter.actions))
    };
}

/// The name of the user of a row, without a join: a page needs few names.
macro_rules! user_name {
    ($of:literal) => {
        concat!(
            "coalesce((SELECT m.display_name FROM members m WHERE m.workspace_id = $1 AND m.user_id = ",
            $of,
            "), (SELECT u.display_name FROM users u WHERE u.id = ",
            $of,
            ")) AS user_name"
        )
    };
}

/// Returns the newest matching events; at most `limit`.
pub async fn events(tx: &mut Tx, filter: &EventFilter, limit: i64) -> Result<Vec<ActivityEvent>, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            concat!(
                "SELECT e.id, e.occurred_at AS at, e.name, e.data, e.user_id, ",
                user_name!("e.user_id"),
                events!($database),
                " AND ",
                one_of!($database, prefix!($database), "$4"),
                newest!("e"),
                "$5"
            )
        };
    }
    let (workspace, sql) = (tx.workspace, tx.sql(sql!(sqlite), sql!(pg)));
    let prefixes = array(&filter.prefixes);
    with_backend!(tx, c => bind_events!(sqlx::query_as(sql), workspace, filter).bind(prefixes).bind(limit)
        .fetch_all(c).await)
}

/// Counts the newest events by the prefix of their names, whatever prefixes the filter has.
pub async fn event_counts(tx: &mut Tx, filter: &EventFilter) -> Result<EventCounts, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            // One row of counts instead of groups, which SQLite would sort.
            concat!(
                "SELECT CAST(COUNT(*) AS BIGINT) AS counted, \
                 CAST(COUNT(*) FILTER (WHERE name LIKE 'playbook.%') AS BIGINT) AS playbook, \
                 CAST(COUNT(*) FILTER (WHERE name LIKE 'heartbeat.%') AS BIGINT) AS heartbeat, \
                 CAST(COUNT(*) FILTER (WHERE name LIKE 'mission.%') AS BIGINT) AS mission, \
                 CAST(COUNT(*) FILTER (WHERE name LIKE 'task.%') AS BIGINT) AS task FROM (SELECT e.name",
                events!($database),
                newest!("e"),
                "$4) newest"
            )
        };
    }
    let (workspace, sql) = (tx.workspace, tx.sql(sql!(sqlite), sql!(pg)));
    with_backend!(tx, c => bind_events!(sqlx::query_as(sql), workspace, filter).bind(MAX_COUNTED)
        .fetch_one(c).await)
}

/// Returns the newest matching calls; at most `limit`.
pub async fn calls(tx: &mut Tx, filter: &CallFilter<'_>, limit: i64) -> Result<Vec<CallEntry>, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            concat!(
                "SELECT l.id, l.occurred_at AS at, l.action, l.decision, l.error_code, l.target, l.principal_kind, \
                 l.principal_id, l.caller_name, l.user_id, ",
                user_name!("l.user_id"),
                calls!($database),
                newest!("l"),
                "$6"
            )
        };
    }
    let (workspace, sql) = (tx.workspace, tx.sql(sql!(sqlite), sql!(pg)));
    with_backend!(tx, c => bind_calls!(sqlx::query_as(sql), workspace, filter).bind(limit)
        .fetch_all(c).await)
}

/// Counts the newest matching calls.
pub async fn call_count(tx: &mut Tx, filter: &CallFilter<'_>) -> Result<i64, StoreError> {
    macro_rules! sql {
        ($database:ident) => {
            concat!(
                "SELECT CAST(COUNT(*) AS BIGINT) FROM (SELECT l.id",
                calls!($database),
                newest!("l"),
                "$6) newest"
            )
        };
    }
    let (workspace, sql) = (tx.workspace, tx.sql(sql!(sqlite), sql!(pg)));
    with_backend!(tx, c => bind_calls!(sqlx::query_scalar(sql), workspace, filter).bind(MAX_COUNTED)
        .fetch_one(c).await)
}

/// Returns a JSON array, the value of a parameter of `one_of!`.
fn array<T: serde::Serialize>(words: &[T]) -> String {
    serde_json::json!(words).to_string()
}

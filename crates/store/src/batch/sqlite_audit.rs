//! Audit rows into SQLite, bound value by value: reading them from JSON costs it several times as much.

use std::sync::LazyLock;

use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use crate::{AuditRow, StoreError};

/// What follows `workspace_id`.
const COLUMNS: [&str; 30] = [
    "id",
    "occurred_at",
    "kind",
    "action",
    "permission_level",
    "via",
    "surface",
    "principal_kind",
    "principal_id",
    "user_id",
    "credential_id",
    "role",
    "system_admin",
    "caller_type",
    "caller_name",
    "session",
    "mission_id",
    "decision",
    "granted_by",
    "always_allow",
    "relayed_by",
    "reason",
    "arguments",
    "target",
    "error_code",
    "outcome",
    "duration_ms",
    "request_id",
    "trace_id",
    "confirmation_id",
];

/// Begins what [`Place::Begun`] ends.
pub const BEGIN: &str = "BEGIN IMMEDIATE; SAVEPOINT call_group";

/// Where rows are written and committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a transaction of their own.
    Alone,
    /// In the one that [`BEGIN`] began.
    Begun,
}

const COMMIT: &str = "RELEASE SAVEPOINT call_group; COMMIT";

/// At most this many rows are one statement.
pub const MOST: usize = 64;
/// Rows for which a statement is kept. One with room for more is told fewer: what is not bound is NULL.
const ROOMS: [usize; 3] = [4, 16, MOST];

/// The texts for one of [`ROOMS`].
struct Insert {
    rows: String,
    /// With the end of the transaction that [`BEGIN`] began.
    begun: String,
    /// In a transaction of their own.
    alone: String,
}

static INSERTS: LazyLock<[Insert; 3]> = LazyLock::new(|| {
    ROOMS.map(|rows| {
        let row = format!("(?{})", ", ?".repeat(COLUMNS.len()));
        let values = vec![row; rows].join(", ");
        let columns = COLUMNS.join(", ");
        let rows = format!(
            "INSERT INTO action_log (workspace_id, {columns}) SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"
        );
        Insert {
            begun: format!("{rows}; {COMMIT}"),
            alone: format!("BEGIN IMMEDIATE; {rows}; COMMIT"),
            rows,
        }
    })
});

/// Writes at most [`MOST`] rows and, where `ends` is said, commits.
pub async fn insert(
    conn: &mut SqliteConnection,
    rows: Vec<AuditRow>,
    ends: Option<Place>,
) -> Result<(), StoreError> {
    let inserts: &'static [Insert; 3] = &INSERTS;
    let room = ROOMS.iter().position(|room| rows.len() <= *room).unwrap_or(ROOMS.len() - 1);
    let sql = match (&inserts[room], ends) {
        (_, Some(Place::Begun)) if rows.is_empty() => COMMIT,
        (insert, Some(Place::Begun)) => &insert.begun,
        (insert, Some(Place::Alone)) => &insert.alone,
        (insert, None) => &insert.rows,
    };
    rows.into_iter().fold(sqlx::query(sql), bind).execute(conn).await?;
    Ok(())
}

/// The workspace, then in the order of [`COLUMNS`].
fn bind(query: Query<'_, Sqlite, SqliteArguments>, row: AuditRow) -> Query<'_, Sqlite, SqliteArguments> {
    query
        .bind(row.workspace_id)
        .bind(row.id)
        .bind(row.occurred_at.as_micros())
        .bind(row.kind)
        .bind(row.action)
        .bind(row.permission_level)
        .bind(row.via)
        .bind(row.surface)
        .bind(row.principal_kind)
        .bind(row.principal_id)
        .bind(row.user_id)
        .bind(row.credential_id)
        .bind(row.role)
        .bind(row.system_admin)
        .bind(row.caller_type)
        .bind(row.caller_name)
        .bind(row.session)
        .bind(row.mission_id)
        .bind(row.decision)
        .bind(row.granted_by)
        .bind(row.always_allow)
        .bind(row.relayed_by)
        .bind(row.reason)
        .bind(row.arguments)
        .bind(row.target)
        .bind(row.error_code)
        .bind(row.outcome)
        .bind(row.duration_ms)
        .bind(row.request_id)
        .bind(row.trace_id)
        .bind(row.confirmation_id)
}

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

/// How many rows one statement takes. A batch is cut greedily, so that few texts are prepared and kept.
const SIZES: [usize; 4] = [64, 16, 4, 1];

static INSERTS: LazyLock<[String; 4]> = LazyLock::new(|| {
    SIZES.map(|rows| {
        let row = format!("(?{})", ", ?".repeat(COLUMNS.len()));
        let values = vec![row; rows].join(", ");
        format!("INSERT INTO action_log (workspace_id, {}) VALUES {values}", COLUMNS.join(", "))
    })
});

/// Writes the rows inside the open transaction.
pub async fn insert(conn: &mut SqliteConnection, mut rows: &[AuditRow]) -> Result<(), StoreError> {
    let inserts: &'static [String; 4] = &INSERTS;
    for (size, sql) in SIZES.into_iter().zip(inserts) {
        while rows.len() >= size {
            let (now, later) = rows.split_at(size);
            now.iter().fold(sqlx::query(sql.as_str()), bind).execute(&mut *conn).await?;
            rows = later;
        }
    }
    Ok(())
}

/// The workspace, then in the order of [`COLUMNS`].
fn bind<'q>(query: Query<'q, Sqlite, SqliteArguments>, row: &AuditRow) -> Query<'q, Sqlite, SqliteArguments> {
    query
        .bind(row.workspace_id)
        .bind(row.id)
        .bind(row.occurred_at.as_micros())
        .bind(row.kind)
        .bind(row.action.clone())
        .bind(row.permission_level)
        .bind(row.via)
        .bind(row.surface)
        .bind(row.principal_kind)
        .bind(row.principal_id)
        .bind(row.user_id)
        .bind(row.credential_id)
        .bind(row.role)
        .bind(row.system_admin)
        .bind(row.caller_type.clone())
        .bind(row.caller_name.clone())
        .bind(row.session.clone())
        .bind(row.mission_id)
        .bind(row.decision)
        .bind(row.granted_by)
        .bind(row.always_allow)
        .bind(row.relayed_by)
        .bind(row.reason.clone())
        .bind(row.arguments.clone())
        .bind(row.target.clone())
        .bind(row.error_code)
        .bind(row.outcome)
        .bind(row.duration_ms)
        .bind(row.request_id.clone())
        .bind(row.trace_id.clone())
        .bind(row.confirmation_id)
}

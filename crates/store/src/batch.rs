//! Audit and outbox rows as one statement a batch.

use serde::Serialize;
use sqlx::{PgConnection, SqliteConnection};

use crate::{AuditRow, EventRow, StoreError};

const SQLITE_AUDIT: &str = "INSERT INTO action_log (workspace_id, id, occurred_at, kind, action, permission_level, via, \
    surface, principal_kind, principal_id, user_id, credential_id, role, system_admin, caller_type, caller_name, session, \
    mission_id, decision, granted_by, always_allow, relayed_by, reason, arguments, target, error_code, outcome, \
    duration_ms, request_id, trace_id, confirmation_id) \
    SELECT unhex(v->>'workspace_id'), unhex(v->>'id'), v->>'occurred_at', v->>'kind', v->>'action', \
    v->>'permission_level', v->>'via', v->>'surface', v->>'principal_kind', unhex(v->>'principal_id'), \
    unhex(v->>'user_id'), unhex(v->>'credential_id'), v->>'role', v->>'system_admin', v->>'caller_type', \
    v->>'caller_name', v->>'session', unhex(v->>'mission_id'), v->>'decision', v->>'granted_by', v->>'always_allow', \
    unhex(v->>'relayed_by'), v->>'reason', v->>'arguments', v->>'target', v->>'error_code', v->>'outcome', \
    v->>'duration_ms', v->>'request_id', v->>'trace_id', unhex(v->>'confirmation_id') \
    FROM (SELECT value AS v FROM json_each($1))";

const SQLITE_EVENTS: &str = "INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, \
    occurred_at) SELECT unhex(v->>'workspace_id'), unhex(v->>'id'), v->>'name', v->>'kind', v->>'session', \
    unhex(v->>'user_id'), v->>'permission', v->>'data', v->>'occurred_at' FROM (SELECT value AS v FROM json_each($1))";

const PG_AUDIT: &str =
    "INSERT INTO action_log SELECT * FROM json_populate_recordset(NULL::action_log, $1::json)";

/// Both kinds of rows into SQLite, inside the open transaction.
pub async fn sqlite(
    conn: &mut SqliteConnection,
    audit: &[AuditRow],
    events: &[EventRow],
) -> Result<(), StoreError> {
    if !audit.is_empty() {
        sqlx::query(SQLITE_AUDIT).bind(json(audit)?).execute(&mut *conn).await?;
    }
    if !events.is_empty() {
        sqlx::query(SQLITE_EVENTS).bind(json(events)?).execute(&mut *conn).await?;
    }
    Ok(())
}

/// A batch of audit rows into PostgreSQL, as its own commit.
pub async fn pg_audit(conn: &mut PgConnection, audit: &[AuditRow]) -> Result<(), StoreError> {
    sqlx::query(PG_AUDIT).bind(json(audit)?).execute(conn).await?;
    Ok(())
}

/// The statements that write the rows and commit, for one round trip. The JSON is a quoted literal: with
/// `standard_conforming_strings` a doubled quote is all it needs.
pub fn pg_commit(audit: &[AuditRow], events: &[EventRow]) -> Result<String, StoreError> {
    let mut sql = String::new();
    if !audit.is_empty() {
        let rows = json(audit)?.replace('\'', "''");
        sql.push_str("INSERT INTO action_log SELECT * FROM json_populate_recordset(NULL::action_log, '");
        sql.push_str(&rows);
        sql.push_str("'::json);");
    }
    if !events.is_empty() {
        let rows = json(events)?.replace('\'', "''");
        sql.push_str(
            "INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, occurred_at) \
             SELECT workspace_id, id, name, kind, session, user_id, permission, data, occurred_at \
             FROM json_populate_recordset(NULL::events, '",
        );
        sql.push_str(&rows);
        sql.push_str("'::json);");
    }
    if sql.is_empty() {
        // After a failed statement COMMIT rolls back and reports no error; this fails instead, as an INSERT would.
        sql.push_str("RELEASE SAVEPOINT call_start;");
    }
    sql.push_str("COMMIT");
    Ok(sql)
}

fn json<T: Serialize>(rows: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|fault| StoreError::Inconsistent(fault.to_string()))
}

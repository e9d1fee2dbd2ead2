//! Audit and outbox rows as one statement a batch.

use serde::Serialize;
use sqlx::{PgConnection, SqliteConnection};

use crate::{AuditRow, EventRow, StoreError};

mod sqlite_audit;

pub use sqlite_audit::Place;

const SQLITE_EVENTS: &str = "INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, \
    occurred_at) SELECT unhex(v->>'workspace_id'), unhex(v->>'id'), v->>'name', v->>'kind', v->>'session', \
    unhex(v->>'user_id'), v->>'permission', v->>'data', v->>'occurred_at' FROM (SELECT value AS v FROM json_each($1))";

/// Audit rows out of the JSON that a parameter holds.
macro_rules! pg_audit {
    ($json:literal) => {
        concat!(
            "INSERT INTO action_log SELECT * FROM json_populate_recordset(NULL::action_log, ",
            $json,
            "::json)"
        )
    };
}

/// Events out of the JSON that a parameter holds.
macro_rules! pg_events {
    ($json:literal) => {
        concat!(
            "INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, occurred_at) \
             SELECT workspace_id, id, name, kind, session, user_id, permission, data, occurred_at \
             FROM json_populate_recordset(NULL::events, ",
            $json,
            "::json)"
        )
    };
}

const PG_AUDIT: &str = pg_audit!("$1");
/// One statement is one commit.
const PG_AUDIT_AND_EVENTS: &str = concat!("WITH logged AS (", pg_audit!("$1"), ") ", pg_events!("$2"));
/// For each new connection to PostgreSQL, which then plans both once.
pub const PG_PREPARE: &str = concat!(
    "PREPARE write_audit(json) AS ",
    pg_audit!("$1"),
    "; PREPARE write_events(json) AS ",
    pg_events!("$1")
);

/// Both kinds of rows into SQLite, and the commit of the transaction that `place` says.
pub async fn sqlite(
    conn: &mut SqliteConnection,
    mut audit: Vec<AuditRow>,
    events: &[EventRow],
    mut place: Place,
) -> Result<(), StoreError> {
    if place == Place::Alone && (audit.len() > sqlite_audit::MOST || !events.is_empty()) {
        sqlx::query(sqlite_audit::BEGIN).execute(&mut *conn).await?;
        place = Place::Begun;
    }
    if !events.is_empty() {
        sqlx::query(SQLITE_EVENTS).bind(json(events)?).execute(&mut *conn).await?;
    }
    while audit.len() > sqlite_audit::MOST {
        let later = audit.split_off(sqlite_audit::MOST);
        sqlite_audit::insert(conn, audit, None).await?;
        audit = later;
    }
    sqlite_audit::insert(conn, audit, Some(place)).await
}

/// A batch of audit rows, and of the events that go with them, into PostgreSQL, as its own commit.
pub async fn pg_audit(
    conn: &mut PgConnection,
    audit: &[AuditRow],
    events: &[EventRow],
) -> Result<(), StoreError> {
    if events.is_empty() {
        sqlx::query(PG_AUDIT).bind(json(audit)?).execute(conn).await?;
    } else {
        sqlx::query(PG_AUDIT_AND_EVENTS).bind(json(audit)?).bind(json(events)?).execute(conn).await?;
    }
    Ok(())
}

/// The statements that write the rows and commit, for one round trip. The JSON is a quoted literal: with
/// `standard_conforming_strings` a doubled quote is all it needs.
pub fn pg_commit(audit: &[AuditRow], events: &[EventRow]) -> Result<String, StoreError> {
    let mut sql = String::new();
    if !audit.is_empty() {
        sql.push_str(&execute("write_audit", audit)?);
    }
    if !events.is_empty() {
        sql.push_str(&execute("write_events", events)?);
    }
    if sql.is_empty() {
        // After a failed statement COMMIT rolls back and reports no error; this fails instead, as an INSERT would.
        sql.push_str("RELEASE SAVEPOINT call_start;");
    }
    sql.push_str("COMMIT");
    Ok(sql)
}

fn execute<T: Serialize>(prepared: &str, rows: &[T]) -> Result<String, StoreError> {
    Ok(format!("EXECUTE {prepared}('{}');", json(rows)?.replace('\'', "''")))
}

/// Rows as one JSON text.
pub fn json<T: Serialize>(rows: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|fault| StoreError::Inconsistent(fault.to_string()))
}

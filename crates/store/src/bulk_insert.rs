//! Audit and outbox rows: as one statement a batch, or, for the few of one write, on PostgreSQL value by value.

use std::sync::LazyLock;

use serde::Serialize;
use sqlx::{PgConnection, SqliteConnection};

use crate::{AuditRow, EventRow, StoreError};

/// Events out of the JSON that a parameter of SQLite's holds.
macro_rules! sqlite_events {
    ($json:literal) => {
        concat!(
            "INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, occurred_at) \
             SELECT unhex(v->>'workspace_id'), unhex(v->>'id'), v->>'name', v->>'kind', v->>'session', \
             unhex(v->>'user_id'), v->>'permission', v->>'data', v->>'occurred_at' \
             FROM (SELECT value AS v FROM json_each(",
            $json,
            "))"
        )
    };
}

mod sql_value;
mod sqlite_audit;

pub use sql_value::SqlValue;
pub use sqlite_audit::{CommitMode, RowsFirst};

const SQLITE_EVENTS: &str = sqlite_events!("$1");

/// Many audit rows out of the JSON that the first parameter holds.
const PG_AUDIT: &str =
    "INSERT INTO action_log SELECT * FROM json_populate_recordset(NULL::action_log, $1::json)";
/// And events out of the second's: one statement is one commit.
static PG_AUDIT_AND_EVENTS: LazyLock<String> = LazyLock::new(|| {
    let columns = sql_value::EVENT.join(", ");
    format!(
        "WITH logged AS ({PG_AUDIT}) INSERT INTO events (workspace_id, {columns}) \
         SELECT workspace_id, {columns} FROM json_populate_recordset(NULL::events, $2::json)"
    )
});
/// For each new connection to PostgreSQL, which then plans both once.
pub static PG_PREPARE: LazyLock<String> = LazyLock::new(|| {
    let (audit, event) = (insert("action_log", &sql_value::AUDIT), insert("events", &sql_value::EVENT));
    format!("PREPARE write_audit AS {audit}; PREPARE write_event AS {event}")
});

/// Adds a row whose columns behind `workspace_id` are these, each bound by itself.
pub fn insert(table: &str, columns: &[&str]) -> String {
    let values: Vec<String> = (1..=columns.len() + 1).map(|number| format!("${number}")).collect();
    let (columns, values) = (columns.join(", "), values.join(", "));
    format!("INSERT INTO {table} (workspace_id, {columns}) VALUES ({values})")
}

/// Both kinds of rows into SQLite, and the commit of the transaction that `mode` says. Where a row is refused the
/// transaction stays open, and is as it was before once [`sqlite_undo`] ran.
pub async fn sqlite(
    conn: &mut SqliteConnection,
    audit: &[&AuditRow],
    events: &[&EventRow],
    mut mode: CommitMode,
) -> Result<(), StoreError> {
    if in_parts(audit, events) {
        let texts: &'static sqlite_audit::FirstPart =
            if mode == CommitMode::Alone { &sqlite_audit::ALONE } else { &sqlite_audit::BEGUN };
        if events.is_empty() {
            sqlx::query(texts.begin).execute(&mut *conn).await?;
        } else {
            sqlx::query(texts.with_events.as_str()).bind(json(events)?).execute(&mut *conn).await?;
        }
        mode = CommitMode::Begun;
    }
    let (first, last) = split(audit);
    for part in first {
        sqlite_audit::insert(conn, part, None).await?;
    }
    sqlite_audit::insert(conn, last, Some(mode)).await
}

/// Takes back what [`sqlite`] wrote before it was refused, and begins where nothing was begun.
pub async fn sqlite_undo(
    conn: &mut SqliteConnection,
    audit: &[&AuditRow],
    events: &[&EventRow],
    mode: CommitMode,
) -> Result<(), StoreError> {
    let sql = match mode {
        CommitMode::Alone => "ROLLBACK; BEGIN IMMEDIATE; SAVEPOINT call_group",
        CommitMode::Begun if in_parts(audit, events) => {
            "ROLLBACK TO SAVEPOINT call_rows; RELEASE SAVEPOINT call_rows"
        }
        CommitMode::Begun => return Ok(()),
    };
    sqlx::query(sql).execute(conn).await?;
    Ok(())
}

/// Both kinds of rows into SQLite's open transaction.
pub async fn sqlite_rows(
    conn: &mut SqliteConnection,
    audit: &[&AuditRow],
    events: &[&EventRow],
) -> Result<(), StoreError> {
    if !events.is_empty() {
        sqlx::query(SQLITE_EVENTS).bind(json(events)?).execute(&mut *conn).await?;
    }
    for part in audit.chunks(sqlite_audit::MOST) {
        sqlite_audit::insert(conn, part, None).await?;
    }
    Ok(())
}

/// Whether [`sqlite`] needs several statements, behind a savepoint of theirs.
fn in_parts(audit: &[&AuditRow], events: &[&EventRow]) -> bool {
    audit.len() > sqlite_audit::MOST || !events.is_empty()
}

/// Whole statements, and what is left for the last one.
fn split<'r, 'a>(
    audit: &'r [&'a AuditRow],
) -> (impl Iterator<Item = &'r [&'a AuditRow]>, &'r [&'a AuditRow]) {
    let whole = audit.len().saturating_sub(1) / sqlite_audit::MOST * sqlite_audit::MOST;
    let (first, last) = audit.split_at(whole);
    (first.chunks(sqlite_audit::MOST), last)
}

/// A batch of audit rows, and of the events that go with them, into PostgreSQL, as its own commit.
pub async fn pg_audit(
    conn: &mut PgConnection,
    audit: &[&AuditRow],
    events: &[&EventRow],
) -> Result<(), StoreError> {
    if events.is_empty() {
        sqlx::query(PG_AUDIT).bind(json(audit)?).execute(conn).await?;
    } else {
        sqlx::query(PG_AUDIT_AND_EVENTS.as_str())
            .bind(json(audit)?)
            .bind(json(events)?)
            .execute(conn)
            .await?;
    }
    Ok(())
}

/// The statements that write the rows and COMMIT the transaction that was begun for them, for one round trip.
pub fn pg_commit(audit: Vec<AuditRow>, events: Vec<EventRow>) -> Result<String, StoreError> {
    let mut sql = String::with_capacity(1024);
    for row in &audit {
        execute("write_audit", &sql_value::audit(row), &mut sql)?;
    }
    for row in &events {
        execute("write_event", &sql_value::event(row), &mut sql)?;
    }
    if sql.is_empty() {
        // After a failed statement COMMIT rolls back and reports no error; this fails instead, as an INSERT would.
        sql.push_str("SAVEPOINT call_end;");
    }
    sql.push_str("COMMIT");
    Ok(sql)
}

/// Adds what runs a prepared statement of PostgreSQL with these values.
pub fn execute(prepared: &str, row: &[SqlValue], sql: &mut String) -> Result<(), StoreError> {
    let before = sql.len();
    sql.push_str("EXECUTE ");
    sql.push_str(prepared);
    for (at, cell) in row.iter().enumerate() {
        sql.push(if at == 0 { '(' } else { ',' });
        // Half a statement is none.
        cell.write(sql).inspect_err(|_| sql.truncate(before))?;
    }
    sql.push_str(");");
    Ok(())
}

/// Rows as one JSON text.
pub fn json<T: Serialize>(rows: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|fault| StoreError::Inconsistent(fault.to_string()))
}

//! Audit rows into SQLite, bound value by value.

use std::sync::LazyLock;

use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use super::sql_value;
use crate::{AuditRow, EventRow, StoreError};

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;

/// What the first of several statements begins with, alone and with the events that the first parameter holds.
pub struct FirstPart {
    pub begin: &'static str,
    pub with_events: LazyLock<String>,
}

/// For [`CommitMode::Alone`].
pub static ALONE: FirstPart = FirstPart {
    begin: "BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_rows",
    with_events: LazyLock::new(|| format!("{}; {}", ALONE.begin, super::SQLITE_EVENTS)),
};
/// For [`CommitMode::Begun`].
pub static BEGUN: FirstPart = FirstPart {
    begin: "SAVEPOINT call_rows",
    with_events: LazyLock::new(|| format!("{}; {}", BEGUN.begin, super::SQLITE_EVENTS)),
};

/// One audit row and its events before other statements, in one message to the connection's thread. Their parameters
/// are behind the first five, which are the other statements'.
pub struct RowsFirst<'r> {
    row: &'r AuditRow,
    events: String,
}

impl<'r> RowsFirst<'r> {
    /// How many parameters the other statements have.
    const BEFORE: usize = 4;

    /// None where there is another number of audit rows.
    pub fn new(audit: &'r [AuditRow], events: &[EventRow]) -> Result<Option<Self>, StoreError> {
        let [row] = audit else { return Ok(None) };
        Ok(Some(Self { row, events: super::json(events)? }))
    }

    /// The statements, each with its semicolon.
    pub fn sql() -> String {
        let first = Self::BEFORE + 2;
        let numbers = first..=first + sql_value::AUDIT.len();
        let values: Vec<String> = numbers.map(|number| format!("${number}")).collect();
        let (columns, values) = (sql_value::AUDIT.join(", "), values.join(", "));
        format!(
            "INSERT INTO action_log (workspace_id, {columns}) VALUES ({values}); {}; ",
            sqlite_events!("$5")
        )
    }

    /// Binds what [`RowsFirst::sql`] names.
    pub fn bind(self, query: SqliteQuery<'_>) -> SqliteQuery<'_> {
        sql_value::audit(self.row).into_iter().fold(query.bind(self.events), |query, cell| cell.bind(query))
    }
}

/// Where rows are written and committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// In a transaction of their own.
    Alone,
    /// In one that began with a savepoint `call_group`.
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
    /// With the end of the transaction that is open.
    begun: String,
    /// In a transaction of their own.
    alone: String,
}

static INSERTS: LazyLock<[Insert; 3]> = LazyLock::new(|| {
    ROOMS.map(|rows| {
        let row = format!("({})", ["?"; sql_value::AUDIT.len() + 1].join(", "));
        let values = vec![row; rows].join(", ");
        let columns = sql_value::AUDIT.join(", ");
        let rows = format!(
            "INSERT INTO action_log (workspace_id, {columns}) SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"
        );
        Insert { begun: format!("{rows}; {COMMIT}"), alone: format!("BEGIN IMMEDIATE; {rows}; COMMIT"), rows }
    })
});

/// Writes at most [`MOST`] rows and, where `ends` is said, commits.
pub async fn insert(
    conn: &mut SqliteConnection,
    rows: &[&AuditRow],
    ends: Option<CommitMode>,
) -> Result<(), StoreError> {
    let inserts: &'static [Insert; 3] = &INSERTS;
    let room = ROOMS.iter().position(|room| rows.len() <= *room).unwrap_or(ROOMS.len() - 1);
    let sql = match (&inserts[room], ends) {
        (_, Some(CommitMode::Begun)) if rows.is_empty() => COMMIT,
        (insert, Some(CommitMode::Begun)) => &insert.begun,
        (insert, Some(CommitMode::Alone)) => &insert.alone,
        (insert, None) => &insert.rows,
    };
    rows.iter()
        .flat_map(|row| sql_value::audit(row))
        .fold(sqlx::query(sql), |query, cell| cell.bind(query))
        .execute(conn)
        .await?;
    Ok(())
}

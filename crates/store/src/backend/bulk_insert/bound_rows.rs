//! Inserts rows into SQLite with each value bound: reading the values from JSON costs several times as much.

use std::borrow::Borrow;

use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use super::table::{BulkRow, BulkTable};
use crate::backend::{StoreError, sql_value::SqlValue};

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;

/// The transaction in which rows are inserted and committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// A transaction for these rows alone.
    Alone,
    /// An open transaction that began with the savepoint `call_group`.
    Begun,
}

/// The statements before the inserts: alone, and followed by the insert of the outbox rows that `$1` holds.
pub struct FirstPart {
    pub begin: &'static str,
    pub with_outbox: String,
}

impl FirstPart {
    pub fn new(mode: CommitMode, outbox: &str) -> Self {
        let begin = match mode {
            CommitMode::Alone => "BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_rows",
            CommitMode::Begun => "SAVEPOINT call_rows",
        };
        Self { begin, with_outbox: format!("{begin}; {outbox}") }
    }
}

/// The end of a write that has one audit row: its events, the row and the release of its savepoint, in one message to
/// the connection's thread.
pub fn end_of_write(audit: &BulkTable, outbox: &BulkTable) -> String {
    format!("{}; {}; {RELEASE}", outbox.insert_sqlite_json("$1"), audit.insert(2))
}

pub fn bind_row<'q>(row: &BulkRow, query: SqliteQuery<'q>) -> SqliteQuery<'q> {
    row.values.iter().fold(query.bind(row.workspace), |query, value| match value {
        SqlValue::Id(id) => query.bind(*id),
        SqlValue::Word(word) => query.bind(*word),
        SqlValue::Text(text) => query.bind(text.clone()),
        SqlValue::Number(number) => query.bind(*number),
        SqlValue::Flag(flag) => query.bind(*flag),
    })
}

pub const RELEASE: &str = "RELEASE SAVEPOINT call_write";

const COMMIT: &str = "RELEASE SAVEPOINT call_group; COMMIT";

/// The most rows that one statement inserts.
pub const MAX_ROWS: usize = 64;
/// The numbers of rows for which there is a statement. A statement may get fewer rows: a parameter that is not bound is
/// NULL, and its row is skipped.
const ROW_COUNTS: [usize; 3] = [4, 16, MAX_ROWS];

/// The statements that insert rows of one table.
pub struct BoundRows([Insert; ROW_COUNTS.len()]);

/// The texts for one of [`ROW_COUNTS`].
struct Insert {
    rows: String,
    /// Followed by the commit of the open transaction.
    begun: String,
    /// A transaction for these rows alone.
    alone: String,
}

impl Insert {
    fn new(table: &BulkTable, count: usize) -> Self {
        let row = format!("({})", vec!["?"; table.columns.len() + 1].join(", "));
        let (name, columns, values) = (table.name, table.columns(), vec![row; count].join(", "));
        let rows = format!(
            "INSERT INTO {name} ({columns}) SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"
        );
        Self { begun: format!("{rows}; {COMMIT}"), alone: format!("BEGIN IMMEDIATE; {rows}; COMMIT"), rows }
    }
}

impl BoundRows {
    pub fn new(table: &BulkTable) -> Self {
        Self(ROW_COUNTS.map(|count| Insert::new(table, count)))
    }

    /// Inserts at most [`MAX_ROWS`] rows, and commits as `commit` says.
    pub async fn insert(
        &'static self,
        conn: &mut SqliteConnection,
        rows: &[impl Borrow<BulkRow>],
        commit: Option<CommitMode>,
    ) -> Result<(), StoreError> {
        let at = ROW_COUNTS.iter().position(|count| rows.len() <= *count).unwrap_or(ROW_COUNTS.len() - 1);
        let sql = match (&self.0[at], commit) {
            (_, Some(CommitMode::Begun)) if rows.is_empty() => COMMIT,
            (insert, Some(CommitMode::Begun)) => &insert.begun,
            (insert, Some(CommitMode::Alone)) => &insert.alone,
            (insert, None) => &insert.rows,
        };
        let query = rows.iter().fold(sqlx::query(sql), |query, row| bind_row(row.borrow(), query));
        query.execute(conn).await?;
        Ok(())
    }
}

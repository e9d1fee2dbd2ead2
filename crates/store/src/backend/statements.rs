//! The statements that `tables` and `queries` pass to the backend, which names no table itself.

use std::fmt;

use sqlx::{SqliteConnection, postgres::PgRow, sqlite::SqliteRow};
use toolcrib_model::Id;

use super::{
    StoreError,
    bulk_insert::{self, BulkInserts, BulkTable, FirstRow},
    sql_literal::SqlValue,
};

/// A SELECT that runs in the same round trip as the begin of a transaction. It returns one row or none. `$1` is the
/// transaction's workspace; `$2` to `$4` are ids or NULL.
pub struct OpeningSelect {
    /// Its name among the prepared statements of PostgreSQL.
    pub name: &'static str,
    /// Its text for SQLite.
    pub sqlite: String,
    /// Its text for PostgreSQL.
    pub pg: String,
}

/// Which opening SELECT a transaction begins with, and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// Its position in [`Statements::new`].
    pub select: usize,
    /// `$2` to `$4`.
    pub ids: [Option<Id>; 3],
}

/// The row that an opening SELECT returned.
pub enum OpeningRow {
    /// From SQLite.
    Sqlite(SqliteRow),
    /// From PostgreSQL.
    Pg(PgRow),
}

/// The statements before an opening SELECT, in one message to SQLite.
#[derive(Clone, Copy)]
pub enum OpeningPrefix {
    /// A read begins.
    Begin,
    /// A read ends and the next one begins.
    CommitBegin,
    /// The first job of a group begins.
    FirstSavepoint,
    /// The next job of a group begins.
    NextSavepoint,
    /// The next job of a group begins, after the insert of the previous job's rows.
    RowsNextSavepoint,
}

impl OpeningPrefix {
    /// In the order of their declaration.
    const ALL: [Self; 5] =
        [Self::Begin, Self::CommitBegin, Self::FirstSavepoint, Self::NextSavepoint, Self::RowsNextSavepoint];

    /// Statements, each with its semicolon.
    fn sql(self, inserts: &BulkInserts) -> String {
        let next = "RELEASE SAVEPOINT call_start; SAVEPOINT call_start; ";
        match self {
            Self::Begin => "BEGIN; ".into(),
            Self::CommitBegin => "COMMIT; BEGIN; ".into(),
            Self::FirstSavepoint => "BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start; ".into(),
            Self::NextSavepoint => next.into(),
            Self::RowsNextSavepoint => inserts.first_row.clone() + next,
        }
    }
}

/// The statements of one [`OpeningSelect`].
struct OpeningTexts {
    name: &'static str,
    sqlite: [String; OpeningPrefix::ALL.len()],
    pg_prepare: String,
}

/// All statements that the backend prepares and runs for `tables` and `queries`.
pub struct Statements {
    openings: Vec<OpeningTexts>,
    /// The statements that insert audit and outbox rows.
    pub inserts: BulkInserts,
}

impl fmt::Debug for Statements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statements").finish_non_exhaustive()
    }
}

impl Statements {
    /// `audit` and `outbox` are the tables of a [`super::WriteTx`]'s rows.
    pub fn new(openings: Vec<OpeningSelect>, audit: &'static BulkTable, outbox: &'static BulkTable) -> Self {
        let inserts = BulkInserts::new(audit, outbox);
        let texts = openings.into_iter().map(|opening| OpeningTexts {
            name: opening.name,
            sqlite: OpeningPrefix::ALL.map(|prefix| prefix.sql(&inserts) + &opening.sqlite),
            pg_prepare: format!("PREPARE {} (UUID, UUID, UUID, UUID) AS {}; ", opening.name, opening.pg),
        });
        Self { openings: texts.collect(), inserts }
    }

    /// Runs an opening SELECT of SQLite, in one message to the connection's thread. `row` is given exactly if `prefix` is
    /// [`OpeningPrefix::RowsNextSavepoint`].
    pub async fn open_sqlite(
        &'static self,
        conn: &mut SqliteConnection,
        prefix: OpeningPrefix,
        workspace: Id,
        opening: Opening,
        row: Option<FirstRow<'_>>,
    ) -> Result<Option<OpeningRow>, sqlx::Error> {
        let sql = self.openings[opening.select].sqlite[prefix as usize].as_str();
        let [second, third, fourth] = opening.ids;
        let mut query = sqlx::query(sql).bind(workspace).bind(second).bind(third).bind(fourth);
        if let Some(row) = row {
            query = row.bind(query);
        }
        Ok(query.fetch_optional(conn).await?.map(OpeningRow::Sqlite))
    }

    /// The EXECUTE of an opening SELECT of PostgreSQL, with its values.
    pub fn open_pg(&self, workspace: Id, opening: Opening) -> Result<String, StoreError> {
        let mut sql = String::with_capacity(192);
        let [second, third, fourth] = opening.ids.map(SqlValue::Id);
        let values = [SqlValue::Id(Some(workspace)), second, third, fourth];
        bulk_insert::execute(self.openings[opening.select].name, &values, &mut sql)?;
        Ok(sql)
    }

    /// Prepares the statements that are executed by name, on a new connection to PostgreSQL.
    pub fn pg_prepare(&self) -> String {
        let openings = self.openings.iter().map(|opening| opening.pg_prepare.as_str());
        openings.chain([self.inserts.pg_prepare.as_str()]).collect()
    }
}

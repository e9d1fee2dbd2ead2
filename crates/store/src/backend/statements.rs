//! The statements that `tables` and `queries` pass to the backend, which names no table itself.

use std::fmt;

use sqlx::{FromRow, SqliteConnection, postgres::PgRow, sqlite::SqliteRow};
use toolcrib_model::Id;

use super::{
    StoreError,
    bulk_insert::{BulkInserts, BulkTable},
};

/// A SELECT of the caller's access row, which runs in the message that begins a transaction. It returns one row or
/// none. `$1` is the transaction's workspace; `$2` to `$4` are ids or NULL.
pub struct AccessSelect {
    /// Its name among the prepared statements of PostgreSQL.
    pub name: &'static str,
    pub sqlite: String,
    /// Its text for PostgreSQL.
    pub pg: String,
}

/// Whose access row a transaction begins with.
#[derive(Clone, Copy, Debug)]
pub struct AccessQuery {
    /// The position of the [`AccessSelect`] in [`Statements::new`].
    pub select: usize,
    /// `$2` to `$4`.
    pub ids: [Option<Id>; 3],
}

pub enum RawAccessRow {
    Sqlite(SqliteRow),
    Pg(PgRow),
}

impl RawAccessRow {
    pub fn decode<R>(self) -> Result<R, sqlx::Error>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        match self {
            Self::Sqlite(row) => R::from_row(&row),
            Self::Pg(row) => R::from_row(&row),
        }
    }
}

/// How a transaction of SQLite begins, in one message to the connection's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    Read,
    /// A read on a connection that is still in the read of the task before.
    NextRead,
    FirstWrite,
    /// A further write of a group.
    NextWrite,
}

impl Begin {
    /// In the order of their declaration.
    const ALL: [Self; 4] = [Self::Read, Self::NextRead, Self::FirstWrite, Self::NextWrite];

    // INVARIANT: a group of writes commits as a whole. After some errors (disk full, I/O) SQLite rolls back the
    // transaction itself; the next savepoint would then begin another transaction, and its commit would report success
    // for changes that are lost. The outer savepoint `call_group` ends with the transaction, so releasing it fails.
    const fn sql(self) -> &'static str {
        match self {
            Self::Read => "BEGIN",
            Self::NextRead => "COMMIT; BEGIN",
            Self::FirstWrite => "BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_write",
            Self::NextWrite => "SAVEPOINT call_write",
        }
    }
}

struct AccessTexts {
    name: &'static str,
    /// By [`Begin`].
    sqlite: [String; Begin::ALL.len()],
    pg: String,
    pg_prepare: String,
}

/// All statements that the backend runs for `tables` and `queries`.
pub struct Statements {
    access: Vec<AccessTexts>,
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
    pub fn new(access: Vec<AccessSelect>, audit: &'static BulkTable, outbox: &'static BulkTable) -> Self {
        let texts = access.into_iter().map(|select| AccessTexts {
            name: select.name,
            sqlite: Begin::ALL.map(|begin| format!("{}; {}", begin.sql(), select.sqlite)),
            pg_prepare: format!("PREPARE {} (UUID, UUID, UUID, UUID) AS {}", select.name, select.pg),
            pg: select.pg,
        });
        Self { access: texts.collect(), inserts: BulkInserts::new(audit, outbox) }
    }

    /// Begins a transaction of SQLite and reads the access row, if one is asked for.
    pub async fn begin_sqlite(
        &'static self,
        conn: &mut SqliteConnection,
        begin: Begin,
        workspace: Id,
        access: Option<AccessQuery>,
    ) -> Result<Option<RawAccessRow>, StoreError> {
        let Some(access) = access else {
            sqlx::query(begin.sql()).execute(conn).await?;
            return Ok(None);
        };
        let sql = self.access[access.select].sqlite[begin as usize].as_str();
        let [second, third, fourth] = access.ids;
        let query = sqlx::query(sql).bind(workspace).bind(second).bind(third).bind(fourth);
        let row = query.fetch_optional(conn).await;
        row.map(|row| row.map(RawAccessRow::Sqlite)).map_err(|error| access_failed(error.into()))
    }

    /// The text that reads an access row of PostgreSQL by its prepared statement: planning the SELECT takes longer than
    /// running it.
    pub fn access_pg(&self, workspace: Id, access: AccessQuery) -> String {
        let [second, third, fourth] = access.ids.map(|id| id.map_or("NULL".into(), |id| format!("'{id}'")));
        format!("EXECUTE {}('{workspace}', {second}, {third}, {fourth})", self.access[access.select].name)
    }

    /// The text that reads an access row of PostgreSQL where a prepared statement may be gone: the SELECT with the ids
    /// in it.
    pub fn access_pg_unprepared(&self, workspace: Id, access: AccessQuery) -> String {
        let [second, third, fourth] = access.ids;
        let mut sql = self.access[access.select].pg.clone();
        for (parameter, id) in ["$1", "$2", "$3", "$4"].iter().zip([Some(workspace), second, third, fourth]) {
            let value = id.map_or("CAST(NULL AS UUID)".into(), |id| format!("CAST('{id}' AS UUID)"));
            sql = sql.replace(parameter, &value);
        }
        sql
    }

    /// Prepares the statements that [`Statements::access_pg`] executes, on a new connection.
    pub fn pg_prepare(&self) -> String {
        self.access.iter().map(|access| access.pg_prepare.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// The error that the caller gets if the SELECT of the access row failed.
pub fn access_failed(error: StoreError) -> StoreError {
    StoreError::AccessRowUnreadable(error.to_string())
}

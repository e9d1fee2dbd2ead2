//! The connection that the statements of a transaction run on.

use futures_util::{future::BoxFuture, stream::BoxStream};
use sqlx::{
    Database, Describe, Either, Error, Execute, Executor, PgConnection, Postgres, SqlStr,
    error::BoxDynError,
    postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};

/// A connection whose bound statements are prepared under names and kept, or are prepared without a name each time:
/// behind a pooler in transaction mode the next transaction may run on another connection of the server.
#[derive(Debug)]
pub struct PgSession<'c> {
    conn: &'c mut PgConnection,
    named: bool,
}

impl<'c> PgSession<'c> {
    /// A connection that is the server's own, which keeps its statements.
    pub const fn named(conn: &'c mut PgConnection) -> Self {
        Self { conn, named: true }
    }

    /// A connection that keeps no statement.
    pub const fn unnamed(conn: &'c mut PgConnection) -> Self {
        Self { conn, named: false }
    }

    /// The same connection, for a shorter time.
    pub const fn reborrow(&mut self) -> PgSession<'_> {
        PgSession { conn: self.conn, named: self.named }
    }
}

impl<'c> Executor<'c> for &'c mut PgSession<'_> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.conn.fetch_many(Statement { query, named: self.named })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.conn.fetch_optional(Statement { query, named: self.named })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        self.conn.prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'c: 'e,
    {
        self.conn.describe(sql)
    }
}

/// A statement that is kept only if its connection keeps statements.
struct Statement<E> {
    query: E,
    named: bool,
}

impl<'q, E: Execute<'q, Postgres>> Execute<'q, Postgres> for Statement<E> {
    fn sql(self) -> SqlStr {
        self.query.sql()
    }

    fn statement(&self) -> Option<&PgStatement> {
        self.query.statement()
    }

    fn take_arguments(&mut self) -> Result<Option<<Postgres as Database>::Arguments>, BoxDynError> {
        self.query.take_arguments()
    }

    fn persistent(&self) -> bool {
        self.named && self.query.persistent()
    }
}

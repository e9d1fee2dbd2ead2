//! SELECTs that are sent to PostgreSQL together, in one round trip.

use std::vec;

use sqlx::{FromRow, SqliteConnection, postgres::PgRow, sqlite::SqliteRow};
use toolcrib_model::Id;

use super::{StoreError, sql_literal::SqlValue};

/// The text of a SELECT for both databases, with the values of its parameters. `$1` is the workspace of the transaction,
/// and the values are numbered from `$2`.
pub struct Statement {
    pub sqlite: &'static str,
    pub pg: &'static str,
    pub values: Vec<SqlValue>,
}

impl Statement {
    /// Runs the SELECT on SQLite.
    pub async fn on_sqlite(
        &self,
        conn: &mut SqliteConnection,
        workspace: Id,
    ) -> Result<SelectRows, StoreError> {
        let query = SqlValue::bind_all(sqlx::query(self.sqlite).bind(workspace), &self.values);
        Ok(SelectRows::Sqlite(query.fetch_all(conn).await?))
    }
}

/// The rows of one SELECT.
pub enum SelectRows {
    Sqlite(Vec<SqliteRow>),
    Pg(Vec<PgRow>),
}

impl SelectRows {
    /// Returns the rows as `R`.
    fn all<R>(self) -> Result<Vec<R>, StoreError>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        let rows: Result<Vec<R>, sqlx::Error> = match self {
            Self::Sqlite(rows) => rows.iter().map(R::from_row).collect(),
            Self::Pg(rows) => rows.iter().map(R::from_row).collect(),
        };
        Ok(rows?)
    }
}

/// A SELECT whose rows become a `T`: see [`crate::Tx::fetch`]. Its values are no secrets: PostgreSQL gets them in the text of
/// a message, which it may log.
pub struct Select<T> {
    statement: Statement,
    decode: fn(SelectRows) -> Result<T, StoreError>,
}

impl<T> Select<T> {
    fn new(
        sql: &'static str,
        values: impl Into<Vec<SqlValue>>,
        decode: fn(SelectRows) -> Result<T, StoreError>,
    ) -> Self {
        Self { statement: Statement { sqlite: sql, pg: sql, values: values.into() }, decode }
    }

    /// A SELECT of the first row, which must exist.
    pub(crate) fn one(sql: &'static str, values: impl Into<Vec<SqlValue>>) -> Self
    where
        T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        Self::new(sql, values, |rows| Ok(rows.all()?.into_iter().next().ok_or(sqlx::Error::RowNotFound)?))
    }

    /// A SELECT of the value of the first row, which must exist.
    pub(crate) fn scalar(sql: &'static str, values: impl Into<Vec<SqlValue>>) -> Self
    where
        (T,): for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        Self::new(sql, values, |rows| {
            Ok(rows.all::<(T,)>()?.into_iter().next().ok_or(sqlx::Error::RowNotFound)?.0)
        })
    }

    /// Sets another text for PostgreSQL, where the databases need different ones.
    pub(crate) const fn on_pg(mut self, sql: &'static str) -> Self {
        self.statement.pg = sql;
        self
    }
}

impl<R> Select<Option<R>>
where
    R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
{
    /// A SELECT of the first row, if there is one.
    pub(crate) fn optional(sql: &'static str, values: impl Into<Vec<SqlValue>>) -> Self {
        Self::new(sql, values, |rows| Ok(rows.all()?.into_iter().next()))
    }
}

impl<R> Select<Vec<R>>
where
    R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
{
    /// A SELECT of any number of rows.
    pub(crate) fn all(sql: &'static str, values: impl Into<Vec<SqlValue>>) -> Self {
        Self::new(sql, values, SelectRows::all)
    }
}

/// A [`Select`], or an option or a tuple of them.
pub trait Selects {
    /// What the rows become.
    type Output;

    /// Appends the statements, in order.
    #[doc(hidden)]
    fn statements<'s>(&'s self, all: &mut Vec<&'s Statement>);

    /// Decodes the rows of each statement.
    #[doc(hidden)]
    fn decode(self, rows: &mut vec::IntoIter<SelectRows>) -> Result<Self::Output, StoreError>;
}

impl<T> Selects for Select<T> {
    type Output = T;

    fn statements<'s>(&'s self, all: &mut Vec<&'s Statement>) {
        all.push(&self.statement);
    }

    fn decode(self, rows: &mut vec::IntoIter<SelectRows>) -> Result<T, StoreError> {
        let missing = || StoreError::Inconsistent("a SELECT has no result".into());
        (self.decode)(rows.next().ok_or_else(missing)?)
    }
}

/// Statements that not every caller needs.
impl<S: Selects> Selects for Option<S> {
    type Output = Option<S::Output>;

    fn statements<'s>(&'s self, all: &mut Vec<&'s Statement>) {
        if let Some(selects) = self {
            selects.statements(all);
        }
    }

    fn decode(self, rows: &mut vec::IntoIter<SelectRows>) -> Result<Self::Output, StoreError> {
        self.map(|selects| selects.decode(rows)).transpose()
    }
}

/// Implements [`Selects`] for a tuple.
macro_rules! tuple {
    ($($select:ident $at:tt),+) => {
        impl<$($select: Selects),+> Selects for ($($select,)+) {
            type Output = ($($select::Output,)+);

            fn statements<'s>(&'s self, all: &mut Vec<&'s Statement>) {
                $(self.$at.statements(all);)+
            }

            fn decode(self, rows: &mut vec::IntoIter<SelectRows>) -> Result<Self::Output, StoreError> {
                Ok(($(self.$at.decode(rows)?,)+))
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);

#[cfg(test)]
mod tests;

//! What may be asked: exactly one SELECT, every part of which is on a list of what is known to only read.
//!
//! The query is taken apart into tokens, and what the database is sent is written anew from those tokens, each in its
//! one plain form: what was checked and what is run can't be read differently, whatever comments, quotes or escapes
//! the text had. What no list knows is refused, so that a new feature of the parser opens nothing.

mod counted;
mod expr;
mod names;
mod query;
mod tokens;
mod types;

use sqlparser::{
    ast::Statement,
    dialect::{PostgreSqlDialect, SQLiteDialect},
    parser::{Parser, ParserError},
};
use tokio::sync::oneshot;

pub(super) use names::{allowed as callable, readable};

use super::{DatasourceKind, slices::Slice};
use counted::Counted;

/// Why a query is not run, in words for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct QueryRefused(String);

impl QueryRefused {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// What a check says.
type Checked = Result<(), QueryRefused>;

fn refuse<T>(why: impl Into<String>) -> Result<T, QueryRefused> {
    Err(QueryRefused::new(why))
}

/// One SELECT that may be run. Only [`Select::check`] makes one.
#[derive(Clone, Debug)]
pub struct Select {
    sql: String,
}

/// Long chains of operators make deep trees, which are walked and dropped by recursion.
const STACK: usize = 64 << 20;
/// How deep the parser itself goes.
const DEPTH: usize = 50;

impl Select {
    /// The query, where it is one that may be run on this kind of database.
    pub async fn check(kind: DatasourceKind, text: &str) -> Result<Self, QueryRefused> {
        Self::check_in(kind, text, || None).await
    }

    /// The same; `begin` waits for its part of the processors, on the thread that reads.
    pub(super) async fn check_in(
        kind: DatasourceKind,
        text: &str,
        begin: impl FnOnce() -> Option<Slice> + Send + 'static,
    ) -> Result<Self, QueryRefused> {
        let text = text.to_owned();
        let (tell, told) = oneshot::channel();
        let job = move || {
            let mut slice = begin();
            if slice.as_mut().is_none_or(Slice::goes_on) {
                let read = read(kind, &text);
                drop(slice);
                drop(tell.send(read));
            }
        };
        if std::thread::Builder::new().name("sql".into()).stack_size(STACK).spawn(job).is_err() {
            return refuse("the query can't be checked now; try again");
        }
        told.await.unwrap_or_else(|_| refuse("the query can't be understood"))
    }

    /// What the database is sent.
    pub fn sql(&self) -> &str {
        &self.sql
    }
}

fn read(kind: DatasourceKind, text: &str) -> Result<Select, QueryRefused> {
    read_in(kind, &dialect(kind), text)
}

fn dialect(kind: DatasourceKind) -> Counted {
    Counted::new(match kind {
        DatasourceKind::Postgres => Box::new(PostgreSqlDialect {}),
        DatasourceKind::Sqlite => Box::new(SQLiteDialect {}),
    })
}

fn read_in(kind: DatasourceKind, dialect: &Counted, text: &str) -> Result<Select, QueryRefused> {
    let tokens = tokens::read(dialect, text)?;
    let sql = tokens::write(&tokens)?;
    let mut parser = Parser::new(dialect).with_recursion_limit(DEPTH).with_tokens(tokens);
    let statements = parser.parse_statements().map_err(|fault| unparsed(kind, fault))?;
    match statements.as_slice() {
        [Statement::Query(query)] => Guard { kind }.query(query)?,
        [_] => return refuse("only one SELECT is run here"),
        _ => return refuse("exactly one SELECT is run here"),
    }
    Ok(Select { sql })
}

fn unparsed(kind: DatasourceKind, fault: ParserError) -> QueryRefused {
    match fault {
        ParserError::RecursionLimitExceeded => QueryRefused::new("the query is nested too deeply"),
        ParserError::TokenizerError(why) | ParserError::ParserError(why) => QueryRefused::new(format!(
            "it can't be read as one {} SELECT: {}",
            kind.title(),
            super::said(&why)
        )),
    }
}

/// Walks through a query.
#[derive(Clone, Copy)]
struct Guard {
    kind: DatasourceKind,
}

impl Guard {
    /// For what only one kind of database has.
    fn only(self, kind: DatasourceKind, what: &str) -> Checked {
        if self.kind == kind { Ok(()) } else { refuse(format!("{what} is for {} alone", kind.title())) }
    }

    fn each<T>(self, items: &[T], check: impl Fn(Self, &T) -> Checked) -> Checked {
        items.iter().try_for_each(|item| check(self, item))
    }

    fn maybe<T>(self, item: Option<&T>, check: impl Fn(Self, &T) -> Checked) -> Checked {
        item.map_or(Ok(()), |item| check(self, item))
    }
}

#[cfg(test)]
mod tests;

//! What may be asked: exactly one SELECT, every part of which is on a list of what is known to only read.
//!
//! The query is taken apart into tokens, and what the database is sent is written anew from those tokens, each in its
//! one plain form: what was checked and what is run can't be read differently, whatever comments, quotes or escapes
//! the text had. What no list knows is refused, so that a new feature of the parser opens nothing.

mod expr;
mod names;
mod query;
mod tokens;
mod types;

use sqlparser::{
    ast::Statement,
    dialect::{Dialect, PostgreSqlDialect, SQLiteDialect},
    parser::{Parser, ParserError},
};
use tokio::sync::oneshot;

pub(super) use names::{allowed as callable, readable};

use super::Kind;

/// Why a query is not run, in words for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// What a check says.
type Checked = Result<(), Refused>;

fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::new(why))
}

/// One SELECT that may be run. Only [`Select::check`] makes one.
#[derive(Clone, Debug)]
pub struct Select {
    kind: Kind,
    sql: String,
}

/// Long chains of operators make deep trees, which are walked and dropped by recursion.
const STACK: usize = 64 << 20;
/// How deep the parser itself goes.
const DEPTH: usize = 50;

impl Select {
    /// The query, where it is one that may be run on this kind of database.
    pub async fn check(kind: Kind, text: &str) -> Result<Self, Refused> {
        let text = text.to_owned();
        let (tell, told) = oneshot::channel();
        let job = move || drop(tell.send(read(kind, &text)));
        if std::thread::Builder::new().name("sql".into()).stack_size(STACK).spawn(job).is_err() {
            return refuse("the query can't be checked now; try again");
        }
        told.await.unwrap_or_else(|_| refuse("the query can't be understood"))
    }

    /// For which kind of database it was checked.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the database is sent.
    pub fn sql(&self) -> &str {
        &self.sql
    }
}

fn read(kind: Kind, text: &str) -> Result<Select, Refused> {
    let dialect: Box<dyn Dialect> = match kind {
        Kind::Postgres => Box::new(PostgreSqlDialect {}),
        Kind::Sqlite => Box::new(SQLiteDialect {}),
    };
    let tokens = tokens::read(dialect.as_ref(), text)?;
    let sql = tokens::write(&tokens)?;
    let mut parser = Parser::new(dialect.as_ref()).with_recursion_limit(DEPTH).with_tokens(tokens);
    let statements = parser.parse_statements().map_err(|fault| unparsed(kind, fault))?;
    match statements.as_slice() {
        [Statement::Query(query)] => Guard { kind }.query(query)?,
        [_] => return refuse("only one SELECT is run here"),
        _ => return refuse("exactly one SELECT is run here"),
    }
    Ok(Select { kind, sql })
}

fn unparsed(kind: Kind, fault: ParserError) -> Refused {
    match fault {
        ParserError::RecursionLimitExceeded => Refused::new("the query is nested too deeply"),
        ParserError::TokenizerError(why) | ParserError::ParserError(why) => {
            Refused::new(format!("it can't be read as one {} SELECT: {}", kind.title(), super::said(&why)))
        }
    }
}

/// Walks through a query.
#[derive(Clone, Copy)]
struct Guard {
    kind: Kind,
}

impl Guard {
    /// For what only one kind of database has.
    fn only(self, kind: Kind, what: &str) -> Checked {
        if self.kind == kind { Ok(()) } else { refuse(format!("{what} is for {} alone", kind.title())) }
    }

    fn each<T>(self, items: &[T], check: impl Fn(Self, &T) -> Checked) -> Checked {
        items.iter().try_for_each(|item| check(self, item))
    }

    fn maybe<T>(self, item: Option<&T>, check: impl Fn(Self, &T) -> Checked) -> Checked {
        item.map_or(Ok(()), |item| check(self, item))
    }
}

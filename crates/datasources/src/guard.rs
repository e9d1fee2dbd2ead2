//! Checks queries. Accepts exactly one SELECT, every part of which is on an allow-list of what only reads.
//!
//! The query is split into tokens, and the SQL for the database is rebuilt from these tokens in one normal
//! form. So the database can't read the SQL differently from the check, whatever comments, quotes or escapes
//! the text had. Anything that is on no list is refused, so a new feature of the parser allows nothing.

mod counting_dialect;
mod expr;
mod names;
mod query;
mod tokens;

use std::ops::ControlFlow;

use sqlparser::{
    ast::{
        Expr, GroupByExpr, Ident, OrderBy, OrderByExpr, Query, Select, Statement, TableFactor, ValueWithSpan,
        Visit as _, Visitor,
    },
    dialect::{PostgreSqlDialect, SQLiteDialect},
    parser::{Parser, ParserError},
};
use tokio::sync::oneshot;

pub(super) use names::{allowed as callable, readable};

use super::DatasourceKind;
use counting_dialect::CountingDialect;

/// Why a query is refused, as a message for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct QueryRefused(String);

impl QueryRefused {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

type Checked = Result<(), QueryRefused>;

fn refuse<T>(why: impl Into<String>) -> Result<T, QueryRefused> {
    Err(QueryRefused::new(why))
}

/// A SELECT that passed the check. Only [`CheckedSelect::check`] creates one.
#[derive(Clone, Debug)]
pub struct CheckedSelect {
    sql: String,
}

/// The stack size of the checking thread, in bytes. A long chain of operators gives a deep tree, which the
/// check visits and drops recursively.
const STACK: usize = 64 << 20;
/// The recursion limit of the parser.
const DEPTH: usize = 50;

impl CheckedSelect {
    pub async fn check(kind: DatasourceKind, text: &str) -> Result<Self, QueryRefused> {
        Self::check_with(kind, text, ()).await
    }

    /// Like [`CheckedSelect::check`]. The checking thread holds `permit`, also if the caller is gone.
    pub(super) async fn check_with(
        kind: DatasourceKind,
        text: &str,
        permit: impl Send + 'static,
    ) -> Result<Self, QueryRefused> {
        let text = text.to_owned();
        let (send, checked) = oneshot::channel();
        let job = move || {
            let result = read(kind, &text);
            drop(permit);
            drop(send.send(result));
        };
        if std::thread::Builder::new().name("sql".into()).stack_size(STACK).spawn(job).is_err() {
            return refuse("the query can't be checked now; try again");
        }
        checked.await.unwrap_or_else(|_| refuse("the query can't be understood"))
    }

    /// Returns the SQL to send to the database.
    pub fn sql(&self) -> &str {
        &self.sql
    }
}

fn read(kind: DatasourceKind, text: &str) -> Result<CheckedSelect, QueryRefused> {
    read_in(kind, &dialect(kind), text)
}

fn dialect(kind: DatasourceKind) -> CountingDialect {
    CountingDialect::new(match kind {
        DatasourceKind::Postgres => Box::new(PostgreSqlDialect {}),
        DatasourceKind::Sqlite => Box::new(SQLiteDialect {}),
    })
}

fn read_in(
    kind: DatasourceKind,
    dialect: &CountingDialect,
    text: &str,
) -> Result<CheckedSelect, QueryRefused> {
    let tokens = tokens::read(dialect, text)?;
    let sql = tokens::write(&tokens)?;
    let mut parser = Parser::new(dialect).with_recursion_limit(DEPTH).with_tokens(tokens);
    let statements = parser.parse_statements().map_err(|error| unparsed(kind, error))?;
    match statements.as_slice() {
        [Statement::Query(query)] => {
            if let ControlFlow::Break(refused) = query.visit(&mut Guard { kind }) {
                return Err(refused);
            }
        }
        [_] => return refuse("only one SELECT is run here"),
        _ => return refuse("exactly one SELECT is run here"),
    }
    Ok(CheckedSelect { sql })
}

fn unparsed(kind: DatasourceKind, error: ParserError) -> QueryRefused {
    match error {
        ParserError::RecursionLimitExceeded => QueryRefused::new("the query is nested too deeply"),
        ParserError::TokenizerError(why) | ParserError::ParserError(why) => QueryRefused::new(format!(
            "it can't be read as one {} SELECT: {}",
            kind.title(),
            super::said(&why)
        )),
    }
}

/// The visitor that checks a query. Each method checks one node without its children, which the parser's
/// derived visitor then visits, whatever holds them.
#[derive(Clone, Copy)]
struct Guard {
    kind: DatasourceKind,
}

impl Guard {
    /// Refuses `what` unless the database is of this kind.
    fn only(self, kind: DatasourceKind, what: &str) -> Checked {
        if self.kind == kind { Ok(()) } else { refuse(format!("{what} is for {} alone", kind.title())) }
    }
}

macro_rules! visit {
    ($($visit:ident($node:ty) = $check:expr;)*) => {
        impl Visitor for Guard {
            type Break = QueryRefused;
            $(fn $visit(&mut self, node: &$node) -> ControlFlow<QueryRefused> {
                let check: fn(Self, &$node) -> Checked = $check;
                check(*self, node).map_or_else(ControlFlow::Break, ControlFlow::Continue)
            })*
        }
    };
}

visit! {
    pre_visit_query(Query) = |_, node| query::whole(node);
    pre_visit_select(Select) = Self::select;
    pre_visit_table_factor(TableFactor) = Self::factor;
    pre_visit_group_by(GroupByExpr) = |_, node| query::group_by(node);
    pre_visit_order_by(OrderBy) = |_, node| query::order_by(node);
    pre_visit_order_by_expr(OrderByExpr) = |_, node| query::ordered(node);
    pre_visit_expr(Expr) = Self::expr;
    pre_visit_value(ValueWithSpan) = |_, node| expr::literal(node);
    pre_visit_ident(Ident) = Self::name;
}

#[cfg(test)]
mod tests;

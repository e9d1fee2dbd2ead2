//! Limits `PromQL` to a workspace: parses the query, adds the workspace's label to every selector, and
//! formats it again.
//!
//! The query that is sent is formatted from the parsed expression and is never the caller's text, so nothing
//! that the parser overlooked is sent. The formatted query is parsed again. It is refused if a selector lacks
//! the label or if it differs from the parsed expression.

use promql_parser::{
    label::{MatchOp, Matcher},
    parser::{self, Expr, VectorSelector},
};

use crate::{Label, embedded::DataScope};

/// The maximum number of brackets and operators of a query. Each may add a level of nesting, and visiting
/// more than about 250 levels recursively may exhaust the stack.
const MAX_LEVELS: usize = 250;

/// A query that is limited to a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoped(String);

/// Why a text is not a valid or not an allowed query. The caller sees this text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotPromql(String);

impl Scoped {
    /// Adds `label` with the scope's workspace to every selector. Adds nothing for [`DataScope::Platform`].
    pub(super) fn new(promql: &str, label: &Label, reach: DataScope) -> Result<Self, NotPromql> {
        if levels(promql) > MAX_LEVELS {
            return Err(NotPromql(format!("has more than {MAX_LEVELS} brackets and operators")));
        }
        let mut query = parse(promql)?;
        let matcher = match reach {
            DataScope::Workspace(id) => Some(Matcher::new(MatchOp::Equal, label.as_str(), &id.to_string())),
            DataScope::Platform => None,
        };
        selectors(&mut query, matcher.is_some(), &mut |selector| {
            if let Some(matcher) = &matcher {
                selector.matchers.matchers.push(matcher.clone());
            }
        })?;
        let text = query.to_string();
        let mut again = parse(&text)?;
        if again.to_string() != text || !every_selector_matches(&mut again, matcher.as_ref())? {
            return Err(NotPromql("can't be limited to your workspace: write it more plainly".to_owned()));
        }
        Ok(Self(text))
    }

    /// Returns the query as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn parse(promql: &str) -> Result<Expr, NotPromql> {
    parser::parse(promql).map_err(|why| NotPromql(format!("is neither PromQL nor a preset: {why}")))
}

/// Returns an upper bound of the nesting depth of a query, without parsing it: every level needs an opening
/// bracket or an operator. Also counts characters inside quotes, because only the parser can recognize
/// quotes.
fn levels(promql: &str) -> usize {
    let signs = promql.matches(['(', '[', '{', '+', '-', '*', '/', '%', '^', '=', '<', '>']).count();
    let words = promql.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        ["and", "or", "unless", "atan2"].iter().any(|operator| word.eq_ignore_ascii_case(operator))
    });
    signs + words.count()
}

/// Returns whether every selector has the matcher. Returns an error for constructs that could bypass it.
fn every_selector_matches(query: &mut Expr, matcher: Option<&Matcher>) -> Result<bool, NotPromql> {
    let mut good = true;
    selectors(query, matcher.is_some(), &mut |selector| {
        let holds = matcher.is_none_or(|matcher| selector.matchers.matchers.contains(matcher));
        good &= holds;
    })?;
    Ok(good)
}

/// Visits every selector. The parser's own visitor skips the parameters of aggregations, which are
/// expressions too. This match is exhaustive, so a new kind of expression is a compile error.
fn selectors(
    expr: &mut Expr,
    scoped: bool,
    visit: &mut dyn FnMut(&mut VectorSelector),
) -> Result<(), NotPromql> {
    match expr {
        Expr::VectorSelector(selector) => one(selector, visit),
        Expr::MatrixSelector(matrix) => one(&mut matrix.vs, visit),
        Expr::Aggregate(aggregate) => {
            if let Some(parameter) = &mut aggregate.param {
                selectors(parameter, scoped, visit)?;
            }
            selectors(&mut aggregate.expr, scoped, visit)
        }
        Expr::Unary(unary) => selectors(&mut unary.expr, scoped, visit),
        Expr::Binary(binary) => {
            selectors(&mut binary.lhs, scoped, visit)?;
            selectors(&mut binary.rhs, scoped, visit)
        }
        Expr::Paren(paren) => selectors(&mut paren.expr, scoped, visit),
        Expr::Subquery(subquery) => selectors(&mut subquery.expr, scoped, visit),
        Expr::Call(call) => {
            if scoped && call.func.name == "info" {
                return Err(NotPromql("uses `info`, which reads series that no selector names".to_owned()));
            }
            call.args.args.iter_mut().try_for_each(|argument| selectors(argument, scoped, visit))
        }
        Expr::NumberLiteral(_) | Expr::StringLiteral(_) => Ok(()),
        Expr::Extension(_) => Err(NotPromql("holds what PromQL does not know".to_owned())),
    }
}

fn one(selector: &mut VectorSelector, visit: &mut dyn FnMut(&mut VectorSelector)) -> Result<(), NotPromql> {
    // Prometheus has no `or` between matchers. An added matcher would apply to one side only.
    if !selector.matchers.or_matchers.is_empty() {
        return Err(NotPromql("has `or` within braces, which Prometheus does not know".to_owned()));
    }
    visit(selector);
    Ok(())
}

#[cfg(test)]
mod tests;

//! `PromQL` that can't leave its workspace: parsed, the workspace's label added to every selector, written anew.
//!
//! What is sent is never the caller's text but what was parsed of it, so that nothing which this parser overlooked
//! arrives. And what was written is parsed once more: a selector without the label, or a text that says something
//! else than what was parsed, is refused.

use promql_parser::{
    label::{MatchOp, Matcher},
    parser::{self, Expr, VectorSelector},
};

use crate::{Label, embedded::DataScope};

/// How many brackets and operators a query may have: each may stand within the one before, and what is nested deeper
/// than some 250 levels exhausts the stack of whoever walks over it.
const MOST_LEVELS: usize = 250;

/// A query that may be sent for the reach it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoped(String);

/// Why a text is no query, or none that may be asked; told to the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotPromql(String);

impl Scoped {
    /// The query with `label` of the reach's workspace in every selector; for the whole platform as it is.
    pub(super) fn new(promql: &str, label: &Label, reach: DataScope) -> Result<Self, NotPromql> {
        if levels(promql) > MOST_LEVELS {
            return Err(NotPromql(format!("has more than {MOST_LEVELS} brackets and operators")));
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
        if again.to_string() != text || !walled(&mut again, matcher.as_ref())? {
            return Err(NotPromql("can't be limited to your workspace: write it more plainly".to_owned()));
        }
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn parse(promql: &str) -> Result<Expr, NotPromql> {
    parser::parse(promql).map_err(|why| NotPromql(format!("is neither PromQL nor a preset: {why}")))
}

/// An upper bound of how deep the parts of a text stand within each other, whatever it means: no level begins without
/// an opening bracket or an operator. What stands in quotes counts too, since only the parser knows what does.
fn levels(promql: &str) -> usize {
    let signs = promql.matches(['(', '[', '{', '+', '-', '*', '/', '%', '^', '=', '<', '>']).count();
    let words = promql.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        ["and", "or", "unless", "atan2"].iter().any(|operator| word.eq_ignore_ascii_case(operator))
    });
    signs + words.count()
}

/// Whether every selector holds the matcher, and nothing that could weaken it.
fn walled(query: &mut Expr, matcher: Option<&Matcher>) -> Result<bool, NotPromql> {
    let mut good = true;
    selectors(query, matcher.is_some(), &mut |selector| {
        let holds = matcher.is_none_or(|matcher| selector.matchers.matchers.contains(matcher));
        good &= holds;
    })?;
    Ok(good)
}

/// Visits every selector. The parser's own visitor leaves out the parameters of aggregations, which are expressions
/// too; here a kind of expression that nobody thought of does not compile.
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
    // Prometheus knows no `or` between matchers; a matcher beside it would bind one side only.
    if !selector.matchers.or_matchers.is_empty() {
        return Err(NotPromql("has `or` within braces, which Prometheus does not know".to_owned()));
    }
    visit(selector);
    Ok(())
}

#[cfg(test)]
mod tests;

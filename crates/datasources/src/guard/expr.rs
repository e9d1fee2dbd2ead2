//! Checks expressions.

use sqlparser::ast::{
    AccessExpr, BinaryOperator as Op, CastKind, CeilFloorKind, DateTimeField, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause, FunctionArguments, Interval, ObjectName,
    Subscript, TypedString, UnaryOperator, Value, ValueWithSpan, WindowFrame, WindowFrameBound, WindowSpec,
    WindowType,
};

use super::{Checked, Guard, refuse};
use crate::DatasourceKind;

impl Guard {
    pub(super) fn expr(self, expr: &Expr) -> Checked {
        match expr {
            Expr::Identifier(name) => self.name(name),
            Expr::CompoundIdentifier(names) => self.each(names, Self::name),
            Expr::Value(value) => literal(value),
            Expr::TypedString(TypedString { data_type, value, uses_odbc_syntax: false }) => {
                self.data_type(data_type)?;
                literal(value)
            }
            Expr::IsFalse(e)
            | Expr::IsNotFalse(e)
            | Expr::IsTrue(e)
            | Expr::IsNotTrue(e)
            | Expr::IsNull(e)
            | Expr::IsNotNull(e)
            | Expr::IsUnknown(e)
            | Expr::IsNotUnknown(e)
            | Expr::Nested(e) => self.expr(e),
            Expr::Function(function) => self.function(function),
            Expr::Subquery(query) | Expr::Exists { subquery: query, negated: _ } => self.query(query),
            Expr::InSubquery { expr, subquery, negated: _ } => {
                self.expr(expr)?;
                self.query(subquery)
            }
            Expr::Tuple(items) => self.each(items, Self::expr),
            Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, data_type, format: None } => {
                self.data_type(data_type)?;
                self.expr(expr)
            }
            Expr::Collate { expr, collation } => {
                self.column(collation)?;
                self.expr(expr)
            }
            Expr::UnaryOp { op, expr } => {
                unary(*op)?;
                self.expr(expr)
            }
            other => self.compound(other),
        }
    }

    /// Checks expressions with several operands.
    fn compound(self, expr: &Expr) -> Checked {
        match expr {
            Expr::BinaryOp { left, op, right } => {
                self.operator(op)?;
                self.both(left, right)
            }
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.both(left, right)
            }
            Expr::Between { expr, negated: _, low, high } => {
                self.expr(expr)?;
                self.both(low, high)
            }
            Expr::InList { expr, list, negated: _ } => {
                self.expr(expr)?;
                self.each(list, Self::expr)
            }
            Expr::Like { negated: _, any: false, expr, pattern, escape_char }
            | Expr::ILike { negated: _, any: false, expr, pattern, escape_char } => {
                self.both(expr, pattern)?;
                self.maybe(escape_char.as_deref(), Self::expr)
            }
            Expr::AnyOp { left, compare_op, right, is_some: _ } | Expr::AllOp { left, compare_op, right } => {
                self.operator(compare_op)?;
                self.both(left, right)
            }
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                self.maybe(operand.as_deref(), Self::expr)?;
                self.each(conditions, |guard, when| guard.both(&when.condition, &when.result))?;
                self.maybe(else_result.as_deref(), Self::expr)
            }
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                self.each(sets, |guard, set| guard.each(set, Self::expr))
            }
            Expr::Array(array) => {
                self.only(DatasourceKind::Postgres, "ARRAY")?;
                self.each(&array.elem, Self::expr)
            }
            other => self.spelled(other),
        }
    }

    /// Checks functions with a special syntax.
    fn spelled(self, expr: &Expr) -> Checked {
        match expr {
            Expr::Extract { field, syntax: _, expr } => {
                field_of_time(field)?;
                self.expr(expr)
            }
            Expr::Ceil { expr, field } | Expr::Floor { expr, field } => match field {
                CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => self.expr(expr),
                _ => refuse("CEIL and FLOOR take one number here"),
            },
            Expr::Position { expr, r#in } => self.both(expr, r#in),
            Expr::Substring { expr, substring_from, substring_for, special: _, shorthand: _ } => {
                self.expr(expr)?;
                self.maybe(substring_from.as_deref(), Self::expr)?;
                self.maybe(substring_for.as_deref(), Self::expr)
            }
            Expr::Trim { trim_where: _, trim_what, expr, trim_characters } => {
                self.expr(expr)?;
                self.maybe(trim_what.as_deref(), Self::expr)?;
                self.each(trim_characters.as_deref().unwrap_or_default(), Self::expr)
            }
            Expr::AtTimeZone { timestamp, time_zone } => self.both(timestamp, time_zone),
            Expr::Interval(Interval { value, leading_field, last_field, .. }) => {
                self.maybe(leading_field.as_ref(), |_, field| field_of_time(field))?;
                self.maybe(last_field.as_ref(), |_, field| field_of_time(field))?;
                self.expr(value)
            }
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.expr(root)?;
                self.each(access_chain, |guard, access| match access {
                    AccessExpr::Subscript(Subscript::Index { index }) => guard.expr(index),
                    // `(row).name` may call a function of that name.
                    AccessExpr::Dot(_) | AccessExpr::Subscript(Subscript::Slice { .. }) => {
                        refuse("an array is asked for one element here, and a row for none of its fields")
                    }
                })
            }
            other => {
                let text = crate::said(&other.to_string());
                refuse(format!("`{text}` is in a form that is not allowed here"))
            }
        }
    }

    fn both(self, left: &Expr, right: &Expr) -> Checked {
        self.expr(left)?;
        self.expr(right)
    }

    fn function(self, function: &Function) -> Checked {
        let Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment: _,
            over,
        } = function;
        if *uses_odbc_syntax || !matches!(parameters, FunctionArguments::None) {
            return refuse("this way to call a function is not allowed here");
        }
        match args {
            FunctionArguments::None => return Self::bare(name),
            FunctionArguments::Subquery(query) => self.query(query)?,
            FunctionArguments::List(list) => {
                self.each(&list.args, Self::argument)?;
                self.form_of_time(name, &list.args)?;
                self.each(&list.clauses, |guard, clause| match clause {
                    FunctionArgumentClause::OrderBy(by) => guard.each(by, Self::ordered),
                    FunctionArgumentClause::IgnoreOrRespectNulls(_) => Ok(()),
                    _ => refuse("a function takes its arguments and ORDER BY here"),
                })?;
            }
        }
        self.function_name(name)?;
        self.each(within_group, Self::ordered)?;
        self.maybe(filter.as_deref(), Self::expr)?;
        self.maybe(over.as_ref(), |guard, over| match over {
            WindowType::NamedWindow(name) => guard.name(name),
            WindowType::WindowSpec(spec) => guard.window(spec),
        })
    }

    /// Requires a literal as the format of `strftime`. SQLite takes long for a long format, and a literal is
    /// no longer than the query.
    fn form_of_time(self, name: &ObjectName, arguments: &[FunctionArg]) -> Checked {
        let written = |argument: &FunctionArg| {
            matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(_))))
        };
        let strftime = name.to_string().eq_ignore_ascii_case("strftime");
        if self.kind == DatasourceKind::Sqlite && strftime && !arguments.first().is_some_and(written) {
            return refuse("strftime takes a written text as its form here: strftime('%Y-%m', day)");
        }
        Ok(())
    }

    fn argument(self, argument: &FunctionArg) -> Checked {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expr(expr),
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => Ok(()),
            // The parser reads the name in `days => 2` as an expression.
            FunctionArg::ExprNamed {
                name: Expr::Identifier(name),
                arg: FunctionArgExpr::Expr(expr),
                operator: FunctionArgOperator::RightArrow,
            }
            | FunctionArg::Named {
                name,
                arg: FunctionArgExpr::Expr(expr),
                operator: FunctionArgOperator::RightArrow,
            } => {
                self.name(name)?;
                self.expr(expr)
            }
            _ => refuse("this form of an argument is not allowed here"),
        }
    }

    pub(super) fn window(self, window: &WindowSpec) -> Checked {
        let WindowSpec { window_name, partition_by, order_by, window_frame } = window;
        self.maybe(window_name.as_ref(), Self::name)?;
        self.each(partition_by, Self::expr)?;
        self.each(order_by, Self::ordered)?;
        self.maybe(window_frame.as_ref(), |guard, WindowFrame { units: _, start_bound, end_bound }| {
            guard.bound(start_bound)?;
            guard.maybe(end_bound.as_ref(), Self::bound)
        })
    }

    fn bound(self, bound: &WindowFrameBound) -> Checked {
        match bound {
            WindowFrameBound::CurrentRow => Ok(()),
            WindowFrameBound::Preceding(by) | WindowFrameBound::Following(by) => {
                self.maybe(by.as_deref(), Self::expr)
            }
        }
    }

    fn operator(self, op: &Op) -> Checked {
        match op {
            Op::Plus
            | Op::Minus
            | Op::Multiply
            | Op::Divide
            | Op::Modulo
            | Op::StringConcat
            | Op::Gt
            | Op::Lt
            | Op::GtEq
            | Op::LtEq
            | Op::Eq
            | Op::NotEq
            | Op::And
            | Op::Or
            | Op::BitwiseOr
            | Op::BitwiseAnd
            | Op::PGBitwiseShiftLeft
            | Op::PGBitwiseShiftRight
            | Op::Arrow
            | Op::LongArrow => Ok(()),
            Op::PGExp
            | Op::PGOverlap
            | Op::PGRegexMatch
            | Op::PGRegexIMatch
            | Op::PGRegexNotMatch
            | Op::PGRegexNotIMatch
            | Op::HashArrow
            | Op::HashLongArrow
            | Op::AtArrow
            | Op::ArrowAt
            | Op::Overlaps => self.only(DatasourceKind::Postgres, &format!("the operator {op}")),
            Op::Glob => self.only(DatasourceKind::Sqlite, "GLOB"),
            other => refuse(format!("the operator `{other}` is not allowed here")),
        }
    }
}

fn literal(value: &ValueWithSpan) -> Checked {
    match &value.value {
        Value::Number(..) | Value::SingleQuotedString(_) | Value::Boolean(_) | Value::Null => Ok(()),
        other => refuse(format!("`{other}` is in a form that is not allowed here")),
    }
}

fn unary(op: UnaryOperator) -> Checked {
    match op {
        UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Not | UnaryOperator::BitwiseNot => Ok(()),
        other => refuse(format!("the operator `{other}` is not allowed here")),
    }
}

/// Accepts the predefined fields of a time only.
fn field_of_time(field: &DateTimeField) -> Checked {
    match field {
        DateTimeField::Custom(_) | DateTimeField::Week(Some(_)) => {
            refuse(format!("`{field}` is no part of a time"))
        }
        _ => Ok(()),
    }
}

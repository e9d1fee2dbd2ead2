//! Checks the forms of expressions.

use sqlparser::ast::{
    AccessExpr, ArrayElemTypeDef, BinaryOperator as Op, CastKind, CeilFloorKind, DataType, DateTimeField,
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, Interval, ObjectName, Subscript, TypedString, UnaryOperator,
    Value, ValueWithSpan,
};

use super::{
    Checked, Guard,
    names::{bare, plain},
    refuse,
};
use crate::DatasourceKind;

impl Guard {
    pub(super) fn expr(self, expr: &Expr) -> Checked {
        match expr {
            _ if is_plain(expr) => Ok(()),
            Expr::TypedString(TypedString { data_type, value: _, uses_odbc_syntax: false })
            | Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr: _, data_type, format: None } => {
                self.data_type(data_type)
            }
            Expr::Function(function) => self.function(function),
            Expr::Collate { expr: _, collation } => plain(collation),
            Expr::UnaryOp { op, expr: _ } => unary(*op),
            Expr::BinaryOp { left: _, op, right: _ }
            | Expr::AnyOp { left: _, compare_op: op, right: _, is_some: _ }
            | Expr::AllOp { left: _, compare_op: op, right: _ } => self.operator(op),
            Expr::Array(_) => self.only(DatasourceKind::Postgres, "ARRAY"),
            Expr::Extract { field, syntax: _, expr: _ } => field_of_time(field),
            Expr::Ceil { expr: _, field } | Expr::Floor { expr: _, field } => match field {
                CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => Ok(()),
                _ => refuse("CEIL and FLOOR take one number here"),
            },
            Expr::Interval(Interval { leading_field, last_field, .. }) => {
                leading_field.iter().chain(last_field).try_for_each(field_of_time)
            }
            // `(row).name` may call a function of that name.
            Expr::CompoundFieldAccess { root: _, access_chain } => {
                let element = |access: &_| matches!(access, AccessExpr::Subscript(Subscript::Index { .. }));
                if access_chain.iter().all(element) {
                    return Ok(());
                }
                refuse("an array is asked for one element here, and a row for none of its fields")
            }
            other => {
                let text = crate::said(&other.to_string());
                refuse(format!("`{text}` is in a form that is not allowed here"))
            }
        }
    }

    fn function(self, function: &Function) -> Checked {
        let Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group: _,
            filter: _,
            null_treatment: _,
            over: _,
        } = function;
        if *uses_odbc_syntax || !matches!(parameters, FunctionArguments::None) {
            return refuse("this way to call a function is not allowed here");
        }
        match args {
            FunctionArguments::None => return bare(name),
            FunctionArguments::Subquery(_) => {}
            FunctionArguments::List(FunctionArgumentList { duplicate_treatment: _, args, clauses }) => {
                args.iter().try_for_each(argument)?;
                self.form_of_time(name, args)?;
                let good = |clause: &_| {
                    matches!(
                        clause,
                        FunctionArgumentClause::OrderBy(_) | FunctionArgumentClause::IgnoreOrRespectNulls(_)
                    )
                };
                if !clauses.iter().all(good) {
                    return refuse("a function takes its arguments and ORDER BY here");
                }
            }
        }
        self.function_name(name)
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

    /// Allows plain data types for casts, no type that looks up names.
    fn data_type(self, data_type: &DataType) -> Checked {
        match data_type {
            DataType::Character(_)
            | DataType::Char(_)
            | DataType::CharacterVarying(_)
            | DataType::CharVarying(_)
            | DataType::Varchar(_)
            | DataType::Text
            | DataType::Uuid
            | DataType::Numeric(_)
            | DataType::Decimal(_)
            | DataType::Dec(_)
            | DataType::Float(_)
            | DataType::Float4
            | DataType::Float8
            | DataType::Real
            | DataType::Double(_)
            | DataType::DoublePrecision
            | DataType::SmallInt(_)
            | DataType::Int(_)
            | DataType::Int2(_)
            | DataType::Int4(_)
            | DataType::Int8(_)
            | DataType::Integer(_)
            | DataType::BigInt(_)
            | DataType::Bool
            | DataType::Boolean
            | DataType::Date
            | DataType::Time(..)
            | DataType::Timestamp(..)
            | DataType::Datetime(_)
            | DataType::Interval { .. }
            | DataType::JSON
            | DataType::JSONB
            | DataType::Blob(_)
            | DataType::Bytea => Ok(()),
            DataType::Array(ArrayElemTypeDef::SquareBracket(of, _)) => {
                self.only(DatasourceKind::Postgres, "an array")?;
                self.data_type(of)
            }
            other => refuse(format!("the type `{}` is not allowed here", crate::said(&other.to_string()))),
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

/// Returns whether there is nothing to check but the parts of an expression.
fn is_plain(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Identifier(_)
            | Expr::CompoundIdentifier(_)
            | Expr::Value(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::Nested(_)
            | Expr::Tuple(_)
            | Expr::Subquery(_)
            | Expr::Exists { subquery: _, negated: _ }
            | Expr::InSubquery { expr: _, subquery: _, negated: _ }
            | Expr::InList { expr: _, list: _, negated: _ }
            | Expr::Between { expr: _, negated: _, low: _, high: _ }
            | Expr::Like { negated: _, any: false, expr: _, pattern: _, escape_char: _ }
            | Expr::ILike { negated: _, any: false, expr: _, pattern: _, escape_char: _ }
            | Expr::Case { case_token: _, end_token: _, operand: _, conditions: _, else_result: _ }
            | Expr::GroupingSets(_)
            | Expr::Cube(_)
            | Expr::Rollup(_)
            | Expr::Position { expr: _, r#in: _ }
            | Expr::Substring { expr: _, substring_from: _, substring_for: _, special: _, shorthand: _ }
            | Expr::Trim { trim_where: _, trim_what: _, expr: _, trim_characters: _ }
            | Expr::AtTimeZone { timestamp: _, time_zone: _ }
    )
}

fn argument(argument: &FunctionArg) -> Checked {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard)
        // The parser reads the name in `days => 2` as an expression.
        | FunctionArg::ExprNamed {
            name: Expr::Identifier(_),
            arg: FunctionArgExpr::Expr(_),
            operator: FunctionArgOperator::RightArrow,
        }
        | FunctionArg::Named {
            name: _,
            arg: FunctionArgExpr::Expr(_),
            operator: FunctionArgOperator::RightArrow,
        } => Ok(()),
        _ => refuse("this form of an argument is not allowed here"),
    }
}

pub(super) fn literal(value: &ValueWithSpan) -> Checked {
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

//! A dialect that limits the work of the parser. The parser parses the inside of some forms, such as
//! `position(…)`, twice, so nesting them takes exponential time.

use std::{any::TypeId, cell::Cell};

use sqlparser::{
    ast::{Expr, Statement},
    dialect::{Dialect, Precedence},
    keywords::Keyword,
    parser::{Parser, ParserError},
};

/// The maximum number of expressions that the parser starts. Parsing a query of 4,000 tokens once starts
/// fewer.
const MAX_EXPRESSIONS: usize = 20_000;

/// A wrapper around a dialect that counts the started expressions.
#[derive(Debug)]
pub struct CountingDialect {
    of: Box<dyn Dialect>,
    begun: Cell<usize>,
}

impl CountingDialect {
    pub fn new(of: Box<dyn Dialect>) -> Self {
        Self { of, begun: Cell::new(0) }
    }

    /// Returns the number of started expressions.
    #[cfg(test)]
    pub fn begun(&self) -> usize {
        self.begun.get()
    }
}

/// Delegates methods to the wrapped dialect. Covers every method that the dialects of PostgreSQL and SQLite
/// override.
macro_rules! same {
    ($($name:ident)*) => { $(fn $name(&self) -> bool { self.of.$name() })* };
}

impl Dialect for CountingDialect {
    fn dialect(&self) -> TypeId {
        self.of.dialect()
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        self.begun.set(self.begun.get() + 1);
        // After this error alone the parser does not try an alternative.
        if self.begun.get() > MAX_EXPRESSIONS {
            return Some(Err(ParserError::RecursionLimitExceeded));
        }
        self.of.parse_prefix(parser)
    }

    fn parse_infix(&self, parser: &mut Parser, expr: &Expr, prec: u8) -> Option<Result<Expr, ParserError>> {
        self.of.parse_infix(parser, expr, prec)
    }

    fn parse_statement(&self, parser: &mut Parser) -> Option<Result<Statement, ParserError>> {
        self.of.parse_statement(parser)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        self.of.get_next_precedence(parser)
    }

    fn prec_value(&self, prec: Precedence) -> u8 {
        self.of.prec_value(prec)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.of.identifier_quote_style(identifier)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        self.of.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        self.of.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.of.is_identifier_part(ch)
    }

    fn is_custom_operator_part(&self, ch: char) -> bool {
        self.of.is_custom_operator_part(ch)
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        self.of.is_reserved_for_identifier(keyword)
    }

    fn is_table_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        self.of.is_table_alias(keyword, parser)
    }

    same! {
        allow_extract_custom allow_extract_single_quotes supports_aliased_function_args
        supports_alter_column_type_using supports_alter_user_as_alter_role supports_array_typedef_with_brackets
        supports_asc_desc_in_column_definition supports_bitwise_shift_operators supports_comma_separated_trim
        supports_comment_on supports_comment_optimizer_hint supports_create_index_with_clause
        supports_create_table_like_parenthesized supports_dollar_placeholder supports_empty_projections
        supports_exclude_constraint supports_explain_with_utility_options supports_factorial_operator
        supports_filter_during_aggregation supports_geometric_types supports_group_by_expr
        supports_in_empty_list supports_insert_table_alias supports_interval_options
        supports_left_associative_joins_without_parens supports_limit_comma supports_listen_notify
        supports_load_extension supports_named_fn_args_with_colon_operator supports_named_fn_args_with_expr_name
        supports_nested_comments supports_notnull_operator supports_numeric_literal_underscores
        supports_order_by_using_operator supports_select_wildcard_with_alias supports_set_names
        supports_start_transaction_modifier supports_string_escape_constant supports_unicode_string_literal
        supports_xml_expressions
    }
}

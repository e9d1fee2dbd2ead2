//! Converts TOML to JSON values. Keys stay in the order of the text, because models read parameters in it.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolcrib_model::NUMBER_KEY;

use crate::parse::ParseError;

/// The maximum nesting depth, as for JSON.
const MAX_DEPTH: usize = 64;

pub fn parse(text: &str) -> Result<Value, ParseError> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().replace('\n', ", ");
        syntax(text, error.span().unwrap_or_default(), format!("not valid TOML: {message}"))
    })?;
    Reader { text }.table(table.into_inner(), 1)
}

fn syntax(text: &str, span: Range<usize>, message: impl Into<String>) -> ParseError {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ParseError::Syntax { line, column, message: message.into() }
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, message: &str) -> ParseError {
        syntax(self.text, span, message)
    }

    fn table(&self, table: DeTable<'_>, depth: usize) -> Result<Value, ParseError> {
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut out = Map::new();
        for (key, value) in entries {
            self.text_of(key.get_ref(), key.span())?;
            if key.get_ref() == NUMBER_KEY {
                return Err(self.error(key.span(), &format!("the key `{NUMBER_KEY}` is reserved")));
            }
            out.insert(key.into_inner().into_owned(), self.value(value, depth + 1)?);
        }
        Ok(Value::Object(out))
    }

    fn value(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<Value, ParseError> {
        let span = value.span();
        if depth > MAX_DEPTH {
            return Err(self.error(span, "nested deeper than 64 levels"));
        }
        match value.into_inner() {
            DeValue::String(text) => self.text_of(&text, span).map(Value::String),
            DeValue::Integer(number) => {
                let read = i64::from_str_radix(number.as_str(), number.radix()).ok();
                let message = "an integer must lie within ±9223372036854775807";
                read.map(Value::from).ok_or_else(|| self.error(span, message))
            }
            DeValue::Float(number) => {
                let read = number.as_str().parse().ok().and_then(Number::from_f64);
                read.map(Value::Number).ok_or_else(|| self.error(span, "a number must be finite"))
            }
            DeValue::Boolean(value) => Ok(Value::Bool(value)),
            // JSON has no times: the text is what it would be in quotes.
            DeValue::Datetime(time) => Ok(Value::String(time.to_string())),
            DeValue::Array(items) => {
                let items = items.into_iter().map(|item| self.value(item, depth + 1));
                items.collect::<Result<_, _>>().map(Value::Array)
            }
            DeValue::Table(table) => self.table(table, depth),
        }
    }

    fn text_of(&self, text: &str, span: Range<usize>) -> Result<String, ParseError> {
        if text.contains('\0') {
            return Err(self.error(span, "a string contains a NUL character"));
        }
        Ok(text.to_owned())
    }
}

//! The values of rows that are inserted in bulk: bound to a statement, written as a field of a row of PostgreSQL, or
//! serialized into a JSON row.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use toolcrib_model::Id;

use super::StoreError;

#[derive(Clone, Debug)]
pub enum SqlValue {
    /// A UUID.
    Id(Option<Id>),
    /// A text that is a constant of this program.
    Word(Option<&'static str>),
    /// Any other text.
    Text(Option<String>),
    /// A whole number, such as a time in microseconds.
    Number(Option<i64>),
    /// A boolean.
    Flag(Option<bool>),
}

impl SqlValue {
    pub const fn is_null(&self) -> bool {
        matches!(
            self,
            Self::Id(None) | Self::Word(None) | Self::Text(None) | Self::Number(None) | Self::Flag(None)
        )
    }

    /// The text that PostgreSQL reads as a value of the column; `None` for NULL.
    fn pg_text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Id(id) => (*id)?.simple().to_string().into(),
            Self::Word(word) => (*word)?.into(),
            Self::Text(text) => text.as_deref()?.into(),
            Self::Number(number) => (*number)?.to_string().into(),
            Self::Flag(flag) => (*flag)?.to_string().into(),
        })
    }

    /// Appends the value to `text` as a field of a row in an array of PostgreSQL. NULL is a field without a character.
    /// A quoted field has its quotes and backslashes escaped for the row, and all of them once more for the array.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] if a text holds a NUL, which PostgreSQL can't store.
    pub fn write_in_row(&self, text: &mut String) -> Result<(), StoreError> {
        self.pg_text().map_or(Ok(()), |value| quote_in_row(&value, text))
    }
}

/// Serializes as a JSON value; an id as 32 hexadecimal digits.
impl Serialize for SqlValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => id.map(|id| id.simple().to_string()).serialize(serializer),
            Self::Word(word) => word.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Flag(flag) => flag.serialize(serializer),
        }
    }
}

fn quote_in_row(value: &str, text: &mut String) -> Result<(), StoreError> {
    if value.contains('\0') {
        return Err(StoreError::Inconsistent("a text holds a NUL character".into()));
    }
    text.push_str("\\\"");
    let mut rest = value;
    while let Some(at) = rest.find(['"', '\\']) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        text.push_str(if after.starts_with('"') { r#"\\\""# } else { r"\\\\" });
        rest = &after[1..];
    }
    text.push_str(rest);
    text.push_str("\\\"");
    Ok(())
}

#[cfg(test)]
mod tests;

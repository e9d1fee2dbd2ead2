//! Converts values of datasources to JSON and limits the size of a result.

use serde_json::{Number, Value};

use super::{MAX_CELL_CHARS, MAX_RESULT_BYTES, Table};

/// The largest integer that JSON parsers with 64-bit floats represent exactly.
const SAFE: i64 = (1 << 53) - 1;

/// Collects rows up to a limit of rows and of [`MAX_RESULT_BYTES`].
pub struct RowCollector {
    table: Table,
    most: usize,
    bytes: usize,
}

impl RowCollector {
    pub fn new(most: usize) -> Self {
        Self { table: Table::default(), most, bytes: 0 }
    }

    /// Adds a row of `bytes` bytes. Returns false and drops the row if a limit is reached.
    pub fn push(&mut self, row: Vec<Value>, bytes: usize) -> bool {
        if self.table.rows.len() == self.most || self.bytes + bytes > MAX_RESULT_BYTES {
            self.table.truncated = true;
            return false;
        }
        self.bytes += bytes;
        self.table.rows.push(row);
        true
    }

    /// Cuts a text to [`MAX_CELL_CHARS`] characters. Returns the text and whether it was cut.
    pub fn short<'t>(&mut self, text: &'t str) -> (&'t str, bool) {
        let end = text.char_indices().nth(MAX_CELL_CHARS).map(|(end, _)| end);
        self.table.truncated |= end.is_some();
        (&text[..end.unwrap_or(text.len())], end.is_some())
    }

    pub fn into_table(self) -> Table {
        self.table
    }
}

/// Converts an integer. Returns text if a JSON parser with 64-bit floats would lose digits.
pub fn integer(value: i64) -> Value {
    if (-SAFE..=SAFE).contains(&value) { value.into() } else { value.to_string().into() }
}

/// Converts a float. Returns text for infinity and NaN, which JSON does not have.
pub fn float(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)
}

/// Converts a decimal of any length. Returns text if a 64-bit float can't hold all its digits.
pub fn decimal(text: &str) -> Value {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    match text.parse::<f64>() {
        Ok(value) if digits <= 15 && value.is_finite() => match text.parse::<i64>() {
            Ok(whole) => integer(whole),
            Err(_) => float(value),
        },
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_stay_numbers_while_nothing_is_lost() {
        assert_eq!([integer(SAFE), integer(-SAFE)], [json!(SAFE), json!(-SAFE)]);
        assert_eq!(
            [integer(SAFE + 1), integer(i64::MIN)],
            [json!("9007199254740992"), json!("-9223372036854775808")]
        );
        assert_eq!([float(0.5), float(f64::NAN)], [json!(0.5), json!("NaN")]);
        assert_eq!([decimal("12.50"), decimal("7"), decimal("-3")], [json!(12.5), json!(7), json!(-3)]);
        assert_eq!(decimal("0.1234567890123456"), json!("0.1234567890123456"));
        assert_eq!(decimal("NaN"), json!("NaN"));
    }

    #[test]
    fn an_answer_ends_with_its_rows_and_with_its_bytes() {
        let mut rows = RowCollector::new(2);
        assert!(rows.push(vec![], 1) && rows.push(vec![], 1) && !rows.push(vec![], 1));
        let table = rows.into_table();
        assert_eq!((table.rows.len(), table.truncated), (2, true));
        let mut rows = RowCollector::new(9);
        assert!(rows.push(vec![], MAX_RESULT_BYTES) && !rows.push(vec![], 1));
        let text = "ä".repeat(MAX_CELL_CHARS + 1);
        assert_eq!(
            (rows.short(&text).0.chars().count(), rows.short(&text).1, rows.short("ä")),
            (MAX_CELL_CHARS, true, ("ä", false))
        );
    }
}

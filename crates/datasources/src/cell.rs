//! Values of other databases as JSON, and when an answer is full.

use serde_json::{Number, Value};

use super::{MOST_BYTES, MOST_CELL, Table};

/// The largest whole number that every reader of JSON keeps.
const SAFE: i64 = (1 << 53) - 1;

/// Collects rows until there are enough.
pub struct RowCollector {
    table: Table,
    most: usize,
    bytes: usize,
}

impl RowCollector {
    /// At most `most` rows.
    pub fn new(most: usize) -> Self {
        Self { table: Table::default(), most, bytes: 0 }
    }

    /// Takes a row of `bytes` bytes; `false` where it does not fit any more and nothing further is wanted.
    pub fn push(&mut self, row: Vec<Value>, bytes: usize) -> bool {
        if self.table.rows.len() == self.most || self.bytes + bytes > MOST_BYTES {
            self.table.truncated = true;
            return false;
        }
        self.bytes += bytes;
        self.table.rows.push(row);
        true
    }

    /// A value was cut.
    pub fn cut(&mut self) {
        self.table.truncated = true;
    }

    /// What was collected.
    pub fn into_table(self) -> Table {
        self.table
    }
}

/// A whole number; as text where a reader of JSON may lose its last digits.
pub fn integer(value: i64) -> Value {
    if (-SAFE..=SAFE).contains(&value) { value.into() } else { value.to_string().into() }
}

/// A floating number; as text where JSON has none.
pub fn float(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)
}

/// A decimal number of any length: a number where a double holds all its digits, else its text.
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

/// At most [`MOST_CELL`] characters of a text, and whether that is less than all.
pub fn short(text: &str) -> (&str, bool) {
    match text.char_indices().nth(MOST_CELL) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
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
        assert!(rows.push(vec![], MOST_BYTES) && !rows.push(vec![], 1));
        let text = "ä".repeat(MOST_CELL + 1);
        assert_eq!(
            (short(&text).0.chars().count(), short(&text).1, short("ä")),
            (MOST_CELL, true, ("ä", false))
        );
    }
}

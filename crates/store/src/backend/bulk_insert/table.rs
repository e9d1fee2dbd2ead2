//! A table whose rows are inserted in bulk, and the texts that hold its rows: JSON for SQLite, an array for PostgreSQL.

use std::borrow::Borrow;

use serde::{Serialize, Serializer};
use toolcrib_model::Id;

use crate::backend::{StoreError, sql_value::SqlValue, stored::json};

/// A table whose rows are inserted in bulk. Its first column is `workspace_id`. On PostgreSQL there is a type `…_row`
/// with the same columns in the same order: reading rows of that type costs less than reading JSON.
pub struct BulkTable {
    pub name: &'static str,
    /// The columns behind `workspace_id`.
    pub columns: &'static [&'static str],
    /// Of each column, the variant of [`SqlValue`] that its values have.
    pub variants: &'static [&'static str],
}

#[derive(Clone, Debug)]
pub struct BulkRow {
    pub workspace: Id,
    /// The values of [`BulkTable::columns`], in the same order.
    pub values: Vec<SqlValue>,
}

/// Defines the [`BulkTable`] of a row's columns behind `workspace_id`, and the conversion of the row: each column with
/// the variant of [`SqlValue`] and its value.
macro_rules! bulk_table {
    ($name:literal, $row:ident: $type:ty, { $($column:ident: $variant:ident($value:expr)),+ $(,)? }) => {
        pub(crate) static BULK: $crate::backend::BulkTable = $crate::backend::BulkTable {
            name: $name,
            columns: &[$(stringify!($column)),+],
            variants: &[$(stringify!($variant)),+],
        };

        impl From<$type> for $crate::backend::BulkRow {
            fn from($row: $type) -> Self {
                let values = vec![$($crate::backend::SqlValue::$variant($value)),+];
                Self { workspace: $row.workspace_id, values }
            }
        }
    };
}
pub(crate) use bulk_table;

impl BulkTable {
    /// All columns, separated by commas.
    pub fn columns(&self) -> String {
        format!("workspace_id, {}", self.columns.join(", "))
    }

    /// The statement that inserts one row; its parameters are numbered from `first`.
    pub fn insert(&self, first: usize) -> String {
        let numbers = first..=first + self.columns.len();
        let values: Vec<String> = numbers.map(|number| format!("${number}")).collect();
        format!("INSERT INTO {} ({}) VALUES ({})", self.name, self.columns(), values.join(", "))
    }

    /// The statement that inserts into SQLite the rows of the JSON array that `parameter` holds.
    pub fn insert_sqlite_json(&self, parameter: &str) -> String {
        let value = |(column, variant): (&&str, &&str)| match *variant {
            "Id" => format!("unhex(v->>'{column}')"),
            _ => format!("v->>'{column}'"),
        };
        let values: Vec<String> = self.columns.iter().zip(self.variants).map(value).collect();
        format!(
            "INSERT INTO {} ({}) SELECT unhex(v->>'workspace_id'), {} FROM (SELECT value AS v FROM json_each({parameter}))",
            self.name,
            self.columns(),
            values.join(", ")
        )
    }

    /// The statement that inserts into PostgreSQL the rows that a parameter holds as the text of [`pg_array`].
    pub fn insert_pg_text(&self, parameter: &str) -> String {
        let (name, columns) = (self.name, self.columns());
        format!(
            "INSERT INTO {name} ({columns}) SELECT {columns} FROM unnest(CAST(CAST({parameter} AS TEXT) AS {name}_row[]))"
        )
    }

    pub fn json<R: Borrow<BulkRow>>(&self, rows: &[R]) -> Result<String, StoreError> {
        let rows: Vec<JsonRow<'_>> = rows.iter().map(|row| JsonRow(self, row.borrow())).collect();
        json(&rows)
    }
}

/// A row as a JSON object whose keys are the columns. Values that are NULL are omitted: most of a row of the audit log
/// are, and reading an absent one is cheaper.
struct JsonRow<'r>(&'r BulkTable, &'r BulkRow);

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(table, row) = self;
        let workspace = SqlValue::Id(Some(row.workspace));
        let columns = table.columns.iter().copied().zip(&row.values).filter(|(_, value)| !value.is_null());
        serializer.collect_map(std::iter::once(("workspace_id", &workspace)).chain(columns))
    }
}

/// The text of an array of PostgreSQL that holds the rows.
pub fn pg_array<R: Borrow<BulkRow>>(rows: &[R]) -> Result<String, StoreError> {
    let mut text = String::with_capacity(512 * rows.len());
    for row in rows.iter().map(Borrow::borrow) {
        text.push_str(if text.is_empty() { "{\"(" } else { ",\"(" });
        SqlValue::Id(Some(row.workspace)).write_in_row(&mut text)?;
        for value in &row.values {
            text.push(',');
            value.write_in_row(&mut text)?;
        }
        text.push_str(")\"");
    }
    text.push('}');
    Ok(text)
}

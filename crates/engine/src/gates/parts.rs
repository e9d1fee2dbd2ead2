//! Splits large requests with records into parts. Each part is a commit with its own audit row, so that no
//! part holds SQLite's single writer for long. The whole request can be sent again safely, because records
//! have ids.

use std::ops::Range;

use serde_json::{Value, json};
use toolcrib_registry::{LimitClass, Spec};

use super::limit::WithinLimits;
use crate::{
    base::{ActionError, large::weight},
    catalog::action::Done,
};

/// Approximate size of a part in bytes: about ten milliseconds of SQLite's writer, including the full-text
/// index.
const PART_BYTES: usize = 64 * 1024;
/// Maximum number of records of a part.
const PART_RECORDS: usize = 50;
/// The parameter with the records.
const RECORDS: &str = "records";

/// A call that is committed in parts.
pub struct Parts {
    cleared: WithinLimits,
    records: Vec<Value>,
    ranges: Vec<Range<usize>>,
}

/// The results of the parts so far, for the response to the whole call.
#[derive(Clone, Default)]
pub struct PartialResult {
    accepted: u64,
    duplicates: u64,
    rejected: Vec<Value>,
    /// Number of records in these parts.
    records: usize,
}

/// Returns whether a call of this action with these arguments is committed in parts.
pub fn needs_parts(spec: &Spec, arguments: &Value) -> bool {
    spec.limit_class == LimitClass::Records && ranges(arguments).len() > 1
}

fn ranges(arguments: &Value) -> Vec<Range<usize>> {
    let records = arguments.get(RECORDS).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (mut ranges, mut begin, mut bytes) = (Vec::new(), 0, 0);
    for (at, record) in records.iter().enumerate() {
        let more = weight(record);
        if at > begin && (bytes + more > PART_BYTES || at - begin == PART_RECORDS) {
            ranges.push(begin..at);
            (begin, bytes) = (at, 0);
        }
        bytes += more;
    }
    ranges.push(begin..records.len());
    ranges
}

impl Parts {
    /// Splits a call for which [`needs_parts`] holds.
    pub fn cut(mut cleared: WithinLimits) -> Self {
        let ranges = ranges(&cleared.action().subject().arguments);
        let records = match cleared.action_mut().subject_mut().arguments.get_mut(RECORDS).map(Value::take) {
            Some(Value::Array(records)) => records,
            _ => Vec::new(),
        };
        Self { cleared, records, ranges }
    }

    /// Returns the parts in order, each with whether more follow.
    pub fn into_calls(self) -> impl Iterator<Item = (WithinLimits, bool)> {
        let Self { cleared, records, ranges } = self;
        let (mut records, last) = (records.into_iter(), ranges.len() - 1);
        ranges.into_iter().enumerate().map(move |(n, range)| {
            let mut part = cleared.clone();
            let some: Vec<Value> = records.by_ref().take(range.len()).collect();
            if let Some(arguments) = part.action_mut().subject_mut().arguments.as_object_mut() {
                arguments.insert(RECORDS.to_owned(), some.into());
            }
            (part, n < last)
        })
    }
}

impl PartialResult {
    /// Adds the result of a part with this number of records.
    pub fn add(&mut self, done: &Done, records: usize) {
        let data: Value = serde_json::from_str(done.data.get()).unwrap_or_default();
        let count = |name: &str| data.get(name).and_then(Value::as_u64).unwrap_or(0);
        self.accepted += count("accepted");
        self.duplicates += count("duplicates");
        for rejected in data.get("rejected").and_then(Value::as_array).into_iter().flatten() {
            let mut rejected = rejected.clone();
            let index = rejected.get("index").and_then(Value::as_u64).unwrap_or(0);
            rejected["index"] = (index + self.records as u64).into();
            self.rejected.push(rejected);
        }
        self.records += records;
    }

    /// Returns the result of the whole call.
    pub fn done(self) -> Result<Done, ActionError> {
        let Self { accepted, duplicates, rejected, .. } = self;
        let description =
            format!("Records stored: {accepted}; known: {duplicates}; rejected: {}", rejected.len());
        let data = json!({ "accepted": accepted, "duplicates": duplicates, "rejected": rejected });
        let data = serde_json::value::to_raw_value(&data);
        let data = data.map_err(|error| ActionError::internal(error.to_string()))?;
        Ok(Done { data, description, ends: Vec::new(), truncated: false })
    }

    /// Adds to the error of a part which records are stored already.
    pub fn failed(&self, error: ActionError) -> ActionError {
        if self.records == 0 {
            return error;
        }
        let kept = self.records;
        error.hint(format!(
            "the first {kept} records are stored; send the same body again: records that are stored are skipped"
        ))
    }
}

/// Returns the number of records of a part.
pub fn records(cleared: &WithinLimits) -> usize {
    cleared.action().subject().arguments.get(RECORDS).and_then(Value::as_array).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the range of each part.
    fn bounds(arguments: &Value) -> Vec<(usize, usize)> {
        ranges(arguments).into_iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn parts_are_small_and_leave_nothing_out() {
        for (sizes, expected) in [
            (vec![10; 50], vec![(0, 50)]),
            (vec![10; 120], vec![(0, 50), (50, 100), (100, 120)]),
            (vec![40_000; 3], vec![(0, 1), (1, 2), (2, 3)]),
            (vec![30_000, 30_000, 30_000], vec![(0, 2), (2, 3)]),
            (vec![1_000_000], vec![(0, 1)]),
            (vec![], vec![(0, 0)]),
        ] {
            let records: Vec<Value> = sizes.iter().map(|size| "x".repeat(*size).into()).collect();
            assert_eq!(bounds(&json!({ "records": records })), expected, "{sizes:?}");
        }
        assert_eq!(bounds(&json!({})), [(0, 0)]);
    }
}

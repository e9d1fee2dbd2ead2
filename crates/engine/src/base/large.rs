//! CPU-heavy work on large values, which must not block the other tasks of a runtime thread.

use serde_json::Value;
use tokio::runtime::{Handle, RuntimeFlavor};

/// Size in bytes above which parsing and validation would block other tasks for too long.
const LARGE: usize = 128 * 1024;

/// Runs `compute` on a value of this many bytes. If the value is large, the other tasks of the thread move to
/// another thread meanwhile.
pub fn compute_large<T>(bytes: usize, compute: impl FnOnce() -> T) -> T {
    let threads =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > LARGE && threads { tokio::task::block_in_place(compute) } else { compute() }
}

/// Returns the approximate size of a value as JSON, in bytes.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| name.len() + 4 + weight(field)).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

//! Work on what is large, beside the other calls of a thread.

use serde_json::Value;
use tokio::runtime::{Handle, RuntimeFlavor};

/// Bytes from which on reading and checking take longer than others should wait.
const LARGE: usize = 128 * 1024;

/// Computes something from so many bytes. Where they are many, the other calls of this thread go on meanwhile on another.
pub fn compute_large<T>(bytes: usize, compute: impl FnOnce() -> T) -> T {
    let threads =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > LARGE && threads { tokio::task::block_in_place(compute) } else { compute() }
}

/// About how many bytes a value has as JSON.
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

//! The limits of an import.

use std::io::{self, Write};

use serde_json::Value;
use toolcrib_toolset::MAX_DOCUMENT_BYTES;

/// The maximum size of an OpenAPI document, in bytes.
pub const MAX_OPENAPI_BYTES: usize = 8 << 20;

/// The maximum number of tools of a document.
pub const MAX_TOOLS: usize = 500;
/// The depths to which schemas are read, in turn, until the schema of a tool fits its limits.
pub const DEPTHS: [usize; 5] = [8, 6, 5, 4, 3];
/// The maximum number of schemas that are read for one tool.
pub const MAX_SCHEMAS: usize = 1_500;
/// The maximum number of schemas that are read for a document, so that no document takes forever.
pub const MAX_WORK: usize = 20_000_000;
/// The number of schemas that take as long as the check of a tool.
pub const WORK_OF_CHECK: usize = 2_000;
/// The maximum size of all tools in TOML, in bytes.
pub const MAX_TOOL_BYTES: usize = MAX_DOCUMENT_BYTES - (64 << 10);
/// The maximum number of references that are followed to reach one value.
pub const MAX_HOPS: usize = 16;
/// The size of a schema above which fewer levels of it are read, in bytes. The check adds bounds to it.
pub const MAX_PLAIN_SCHEMA: usize = 24 << 10;
/// The maximum number of properties of a free object.
pub const MAX_FREE_PROPERTIES: usize = 100;
/// The maximum length of a pattern, in bytes.
pub const MAX_PATTERN_LENGTH: usize = 500;
/// The maximum length of a tool's description, in characters.
pub const MAX_DESCRIPTION: usize = 1_000;

/// Returns whether a value has more than `most` bytes as JSON.
pub fn is_larger(value: &Value, most: usize) -> bool {
    serde_json::to_writer(ByteCounter { left: most }, value).is_err()
}

/// Counts bytes and keeps none.
struct ByteCounter {
    left: usize,
}

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left =
            self.left.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("larger than the limit"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_size_of_a_value_is_that_of_its_json() {
        let value = json!({ "a": [1, "ä"] });
        let bytes = value.to_string().len();
        assert!(!is_larger(&value, bytes) && is_larger(&value, bytes - 1));
    }
}

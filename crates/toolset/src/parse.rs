//! Parses a document from TOML or JSON to one form.

mod toml_value;

use serde_json::Value;
use toolcrib_model::parse_strict;

use crate::limits::MAX_DOCUMENT_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// TOML, which people write.
    Toml,
    /// JSON, which programs write.
    Json,
}

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("has {bytes} bytes; a document has at most {MAX_DOCUMENT_BYTES}")]
    TooLarge {
        /// Size of the text, in bytes.
        bytes: usize,
    },
    /// The text is not valid TOML or JSON, or has a key twice.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line of the text, from 1.
        line: usize,
        /// Column of the line, from 1.
        column: usize,
        /// What is wrong, in one line.
        message: String,
    },
}

/// Parses a text. Refuses a key that appears twice, and numbers that a double can't represent.
pub fn parse(text: &str, format: DocumentFormat) -> Result<Value, ParseError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(ParseError::TooLarge { bytes: text.len() });
    }
    match format {
        DocumentFormat::Toml => toml_value::parse(text),
        DocumentFormat::Json => parse_strict(text.as_bytes()).map_err(|error| {
            let message = error.message.split(" at line ").next().unwrap_or_default().to_owned();
            ParseError::Syntax { line: error.line, column: error.column, message }
        }),
    }
}

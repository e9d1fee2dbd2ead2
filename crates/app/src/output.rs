//! Writes to standard output and standard error. A closed pipe is not an error.

use std::io::{self, Write as _};

use crate::failure::Failure;

/// Prints a text without a line break.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a text to standard error, where it does not become part of a result. Errors are ignored.
pub fn explain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a line.
pub fn line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Prints a value as indented JSON.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    line(&format!("{value:#}"))
}

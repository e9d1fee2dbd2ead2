//! Standard output, where a reader that goes away early is no failure.

use std::io::{self, Write as _};

use crate::failure::Failure;

/// Prints a text as it is.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => Err(fault.into()),
        _ => Ok(()),
    }
}

/// Prints a line.
pub fn line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Prints a value as JSON over several lines.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    line(&format!("{value:#}"))
}

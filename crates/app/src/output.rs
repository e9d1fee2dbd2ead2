//! Writes to standard output and standard error. A closed pipe is not an error.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
};

use toolcrib_model::visible_lines;

use crate::failure::Failure;

/// Prints a text without a line break.
pub fn print(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes())
}

fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
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
    line(&on_terminal(&format!("{value:#}")))
}

/// Prints a part of a document that is text, byte for byte where [`on_terminal`] leaves it as it is.
pub fn part(part: &[u8]) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        print(&visible_lines(&String::from_utf8_lossy(part)))
    } else {
        bytes(part)
    }
}

/// Returns a document as it is for a file or a program. For a terminal, characters that would change what it
/// shows are replaced by their code points.
pub fn on_terminal(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { visible_lines(text) } else { Cow::Borrowed(text) }
}

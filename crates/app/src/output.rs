//! Writes to standard output and standard error. A closed pipe is not an error.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
};

use toolcrib_model::{visible, visible_lines};

use crate::failure::Failure;

/// Prints a text without a line break.
pub fn print(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes()).map(|_| ())
}

/// Returns whether somebody reads the output.
fn bytes(bytes: &[u8]) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => Ok(written.map(|()| true)?),
    }
}

/// Prints a text to standard error, where it does not become part of a result. Errors are ignored.
pub fn explain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a line for people, with characters that would change what a terminal shows as their code points.
pub fn line(text: &str) -> Result<(), Failure> {
    print(&format!("{}\n", visible(text)))
}

/// Prints a value as indented JSON.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&on_terminal(&format!("{value:#}\n")))
}

/// A text that comes in parts, printed byte for byte where [`on_terminal`] leaves it as it is.
#[derive(Default)]
pub struct Parts {
    /// What a terminal does not show yet, because a part may end within a character or a line break.
    line: Vec<u8>,
}

impl Parts {
    /// Prints a part. Returns whether somebody reads the output.
    pub fn print(&mut self, part: &[u8]) -> Result<bool, Failure> {
        if !io::stdout().is_terminal() {
            return bytes(part);
        }
        self.line.extend_from_slice(part);
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.line.split_off(end);
        let open = self.end();
        self.line = rest;
        open
    }

    /// Prints what has no line break at its end.
    pub fn end(&self) -> Result<bool, Failure> {
        bytes(visible_lines(&String::from_utf8_lossy(&self.line)).as_bytes())
    }
}

/// Returns a document as it is for a file or a program. For a terminal, characters that would change what it
/// shows are replaced by their code points.
pub fn on_terminal(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { visible_lines(text) } else { Cow::Borrowed(text) }
}

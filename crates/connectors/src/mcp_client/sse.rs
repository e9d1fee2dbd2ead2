//! Parses an event stream (`text/event-stream`) as its bytes arrive.

use std::mem;

/// The byte order mark, which may begin a stream.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads the data of the events of a stream. Names, ids and times to reconnect are not kept.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, whose line feed does not end another line.
    after_return: bool,
    started: bool,
    /// The data of the event that is read, if there is any.
    data: Option<Vec<u8>>,
    /// Whether the event has another name than `message`.
    is_other: bool,
}

impl SseReader {
    /// Takes the next bytes, and returns the data of each message that they complete. An event with another name than
    /// `message` is left out, and the last event as long as its blank line is missing.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut complete = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' if mem::take(&mut self.after_return) => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    complete.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
        }
        complete
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = mem::take(&mut self.line);
        let line = if mem::replace(&mut self.started, true) {
            &line[..]
        } else {
            line.strip_prefix(BOM).unwrap_or(&line)
        };
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                let data = match self.data.as_mut() {
                    Some(data) => {
                        data.push(b'\n');
                        data
                    }
                    None => self.data.insert(Vec::new()),
                };
                data.extend_from_slice(value);
            }
            b"event" => self.is_other = !value.is_empty() && value != b"message",
            // A comment has an empty name.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Vec<u8>> {
        let data = self.data.take();
        let is_other = mem::take(&mut self.is_other);
        data.filter(|_| !is_other)
    }
}

#[cfg(test)]
mod tests {
    use super::SseReader;

    /// The messages of a stream, which arrives in parts of each length.
    fn messages(stream: &str) -> Vec<String> {
        let all = |size: usize| -> Vec<String> {
            let mut reader = SseReader::default();
            let parts = stream.as_bytes().chunks(size);
            parts.flat_map(|part| reader.push(part)).map(|data| String::from_utf8(data).unwrap()).collect()
        };
        let whole = all(stream.len().max(1));
        for size in 1..stream.len() {
            assert_eq!(all(size), whole, "in parts of {size}: {stream:?}");
        }
        whole
    }

    #[test]
    fn events_are_read_with_every_line_end() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = "data: one\n\n: comment\ndata:two\ndata:  three\nid: 7\nretry: 10\n\ndata\n\n";
            assert_eq!(messages(&stream.replace('\n', end)), ["one", "two\n three", ""], "{end:?}");
        }
    }

    #[test]
    fn what_is_no_complete_message_is_left_out() {
        let stream =
            "event: ping\ndata: a\n\nevent: message\ndata: b\n\n\n\nid: 1\n\ndatum: c\n\n\u{feff}data: x\n\n";
        assert_eq!(messages(stream), ["b"]);
        assert_eq!(messages("\u{feff}data: a\n\ndata: half\n"), ["a"]);
        assert_eq!(messages(""), [""; 0]);
    }
}

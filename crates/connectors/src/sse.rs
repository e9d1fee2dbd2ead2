//! Parses an event stream (`text/event-stream`) as its bytes arrive.

use std::{mem, time::Duration};

/// The byte order mark, which may begin a stream.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// How long to wait before a stream is continued, if the server does not say it.
const DEFAULT_RETRY: Duration = Duration::from_millis(500);
const MIN_RETRY: Duration = Duration::from_millis(50);
/// The most bytes of the id of an event.
const ID_BYTES: usize = 1_024;

/// Where a stream that ended can be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPosition {
    /// The id of the last event: visible ASCII characters.
    pub last_event_id: String,
    /// How long to wait before.
    pub retry: Duration,
}

/// Which events are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Names {
    /// Those without a name, or with the name `message`.
    #[default]
    Message,
    Any,
}

/// Reads the data of the events of a stream, and where it can be continued. Names are not kept.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, whose line feed does not end another line.
    after_return: bool,
    started: bool,
    /// The data of the event that is read, if there is any.
    data: Option<Vec<u8>>,
    names: Names,
    /// Whether the event has another name than `message`.
    is_other: bool,
    /// The id of the event that is read and of those after it.
    id: Option<String>,
    /// The id of the last complete event.
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl SseReader {
    /// Creates a reader of streams whose events have names, all of which are read.
    pub fn of_any_name() -> Self {
        Self { names: Names::Any, ..Self::default() }
    }

    /// Returns how many bytes of an event that is not complete are kept.
    pub fn buffered(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    /// Takes the next bytes, and returns the data of each message that they complete. An event with another name than
    /// `message` is left out, and the last event as long as its blank line is missing.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut complete = Vec::new();
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, end) = rest.split_at(at);
            let is_return = end.starts_with(b"\r");
            let is_second_half = line.is_empty() && !is_return && self.after_return;
            self.after_return = is_return;
            if !is_second_half {
                self.line.extend_from_slice(line);
                complete.extend(self.end_line());
            }
            rest = end.get(1..).unwrap_or_default();
        }
        self.after_return &= rest.is_empty();
        self.line.extend_from_slice(rest);
        complete
    }

    /// Ends the stream, and returns the data of the message whose blank line is missing. It may be cut.
    pub fn end(&mut self) -> Option<Vec<u8>> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_event()
    }

    /// Returns where the stream can be continued; `None` if its events have no id.
    pub fn position(&self) -> Option<StreamPosition> {
        let retry = self.retry.unwrap_or(DEFAULT_RETRY).max(MIN_RETRY);
        self.last_id.clone().map(|last_event_id| StreamPosition { last_event_id, retry })
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
            b"id" => self.id = event_id(value),
            b"retry" => self.retry = milliseconds(value).or(self.retry),
            b"event" => {
                self.is_other = self.names == Names::Message && !value.is_empty() && value != b"message";
            }
            // A comment has an empty name.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Vec<u8>> {
        self.last_id.clone_from(&self.id);
        let data = self.data.take();
        let is_other = mem::take(&mut self.is_other);
        data.filter(|_| !is_other)
    }
}

/// Returns an id that can be sent back in a header.
fn event_id(value: &[u8]) -> Option<String> {
    let is_visible = value.iter().all(|byte| (b' '..=b'~').contains(byte));
    let id = Some(value).filter(|id| !id.is_empty() && id.len() <= ID_BYTES && is_visible)?;
    String::from_utf8(id.to_vec()).ok()
}

fn milliseconds(value: &[u8]) -> Option<Duration> {
    let digits = Some(value).filter(|value| value.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok().map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{SseReader, StreamPosition};

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

    #[test]
    fn a_stream_with_ids_can_be_continued() {
        for (stream, expected) in [
            ("id: 7\nretry: 100\ndata:\n\n", Some(("7", 100))),
            ("id: 7\n\nretry: 10\n", Some(("7", 50))),
            ("id: 7\n\nretry: soon\n\nevent: ping\nid: 8\n\nid: 9\n", Some(("8", 500))),
            ("id: 7\n\nid\n\n", None),
            ("id: \u{fc}\n\n", None),
            ("retry: 100\ndata: x\n\n", None),
        ] {
            let mut reader = SseReader::default();
            reader.push(stream.as_bytes());
            let expected = expected.map(|(id, wait)| StreamPosition {
                last_event_id: id.to_owned(),
                retry: Duration::from_millis(wait),
            });
            assert_eq!(reader.position(), expected, "{stream:?}");
        }
    }

    #[test]
    fn the_end_of_a_stream_ends_its_last_event() {
        for (stream, expected) in [
            ("data: a\n\ndata: {}\n", Some("{}")),
            ("data: a\n\ndata: {}", Some("{}")),
            ("event: ping\ndata: {}", None),
            ("data: a\n\n", None),
        ] {
            let mut reader = SseReader::default();
            reader.push(stream.as_bytes());
            assert_eq!(reader.end().as_deref(), expected.map(str::as_bytes), "{stream:?}");
        }
    }
}

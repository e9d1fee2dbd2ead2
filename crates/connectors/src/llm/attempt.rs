//! One request for an answer, and its stream.

use std::time::Duration;

use tokio::time::Instant;
use toolcrib_model::{count_values, parse_lossy};

use super::{
    MAX_ANSWER, MAX_ARGUMENTS, ModelError,
    client::LlmClient,
    decoder::{Decoded, Decoder, Progress, map_texts},
    error::Fault,
    event_sink::EventSink,
};
use crate::{
    sse::SseReader,
    upstream::{Method, SecretMask, UpstreamSend, UpstreamStream},
};

/// The most bytes of an event. The last one of Responses repeats the tools and the whole answer.
const MAX_EVENT: usize = 2 * MAX_ANSWER;
/// The most values of an event, each of which needs some hundred bytes of memory.
const MAX_VALUES: usize = 250_000;
/// The most bytes of a stream: each piece of a text has some hundred bytes around it.
const MAX_STREAM: usize = 16 * MAX_ANSWER;
/// What ends the streams of Chat Completions.
const DONE: &[u8] = b"[DONE]";

impl LlmClient {
    /// Sends a request, and reads the answer.
    pub(super) async fn attempt(
        &self,
        body: Vec<u8>,
        deadline: Instant,
        decoder: Box<dyn Decoder>,
        sink: &mut EventSink<'_>,
    ) -> Result<Decoded, Fault> {
        let sent = body.len();
        let send = UpstreamSend {
            method: Method::POST,
            accept: Some("text/event-stream, application/json"),
            body: Some(("application/json", body)),
            timeout: deadline.saturating_duration_since(Instant::now()),
            ..self.request_to(self.route.clone())
        };
        let idle = self.settings.idle;
        let stream = self.client.stream(send, idle).await?;
        if !(200..300).contains(&stream.status) {
            let (status, after) = (stream.status, stream.retry_after.map(Duration::from_secs));
            return Err(Fault::of_status(status, &stream.error_text(idle).await, after));
        }
        let mut answer =
            Reading { decoder, sink, mask: &self.mask, progress: Progress::Open, is_done: false };
        let read = answer.read(stream, idle, self.settings.settle).await;
        let Reading { decoder, is_done, .. } = answer;
        let (counted, written) = (decoder.usage(), decoder.kept());
        let decoded = read.and_then(|()| decoded(decoder, is_done));
        match &decoded {
            Ok(_) => sink.end(),
            Err(_) => sink.fail(counted, sent, written),
        }
        decoded
    }
}

/// Returns the answer, if the stream had a proper end.
fn decoded(decoder: Box<dyn Decoder>, is_done: bool) -> Result<Decoded, Fault> {
    let decoded = decoder.end(is_done).ok_or_else(Fault::broken)?;
    if decoded.calls.iter().any(|call| call.arguments.len() > MAX_ARGUMENTS) {
        let what = "the arguments of a call have more than 256 KiB";
        return Err(Fault::lasting(ModelError::TooLarge(what)));
    }
    Ok(decoded)
}

/// An answer that is read.
struct Reading<'r, 'a> {
    decoder: Box<dyn Decoder>,
    sink: &'r mut EventSink<'a>,
    mask: &'r SecretMask,
    progress: Progress,
    is_done: bool,
}

impl Reading<'_, '_> {
    async fn read(
        &mut self,
        mut stream: UpstreamStream,
        idle: Duration,
        settle: Duration,
    ) -> Result<(), Fault> {
        // Some answer with one document, although a stream was asked for, and tell errors so.
        let is_document = stream.content_type.as_deref().is_some_and(|name| name.contains("json"));
        let (mut reader, mut document, mut received) = (SseReader::of_any_name(), Vec::new(), 0);
        while self.progress != Progress::Complete {
            let wait = if self.progress == Progress::Open { idle } else { settle };
            let chunk = match stream.chunk(wait).await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // Nothing but the usage is missing.
                Err(_) if self.progress == Progress::Ended => break,
                Err(error) => return Err(error.into()),
            };
            received += chunk.len();
            let event = if is_document {
                document.extend_from_slice(&chunk);
                document.len()
            } else {
                for data in reader.push(&chunk) {
                    self.event(&data)?;
                }
                reader.buffered()
            };
            if received > MAX_STREAM || event > MAX_EVENT {
                return Err(Fault::lasting(ModelError::TooLarge("its stream")));
            }
        }
        let rest = if is_document { Some(document) } else { reader.end() };
        match rest.filter(|rest| self.progress != Progress::Complete && !rest.is_empty()) {
            Some(rest) if self.progress == Progress::Open => self.event(&rest),
            // Nothing but the usage may be cut.
            Some(rest) => self.event(&rest).or(Ok(())),
            None => Ok(()),
        }
    }

    fn event(&mut self, data: &[u8]) -> Result<(), Fault> {
        if self.progress == Progress::Complete || data.trim_ascii().is_empty() {
            return Ok(());
        }
        if data.trim_ascii() == DONE {
            self.progress = Progress::Complete;
            self.is_done = true;
            return Ok(());
        }
        if count_values(data) > MAX_VALUES {
            return Err(Fault::lasting(ModelError::TooLarge("an event of its stream")));
        }
        // What a secret becomes inside JSON text is known to the mask.
        let data = self.mask.apply_to_text(&String::from_utf8_lossy(data));
        let mut event = parse_lossy(data.as_bytes()).map_err(|_| Fault::broken())?;
        if data.contains("\\u0000") {
            // PostgreSQL can't store it.
            map_texts(&mut event, &|text| text.replace('\0', "\u{FFFD}"));
        }
        if let Some(fault) = Fault::in_event(&event) {
            return Err(fault);
        }
        self.progress = self.progress.max(self.decoder.push(event, self.sink)?);
        if self.decoder.kept() > MAX_ANSWER {
            return Err(Fault::lasting(ModelError::TooLarge("more than 4 MiB")));
        }
        Ok(())
    }
}

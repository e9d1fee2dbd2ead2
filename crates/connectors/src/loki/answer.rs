//! Parses Loki's responses into log lines.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};
use toolcrib_model::Ts;

use super::Labels;
use crate::{
    UpstreamError,
    client::read,
    embedded::{LogLevel, LogLine},
};

/// The maximum length of a line, in characters. Longer ones are cut.
const MAX_LINE_CHARS: usize = 8_192;

#[derive(Deserialize)]
struct Envelope {
    status: String,
    data: Data,
}

#[derive(Deserialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
enum Data {
    Streams(Vec<Stream>),
}

#[derive(Deserialize)]
struct Stream {
    stream: BTreeMap<String, String>,
    values: Vec<Entry>,
}

/// Nanoseconds since 1970 as text, the line, and in newer versions structured metadata.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Plain(String, String),
    With(String, String, IgnoredAny),
}

/// Returns the lines of a response's body, stream by stream.
pub fn lines(body: &[u8], labels: &Labels) -> Result<Vec<LogLine>, UpstreamError> {
    let envelope: Envelope = read(body)?;
    if envelope.status != "success" {
        return Err(UpstreamError::Malformed("it says neither success nor why not".to_owned()));
    }
    let Data::Streams(streams) = envelope.data;
    let mut all = Vec::new();
    for Stream { stream, values } in streams {
        let known = Known::of(stream, labels);
        for entry in values {
            let (at, text) = match entry {
                Entry::Plain(at, text) | Entry::With(at, text, _) => (at, text),
            };
            let nanos: i128 = at
                .parse()
                .map_err(|_| UpstreamError::Malformed("the time of a line is no number".to_owned()))?;
            all.push(known.line(nanos, &text));
        }
    }
    Ok(all)
}

/// What the labels of a stream state about its lines.
struct Known {
    service: String,
    level: LogLevel,
    workspace: Option<toolcrib_model::Id>,
    fields: Map<String, Value>,
}

impl Known {
    fn of(mut stream: BTreeMap<String, String>, labels: &Labels) -> Self {
        let level = stream.remove("detected_level").or_else(|| stream.get("level").cloned());
        stream.remove("level");
        Self {
            service: stream.remove(labels.service.as_str()).unwrap_or_default(),
            level: level.map_or(LogLevel::Info, |word| LogLevel::parse(&word)),
            workspace: stream.remove(labels.workspace.as_str()).and_then(|id| id.parse().ok()),
            fields: stream.into_iter().map(|(name, value)| (name, value.into())).collect(),
        }
    }

    fn line(&self, nanos: i128, text: &str) -> LogLine {
        LogLine {
            at: Ts::from_micros(i64::try_from(nanos.div_euclid(1_000)).unwrap_or(i64::MAX)),
            level: self.level,
            service: self.service.clone(),
            message: text.chars().take(MAX_LINE_CHARS).collect(),
            fields: self.fields.clone(),
            workspace: self.workspace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_lines(body: &str) -> Result<Vec<LogLine>, UpstreamError> {
        let labels = Labels { workspace: "workspace".parse().unwrap(), service: "app".parse().unwrap() };
        lines(body.as_bytes(), &labels)
    }

    #[test]
    fn streams_are_lines_with_what_their_labels_say() {
        let found = read_lines(
            r#"{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"api","level":"ERR",
            "workspace":"0197a000-0000-7000-8000-00000000000a","pod":"p1"},
            "values":[["1768471200000000999","{\"a\":1}"],["1768471199000000000","old",{"trace":"t"}]]}],"stats":{}}}"#,
        );
        let found = found.unwrap();
        assert_eq!(found[0].at, Ts::from_micros(1_768_471_200_000_000));
        assert_eq!((found[0].service.as_str(), found[0].level), ("api", LogLevel::Error));
        assert_eq!((found[0].message.as_str(), found[1].message.as_str()), (r#"{"a":1}"#, "old"));
        assert_eq!(found[0].fields, Map::from_iter([("pod".to_owned(), "p1".into())]));
        assert!(found[0].workspace.is_some());
    }

    #[test]
    fn whatever_else_is_malformed() {
        for body in [
            "",
            "[]",
            r#"{"status":"error"}"#,
            r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#,
            r#"{"status":"success","data":{"resultType":"streams","result":[{"stream":{},"values":[["x","y"]]}]}}"#,
        ] {
            assert!(matches!(read_lines(body), Err(UpstreamError::Malformed(_))), "{body}");
        }
    }
}

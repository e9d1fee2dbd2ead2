//! Builds `LogQL`. The caller's text occurs only inside quotes.

use std::fmt::Write as _;

use super::Labels;
use crate::embedded::{DataScope, LogLevel, LogQuery};

/// Builds the query for log lines: a selector with the exact labels, then the filters for the text and the level.
pub fn logql(query: &LogQuery<'_>, labels: &Labels) -> String {
    let service = match query.service {
        Some(service) => format!("{}={}", labels.service, quoted(service)),
        // Loki refuses a selector without a matcher that excludes empty values.
        None => format!("{}=~\".+\"", labels.service),
    };
    let mut text = match query.reach {
        DataScope::Workspace(id) => {
            format!("{{{service}, {}={}}}", labels.workspace, quoted(&id.to_string()))
        }
        DataScope::Platform => format!("{{{service}}}"),
    };
    // Writing into a string can't fail.
    if let Some(search) = query.search {
        let _ = write!(text, " |~ {}", quoted(&format!("(?i){}", literally(search))));
    }
    if let Some(level) = query.level {
        // Newer versions of Loki detect the level of a line; older ones have only the sender's label.
        let words = quoted(&format!("(?i)({})", spellings(level)));
        let _ = write!(text, " | detected_level=~{words} or level=~{words}");
    }
    text
}

/// Returns the common spellings of a level, as alternatives of a regular expression.
fn spellings(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug|trace",
        LogLevel::Info => "info|information|notice",
        LogLevel::Warning => "warn|warning",
        LogLevel::Error => "error|err|critical|crit|fatal|panic|alert|emerg|emergency",
    }
}

/// Quotes a text with Go's escapes, as Loki expects.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                // Writing into a string can't fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Escapes a text for a regular expression that matches exactly this text.
fn literally(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use toolcrib_model::{Id, Ts};

    use super::*;

    fn built(
        reach: DataScope,
        service: Option<&str>,
        level: Option<LogLevel>,
        search: Option<&str>,
    ) -> String {
        let labels =
            Labels { workspace: "workspace".parse().unwrap(), service: "service_name".parse().unwrap() };
        let query = LogQuery { reach, service, level, search, from: Ts::from_micros(0), limit: 10 };
        logql(&query, &labels)
    }

    #[test]
    fn a_query_is_one_selector_and_what_follows_it() {
        let a = DataScope::Workspace(Id::from_u128(10));
        assert_eq!(
            built(a, Some("api"), None, None),
            r#"{service_name="api", workspace="00000000-0000-0000-0000-00000000000a"}"#
        );
        assert_eq!(
            built(DataScope::Platform, None, Some(LogLevel::Warning), Some("a.b")),
            "{service_name=~\".+\"} |~ \"(?i)a\\\\.b\" | detected_level=~\"(?i)(warn|warning)\" or level=~\"(?i)(warn|warning)\""
        );
    }

    #[test]
    fn every_sign_stays_in_its_quotes() {
        assert_eq!(quoted("a\"b\\c`d\ne\u{1b}{{.}}"), r#""a\"b\\c`d\ne\u001b{{.}}""#);
        assert_eq!(literally("(a+b)|[c]"), r"\(a\+b\)\|\[c\]");
    }
}

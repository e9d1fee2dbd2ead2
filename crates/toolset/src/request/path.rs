//! The URL of a request: the base URL of the upstream and the segments of the mapping's path. No argument adds,
//! removes or leaves a segment.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use super::{
    RequestDefect,
    arguments::{RequestArguments, parts},
};
use crate::{defect::below, template::TemplatePart};

/// Everything but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How often a value may be percent-encoded. No service is expected to decode more often.
const MAX_LAYERS: usize = 4;

#[derive(Debug, Default)]
struct PathSegment {
    /// As it stands in the URL.
    encoded: String,
    /// What it means.
    plain: String,
}

/// Returns the URL of a path below the base URL.
pub fn build_url(
    path: &str,
    base_url: &Url,
    arguments: &mut RequestArguments<'_>,
) -> Result<Url, RequestDefect> {
    let segments = path.split('/').map(|template| build_segment(template, arguments));
    let segments = segments.collect::<Result<Vec<_>, _>>()?;
    join(base_url, &segments).ok_or_else(|| {
        let message = "the arguments make a URL that is not the one of this tool; give plain values";
        RequestDefect::new("", message)
    })
}

fn build_segment(template: &str, arguments: &mut RequestArguments<'_>) -> Result<PathSegment, RequestDefect> {
    let mut segment = PathSegment::default();
    let mut last = None;
    for part in parts(template)? {
        match part {
            TemplatePart::Parameter(name) => {
                let at = below("", name);
                let Some(text) = arguments.text(name)? else {
                    return Err(RequestDefect::new(
                        at,
                        "stands in the path of the request, so it needs a value",
                    ));
                };
                if let Some(message) = wrong_segment(&text) {
                    return Err(RequestDefect::new(at, message));
                }
                segment.encoded.extend(utf8_percent_encode(&text, ENCODED));
                segment.plain.push_str(&text);
                last = Some(at);
            }
            TemplatePart::Text(text) | TemplatePart::Pointer(text) => {
                segment.encoded.push_str(text);
                segment.plain.push_str(&percent_decode_str(text).decode_utf8_lossy());
            }
        }
    }
    // Arguments that are harmless by themselves, such as `.` in `.{x}`, may not be so together.
    match (last, wrong_segment(&segment.plain)) {
        (Some(at), Some(message)) => {
            Err(RequestDefect::new(at, format!("together with the text beside it in the path, it {message}")))
        }
        _ => Ok(segment),
    }
}

/// Returns why a text is not one segment of a path. A service, or a proxy before it, may decode a path more
/// than once, so the same holds for what the text means if it is percent-decoded.
fn wrong_segment(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("must not be empty: it is a part of the request's path");
    }
    let mut text = text.to_owned();
    for _ in 0..=MAX_LAYERS {
        // Some servers ignore what follows a `;` in a segment.
        if matches!(text.split(';').next(), Some("." | "..")) {
            return Some(
                "must not be `.` or `..`, percent-encoded or not: it is a part of the request's path",
            );
        }
        if text.contains(['/', '\\']) {
            return Some(
                "must not contain `/` or `\\`, percent-encoded or not: it is one segment of the request's path",
            );
        }
        if text.chars().any(char::is_control) {
            return Some("must not contain control characters, percent-encoded or not; remove them");
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy();
        if decoded == text {
            return None;
        }
        text = decoded.into_owned();
    }
    Some("is percent-encoded several times; give the plain value")
}

/// Appends segments to the base URL. `None` if the URL does not have the origin of the base URL, its path and
/// then exactly these segments.
fn join(base_url: &Url, segments: &[PathSegment]) -> Option<Url> {
    let mut path = base_url.path().to_owned();
    if !path.ends_with('/') {
        path.push('/');
    }
    let base_length = path.len();
    let encoded: Vec<&str> = segments.iter().map(|segment| segment.encoded.as_str()).collect();
    path.push_str(&encoded.join("/"));
    let mut url = base_url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&path);
    let (base_path, _) = path.split_at_checked(base_length)?;
    let below = url.path().strip_prefix(base_path)?;
    let found = below.split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy());
    let is_as_written = found.eq(segments.iter().map(|segment| segment.plain.as_str()));
    (is_as_written && url.origin() == base_url.origin()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base_url: &str, encoded: &[&str]) -> Option<String> {
        let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let segments: Vec<PathSegment> = encoded
            .iter()
            .map(|text| PathSegment { encoded: (*text).to_owned(), plain: plain(text) })
            .collect();
        join(&Url::parse(base_url).unwrap(), &segments).map(String::from)
    }

    #[test]
    fn a_url_that_is_not_as_written_is_refused() {
        let base = "https://api.example/v2/";
        assert_eq!(joined(base, &["a", "b%20c", ""]).unwrap(), "https://api.example/v2/a/b%20c/");
        assert_eq!(joined("https://api.example/v2", &["a"]).unwrap(), "https://api.example/v2/a");
        assert_eq!(joined(base, &[""]).unwrap(), base);
        for segment in ["..", ".", "%2e%2E", ".%2e", "a/b", "a\\b", "a/../b", "a\nb", "a\tb"] {
            assert_eq!(joined(base, &["a", segment, "b"]), None, "{segment:?}");
        }
        assert_eq!(joined(base, &["..", "v2", "a"]), None);
        assert_eq!(joined("data:text/plain,x", &["a"]), None);
        // Only `http:` and `https:` addresses have an origin that can be compared.
        assert_eq!(joined("other://api.example/v2/", &["a"]), None);
    }
}

//! Splits a document at its headings, with the library's view of what is one.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

/// The info string of a fence around a text that could not stand in a document as it is.
const VERBATIM: &str = "verbatim";

/// A heading of the first or second level, with the text up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'d> {
    pub level: usize,
    /// Line of the heading, from 1.
    pub line: usize,
    pub title: &'d str,
    pub body: &'d str,
}

/// Returns the text before the first heading, and the parts. Headings that are underlined, or inside a list, a quote or
/// a fence, split nothing.
pub fn split(document: &str) -> (&str, Vec<Part<'_>>) {
    let mut starts = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(document, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: level @ (HeadingLevel::H1 | HeadingLevel::H2), .. })
                if depth == 0 && document[range.start..].trim_start_matches(' ').starts_with('#') =>
            {
                starts.push((level, line_start(document, range.start)));
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    let ends = starts.iter().skip(1).map(|start| start.1).chain([document.len()]);
    let (mut line, mut counted, mut parts) = (1, 0, Vec::new());
    for ((level, start), end) in starts.iter().zip(ends) {
        line += document[counted..*start].lines().count();
        counted = *start;
        let heading = &document[*start..end];
        let (first, body) = heading.split_at(heading.find(['\n', '\r']).unwrap_or(heading.len()));
        parts.push(Part { level: *level as usize, line, title: title(first), body });
    }
    (&document[..starts.first().map_or(document.len(), |start| start.1)], parts)
}

fn line_start(document: &str, at: usize) -> usize {
    document[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// The text of a heading as it is written, without the marks around it.
fn title(heading: &str) -> &str {
    let space = [' ', '\t'];
    let text = heading.trim_matches(space).trim_start_matches('#').trim_matches(space);
    let open = text.trim_end_matches('#');
    if open.is_empty() || open.ends_with(space) { open.trim_end_matches(space) } else { text }
}

/// Returns the text of a part: without empty lines around it, and without the fence of [`fenced`].
pub fn text(body: &str) -> Option<&str> {
    let body = body.trim_end();
    let ink = body.len() - body.trim_start().len();
    let body = &body[line_start(body, ink)..];
    let verbatim = || {
        let fence = &body[..body.len() - body.trim_start_matches('~').len()];
        let inner =
            body.strip_prefix(fence)?.strip_prefix(' ')?.strip_prefix(VERBATIM)?.strip_prefix('\n')?;
        let inner = inner.strip_suffix(fence)?.strip_suffix('\n')?;
        (fence.len() >= 3 && !inner.contains(fence)).then_some(inner)
    };
    Some(verbatim().unwrap_or(body)).filter(|text| !text.is_empty())
}

/// Puts a text into a fence that is longer than any in it.
pub fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '~').map(str::len).max().unwrap_or_default();
    let fence = "~".repeat(longest.max(2) + 1);
    format!("{fence} {VERBATIM}\n{text}\n{fence}")
}

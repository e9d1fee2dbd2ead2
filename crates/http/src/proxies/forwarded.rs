//! Parses the header `Forwarded` (RFC 7239): elements separated by commas, each with pairs separated by
//! semicolons, each value a token or a quoted string.

use std::{iter::Peekable, net::IpAddr, str::Chars};

/// Returns the `for` addresses of one line, from the right. `None` stands for an element without an address.
/// A line that is not well-formed gives a single `None`: the client may have opened a quote that swallows
/// what the proxies appended.
pub fn entries(line: &str) -> Vec<Option<IpAddr>> {
    let mut entries = elements(line).unwrap_or_else(|| vec![None]);
    entries.reverse();
    entries
}

fn elements(line: &str) -> Option<Vec<Option<IpAddr>>> {
    let mut rest = line.chars().peekable();
    let mut elements = Vec::new();
    let mut named: Option<String> = None;
    loop {
        let (name, value) = pair(&mut rest)?;
        if name.eq_ignore_ascii_case("for") && named.replace(value).is_some() {
            return None;
        }
        match rest.next() {
            Some(';') => {}
            end @ (Some(',') | None) => {
                elements.push(named.take().and_then(|text| super::address(&text)));
                if end.is_none() {
                    return Some(elements);
                }
            }
            Some(_) => return None,
        }
    }
}

/// Parses `name=value`. Returns two empty strings if there is nothing between two separators, `None` on a
/// syntax error.
fn pair(rest: &mut Peekable<Chars<'_>>) -> Option<(String, String)> {
    blanks(rest);
    let name = run(rest, |c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
    blanks(rest);
    if name.is_empty() {
        return Some((name, String::new()));
    }
    rest.next_if_eq(&'=')?;
    let value = if rest.next_if_eq(&'"').is_some() {
        quoted(rest)?
    } else {
        // Accepts more characters than a token may have: some proxies write addresses without quotes.
        run(rest, |c| c.is_ascii_graphic() && !",;\"=".contains(c))
    };
    blanks(rest);
    Some((name, value))
}

fn quoted(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            other => text.push(other),
        }
    }
}

fn run(rest: &mut Peekable<Chars<'_>>, belongs: impl Fn(char) -> bool) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next_if(|&c| belongs(c)) {
        text.push(c);
    }
    text
}

fn blanks(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
}

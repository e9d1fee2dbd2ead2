//! Strings in any kind of quotes.

use std::{fmt::Write as _, str::Chars};

/// Appends the string that `text` begins with to `out`, as a JSON string. Returns its length in `text`, or `None` if
/// the string does not end or has an escape with no meaning.
pub fn rewrite(text: &str, out: &mut String) -> Option<usize> {
    let mut chars = text.chars();
    let quotes: &[char] = match chars.next()? {
        '“' | '”' | '„' => &['“', '”'],
        '‘' | '’' => &['‘', '’'],
        '\'' => &['\''],
        _ => &['"'],
    };
    out.push('"');
    loop {
        match chars.next()? {
            c if quotes.contains(&c) => break,
            '\\' => escape(&mut chars, out)?,
            '"' => out.push_str("\\\""),
            c => push(c, out),
        }
    }
    out.push('"');
    Some(text.len() - chars.as_str().len())
}

/// Appends the JSON escape for the one after a backslash.
fn escape(chars: &mut Chars<'_>, out: &mut String) -> Option<()> {
    match chars.next()? {
        // The strict parser checks the digits after `u`.
        c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => {
            out.push('\\');
            out.push(c);
        }
        '\'' => out.push('\''),
        'x' => {
            let digits = chars.as_str().get(..2)?;
            out.push_str("\\u00");
            out.push_str(digits);
            chars.nth(1);
        }
        _ => return None,
    }
    Some(())
}

fn push(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c < ' ' => {
            // Writing into a string can't fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

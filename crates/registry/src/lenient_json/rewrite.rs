//! Rewrites one object or list to strict JSON, token by token. Keeps no more than the open brackets, so that deep
//! nesting needs no recursion.

use std::{fmt::Write as _, str::Chars};

/// Rewrites the object or list that `text` begins with. Returns the JSON and the length of what was read. `None` if the
/// text is cut off or has something with more than one meaning.
pub fn rewrite(text: &str) -> Option<(String, usize)> {
    let out = String::with_capacity(text.len() + 16);
    let mut rewriter = Rewriter { text, at: 0, out, open: Vec::new(), last: Token::Comma, key: false };
    loop {
        rewriter.step()?;
        if rewriter.open.is_empty() && rewriter.last == Token::Value {
            return Some((rewriter.out, rewriter.at));
        }
    }
}

/// The last token that is no white space and no comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Comma,
    Colon,
    /// A key, a value, or the end of an object or list.
    Value,
}

struct Rewriter<'t> {
    text: &'t str,
    at: usize,
    out: String,
    /// The brackets that are open.
    open: Vec<char>,
    last: Token,
    /// Whether a word at this place is a key.
    key: bool,
}

impl Rewriter<'_> {
    fn step(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let c = rest.chars().next()?;
        match c {
            '{' | '[' => self.begin(c),
            '}' | ']' => self.end(c),
            ',' => self.comma(),
            ':' => {
                self.copy(1);
                self.token(Token::Colon);
                Some(())
            }
            '"' | '\'' | '“' | '”' | '„' | '‘' | '’' => {
                self.at += rewrite_string(rest, &mut self.out)?;
                self.value()
            }
            '/' | '#' => self.comment(rest),
            c if c.is_whitespace() => {
                self.out.push(if c.is_ascii_whitespace() && c != '\u{c}' { c } else { ' ' });
                self.at += c.len_utf8();
                Some(())
            }
            c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => {
                let number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
                self.copy(rest.find(|c| !number(c)).unwrap_or(rest.len()));
                self.value()
            }
            _ => self.word(rest),
        }
    }

    fn begin(&mut self, bracket: char) -> Option<()> {
        if self.last == Token::Value {
            return None;
        }
        self.open.push(bracket);
        self.copy(1);
        self.token(Token::Open);
        Some(())
    }

    /// Closes a bracket and removes a comma before it.
    fn end(&mut self, bracket: char) -> Option<()> {
        let matching = if bracket == '}' { '{' } else { '[' };
        if self.open.pop()? != matching || self.last == Token::Colon {
            return None;
        }
        if self.last == Token::Comma {
            // Only white space follows the comma, so this stays linear.
            self.out.remove(self.out.rfind(',')?);
        }
        self.copy(1);
        self.token(Token::Value);
        Some(())
    }

    fn comma(&mut self) -> Option<()> {
        if self.last != Token::Value {
            return None;
        }
        self.copy(1);
        self.token(Token::Comma);
        Some(())
    }

    /// Skips a comment.
    fn comment(&mut self, rest: &str) -> Option<()> {
        let block = rest.starts_with("/*");
        if !block && !rest.starts_with("//") && !rest.starts_with('#') {
            return None;
        }
        let length = if block { rest.get(2..)?.find("*/")? + 4 } else { rest.find('\n')? };
        self.at += length;
        self.out.push(' ');
        Some(())
    }

    /// Rewrites a key without quotes, or a literal.
    fn word(&mut self, rest: &str) -> Option<()> {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
        let word = rest.get(..rest.find(|c| !part(c)).unwrap_or(rest.len()))?;
        if self.key && !word.is_empty() {
            self.out.extend(["\"", word, "\""]);
        } else {
            self.out.push_str(match word {
                "true" | "True" => "true",
                "false" | "False" => "false",
                "null" | "None" | "undefined" => "null",
                _ => return None,
            });
        }
        self.at += word.len();
        self.value()
    }

    fn value(&mut self) -> Option<()> {
        if self.last == Token::Value {
            return None;
        }
        self.token(Token::Value);
        Some(())
    }

    fn token(&mut self, token: Token) {
        self.last = token;
        let separates = matches!(token, Token::Open | Token::Comma);
        self.key = separates && self.open.last() == Some(&'{');
    }

    fn copy(&mut self, length: usize) {
        self.out.push_str(self.text.get(self.at..self.at + length).unwrap_or_default());
        self.at += length;
    }
}

/// Appends the string that `text` begins with to `out`, as a JSON string. Returns its length in `text`, or `None` if
/// the string does not end or has an escape with no meaning.
fn rewrite_string(text: &str, out: &mut String) -> Option<usize> {
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
            c => push_char(c, out),
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

fn push_char(c: char, out: &mut String) {
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

//! A parser for the part of `LogQL` that log queries use: one selector, line filters, label filters. Follows
//! Loki's grammar and shares no code with the query builder. Strings have Go's syntax.

use std::collections::BTreeMap;

use regex::Regex;

/// A comparison of a label with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The label's name.
    pub label: String,
    /// `=`, `!=`, `=~` or `!~`.
    pub operator: String,
    /// The text without its quotes.
    pub value: String,
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQl {
    pub selector: Vec<Comparison>,
    /// The line filters: the operator (`|=` or `|~`) and the text.
    pub lines: Vec<(String, String)>,
    /// The label filters. One comparison of each must hold.
    pub labels: Vec<Vec<Comparison>>,
}

impl LogQl {
    /// Parses a query, or returns the first syntax error.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rest = Rest(text.trim_start());
        let mut query = Self::default();
        rest.expect("{")?;
        loop {
            query.selector.push(rest.comparison()?);
            if rest.take("}") {
                break;
            }
            rest.expect(",")?;
        }
        while !rest.0.is_empty() {
            if let Some(operator) = ["|~", "|="].into_iter().find(|operator| rest.take(operator)) {
                query.lines.push((operator.to_owned(), rest.string()?));
                continue;
            }
            rest.expect("|")?;
            let mut either = vec![rest.comparison()?];
            while rest.take("or") {
                either.push(rest.comparison()?);
            }
            query.labels.push(either);
        }
        Ok(query)
    }

    /// Whether a line of a stream with these labels matches.
    pub fn finds(&self, labels: &BTreeMap<String, String>, line: &str) -> bool {
        self.selector.iter().all(|one| one.holds(labels))
            && self.labels.iter().all(|either| either.iter().any(|one| one.holds(labels)))
            && self.lines.iter().all(|(operator, text)| match operator.as_str() {
                "|=" => line.contains(text),
                _ => Regex::new(text).is_ok_and(|regex| regex.is_match(line)),
            })
    }
}

impl Comparison {
    fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.label).map_or("", String::as_str);
        let whole = || Regex::new(&format!("^(?:{})$", self.value)).is_ok_and(|regex| regex.is_match(value));
        match self.operator.as_str() {
            "=" => value == self.value,
            "!=" => value != self.value,
            "=~" => whole(),
            _ => !whole(),
        }
    }
}

struct Rest<'t>(&'t str);

impl Rest<'_> {
    fn take(&mut self, word: &str) -> bool {
        let Some(rest) = self.0.strip_prefix(word) else { return false };
        self.0 = rest.trim_start();
        true
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) { Ok(()) } else { Err(format!("`{word}` expected at `{}`", self.0)) }
    }

    fn comparison(&mut self) -> Result<Comparison, String> {
        let end = self.0.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.0.len());
        let (label, rest) = self.0.split_at(end);
        if label.is_empty() || label.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("a label expected at `{}`", self.0));
        }
        self.0 = rest.trim_start();
        let operator = ["=~", "!~", "!=", "="].into_iter().find(|operator| self.take(operator));
        let operator = operator.ok_or_else(|| format!("an operator expected at `{}`", self.0))?;
        Ok(Comparison { label: label.to_owned(), operator: operator.to_owned(), value: self.string()? })
    }

    /// Parses a string in double quotes with Go's escapes, or in backticks without escapes.
    fn string(&mut self) -> Result<String, String> {
        if let Some(raw) = self.0.strip_prefix('`') {
            let (text, rest) = raw.split_once('`').ok_or("a string does not end")?;
            self.0 = rest.trim_start();
            return Ok(text.to_owned());
        }
        let inner = self.0.strip_prefix('"').ok_or_else(|| format!("a string expected at `{}`", self.0))?;
        let mut out = String::new();
        let mut signs = inner.char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '"' => {
                    self.0 = inner[at + 1..].trim_start();
                    return Ok(out);
                }
                '\n' => return Err("a line break in a string".to_owned()),
                '\\' => out.push(escaped(&mut signs.by_ref().map(|(_, sign)| sign))?),
                sign => out.push(sign),
            }
        }
        Err("a string does not end".to_owned())
    }
}

fn escaped(signs: &mut dyn Iterator<Item = char>) -> Result<char, String> {
    let sign = signs.next().ok_or("a string does not end")?;
    let digits = match sign {
        'a' => return Ok('\u{7}'),
        'b' => return Ok('\u{8}'),
        'f' => return Ok('\u{c}'),
        'n' => return Ok('\n'),
        'r' => return Ok('\r'),
        't' => return Ok('\t'),
        'v' => return Ok('\u{b}'),
        '\\' | '"' => return Ok(sign),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return Err(format!("`\\{sign}` is no escape")),
    };
    let hex: String = signs.take(digits).collect();
    let code = u32::from_str_radix(&hex, 16).map_err(|_| format!("`{hex}` is no number"))?;
    char::from_u32(code).ok_or_else(|| format!("`{hex}` is no sign"))
}

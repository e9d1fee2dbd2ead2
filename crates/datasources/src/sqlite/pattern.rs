//! LIKE and GLOB with the semantics of SQLite, but interruptible within one match. The time of a match is
//! proportional to the length of the text times that of the pattern.

/// The number of steps between two checks of the timeout. Each compares one item with one character.
const LOOK: usize = 1_024;

pub struct Pattern {
    items: Vec<Item>,
    /// Whether the case of ASCII letters is ignored.
    folds: bool,
}

enum Item {
    Any,
    One,
    Char(char),
    Set { inverted: bool, ranges: Vec<(char, char)> },
}

impl Pattern {
    /// Parses a pattern of LIKE. Returns `None` if it can't match any text.
    pub fn like(text: &str, escape: Option<char>) -> Option<Self> {
        let mut chars = text.chars();
        let mut items = Vec::new();
        while let Some(c) = chars.next() {
            items.push(match c {
                c if Some(c) == escape => Item::Char(chars.next()?),
                '%' => Item::Any,
                '_' => Item::One,
                c => Item::Char(c),
            });
        }
        Some(Self { items, folds: true })
    }

    /// Parses a pattern of GLOB. Returns `None` if it can't match any text.
    pub fn glob(text: &str) -> Option<Self> {
        let mut chars = text.chars().peekable();
        let mut items = Vec::new();
        while let Some(c) = chars.next() {
            items.push(match c {
                '*' => Item::Any,
                '?' => Item::One,
                '[' => set(&mut chars)?,
                c => Item::Char(c),
            });
        }
        Some(Self { items, folds: false })
    }

    /// Returns whether the whole text matches, or `None` if `goes_on` returns false. Backtracks only to the
    /// last `%` or `*`.
    pub fn matches(&self, text: &str, goes_on: impl Fn() -> bool) -> Option<bool> {
        let (mut at, mut rest, mut again, mut steps) = (0, text.chars(), None, 0);
        loop {
            let item = self.items.get(at);
            steps += 1;
            if steps % LOOK == 0 && !goes_on() {
                return None;
            }
            if let Some(Item::Any) = item {
                at += 1;
                again = Some((at, rest.clone()));
                continue;
            }
            let mut next = rest.clone();
            match (item, next.next()) {
                (None, None) => return Some(true),
                (Some(_), None) => return Some(false),
                (Some(item), Some(c)) if item.takes(c, self.folds) => (at, rest) = (at + 1, next),
                _ => {
                    let Some((from, later)) = &mut again else { return Some(false) };
                    later.next();
                    (at, rest) = (*from, later.clone());
                }
            }
        }
    }
}

impl Item {
    fn takes(&self, c: char, folds: bool) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Char(own) => *own == c || (folds && own.eq_ignore_ascii_case(&c)),
            Self::Set { inverted, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *inverted
            }
        }
    }
}

/// Parses a set in brackets. A `]` at its beginning and a `-` at either end are members.
fn set(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Item> {
    let inverted = chars.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    if let Some(c) = chars.next_if_eq(&']') {
        ranges.push((c, c));
    }
    let mut before = None;
    loop {
        match (chars.next()?, before) {
            (']', _) => return Some(Item::Set { inverted, ranges }),
            ('-', Some(first)) if chars.peek().is_some_and(|c| *c != ']') => {
                ranges.push((first, chars.next()?));
                before = None;
            }
            (c, _) => {
                ranges.push((c, c));
                before = Some(c);
            }
        }
    }
}

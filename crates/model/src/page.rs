//! Cursor paging: the arguments `limit` and `cursor`, the results `items` and `next_cursor`.
#![deny(missing_docs)]

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Id, Ts};

/// A page of a list. Newest items come first, unless the action says otherwise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Page<T> {
    /// Items of this page.
    pub items: Vec<T>,
    /// Value of `cursor` for the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// The cursor after each item, in the order of `items`, for a page that is cut there. Not published.
    #[serde(skip)]
    pub ends: Vec<Cursor>,
}

impl<T> Page<T> {
    /// Creates a page from rows that were read with `limit + 1`. The extra row shows that another page
    /// follows.
    pub fn from_rows(mut rows: Vec<T>, limit: i64, key: impl Fn(&T) -> Cursor) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let ends: Vec<Cursor> = rows.iter().map(key).collect();
        let next_cursor = if more { ends.last().map(|end| end.encode()) } else { None };
        Self { items: rows, next_cursor, ends }
    }

    /// Continues at `next` if no row showed that another page follows.
    #[must_use]
    pub fn or_next(mut self, next: Option<Cursor>) -> Self {
        self.next_cursor = self.next_cursor.or(next.map(Cursor::encode));
        self
    }

    /// Converts each item.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        let items = self.items.into_iter().map(f).collect();
        Page { items, next_cursor: self.next_cursor, ends: self.ends }
    }

    /// Converts each item, or returns the first error.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        let items = self.items.into_iter().map(f).collect::<Result<_, _>>()?;
        Ok(Page { items, next_cursor: self.next_cursor, ends: self.ends })
    }

    /// Inserts an item at the beginning. `end` is the cursor after it.
    #[must_use]
    pub fn starting_with(mut self, item: T, end: Cursor) -> Self {
        self.items.insert(0, item);
        self.ends.insert(0, end);
        self
    }
}

/// An output that is a page or contains one.
pub trait Paged {
    /// Returns the cursor after each item, in order.
    fn ends(&self) -> &[Cursor];
}

impl<T> Paged for Page<T> {
    fn ends(&self) -> &[Cursor] {
        &self.ends
    }
}

/// The position after the row with this time and id, where the next page starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The time of the last row.
    pub at: Ts,
    /// The id of the last row.
    pub id: Id,
}

impl Cursor {
    /// A position before every row of a newest-first list: its time is later than that of any row.
    pub const START: Self = Self { at: Ts::from_micros(i64::MAX), id: Id::max() };

    /// Encodes the cursor as opaque text.
    pub fn encode(self) -> String {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.at.as_micros().to_be_bytes());
        bytes[8..].copy_from_slice(self.id.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Decodes the text of [`Cursor::encode`]. Returns `None` for any other text.
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (at, id) = bytes.split_at_checked(8)?;
        Some(Self {
            at: Ts::from_micros(i64::from_be_bytes(at.try_into().ok()?)),
            id: Id::from_slice(id).ok()?,
        })
    }
}

/// `limit` and `cursor` as every list takes them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageArgs {
    /// Maximum number of rows.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    #[schemars(length(min = 1, max = 64))]
    pub cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_the_round_trip_and_rubbish_does_not() {
        let cursor = Cursor { at: Ts::from_micros(17), id: Id::from_u128(99) };
        assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
        assert_eq!(Cursor::decode("rubbish"), None);
        assert_eq!(Cursor::decode(""), None);
    }

    #[test]
    fn only_a_page_with_more_behind_it_has_a_cursor() {
        let key = |n: &i64| Cursor { at: Ts::from_micros(*n), id: Id::nil() };
        assert_eq!(Page::from_rows(vec![3, 2], 2, key).next_cursor, None);
        let page = Page::from_rows(vec![3, 2, 1], 2, key);
        assert_eq!(page.items, [3, 2]);
        assert_eq!(page.next_cursor, Some(key(&2).encode()));
    }

    #[test]
    fn every_item_has_its_end() {
        let key = |n: &i64| Cursor { at: Ts::from_micros(*n), id: Id::nil() };
        let page = Page::from_rows(vec![3, 2, 1], 2, key).map(|n| n * 10).starting_with(99, Cursor::START);
        assert_eq!((page.items, page.ends), (vec![99, 30, 20], vec![Cursor::START, key(&3), key(&2)]));
    }
}

//! The revisions of the protocol.

/// A revision of the protocol that servers over HTTP speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision {
    V20241105,
    V20250326,
    V20250618,
    V20251125,
    V20260728,
}

impl Revision {
    pub const NEWEST: Self = Self::V20260728;
    /// The newest one that begins with `initialize`.
    pub const NEWEST_WITH_INITIALIZE: Self = Self::V20251125;

    const ALL: [Self; 5] =
        [Self::V20241105, Self::V20250326, Self::V20250618, Self::V20251125, Self::V20260728];

    pub fn parse(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == date)
    }

    /// Returns the revision's date.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V20241105 => "2024-11-05",
            Self::V20250326 => "2025-03-26",
            Self::V20250618 => "2025-06-18",
            Self::V20251125 => "2025-11-25",
            Self::V20260728 => "2026-07-28",
        }
    }

    /// Returns whether each request stands alone: it names the client, and headers repeat its method.
    pub fn is_stateless(self) -> bool {
        self == Self::V20260728
    }
}

//! Closed sets of words. Each set is an enum in the code; the API and the database use its words.

/// The error for a text that is not a word of a closed set.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{word}` is not {set}")]
pub struct UnknownWord {
    /// The set with its article, such as `a confirmation status`.
    pub set: &'static str,
    /// The text that was read.
    pub word: String,
}

/// Defines an enum with one word per variant. Implements `as_str`, `Display`, `FromStr`, `TryFrom<String>`
/// (for stored rows), serde and `JsonSchema`.
#[macro_export]
macro_rules! closed_set {
    ($set:literal, $(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[schemars(inline)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every variant, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word that the API and the database use.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|one| one.as_str() == word);
                found.ok_or_else(|| Self::Err { set: $set, word: word.to_owned() })
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownWord;

            fn try_from(word: String) -> Result<Self, $crate::UnknownWord> {
                word.parse()
            }
        }
    };
}

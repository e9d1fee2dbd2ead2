//! Conditions on texts, on both databases: one of several words, and a part of a text regardless of case.

/// Words of which a column must have one. Neither the words nor the columns contain commas, except that a word with a
/// comma is found nowhere.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct AnyOf(String);

impl<'w> FromIterator<&'w str> for AnyOf {
    /// Puts a comma before and after each word.
    fn from_iter<I: IntoIterator<Item = &'w str>>(words: I) -> Self {
        let words = words.into_iter().filter(|word| !word.contains(','));
        Self(words.fold(",".to_owned(), |text, word| text + word + ","))
    }
}

impl From<&str> for AnyOf {
    fn from(word: &str) -> Self {
        [word].into_iter().collect()
    }
}

/// The condition that an expression is one of the words of an [`AnyOf`] in a parameter, or that this is null.
macro_rules! any_of {
    ($column:expr, $parameter:literal) => {
        concat!(
            "($",
            $parameter,
            " IS NULL OR replace($",
            $parameter,
            ", ',' || ",
            $column,
            " || ',', '') <> $",
            $parameter,
            ")"
        )
    };
}

pub(crate) use any_of;

/// The form in which parts of texts are compared: lower case, with one form of sigma.
pub fn folded(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// A pattern for `LIKE … ESCAPE '\'` that finds `part` anywhere in a lower-case text.
pub fn like(part: &str) -> String {
    let mut out = String::from("%");
    for c in part.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('%');
    out
}

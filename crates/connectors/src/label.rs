//! Names of labels in external services.

use std::{fmt, str::FromStr};

/// The name of a label: a letter or `_`, then letters, digits and `_`, so that it needs no quotes in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label(String);

/// The error for a text that is not the name of a label.
#[derive(Debug, thiserror::Error)]
#[error("must be a letter or `_`, then letters, digits and `_`")]
pub struct NotALabel;

impl Label {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Label {
    type Err = NotALabel;

    fn from_str(text: &str) -> Result<Self, NotALabel> {
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let goes_on = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Prometheus and Loki reserve names with two leading underscores.
        if begins && goes_on && text.len() <= 100 && !text.starts_with("__") {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotALabel)
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

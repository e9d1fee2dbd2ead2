//! Lists of shared texts.

use std::sync::Arc;

/// Returns the words as a shared list.
pub fn texts(words: &[&str]) -> Arc<[Arc<str>]> {
    words.iter().map(|word| Arc::from(*word)).collect()
}

//! Texts of a server as they are shown.

use toolcrib_model::visible;

/// The most bytes of a text that stands in an error.
const MESSAGE: usize = 2_048;

/// Returns the beginning of a message, with hidden characters made visible.
pub fn message(text: &str) -> String {
    cut(text.trim(), MESSAGE)
}

/// Returns at most this many bytes of a text of one line, with hidden characters made visible.
pub fn cut(text: &str, most: usize) -> String {
    let mut shown = visible(text.get(..text.floor_char_boundary(most)).unwrap_or(text)).into_owned();
    if shown.len() > most || text.len() > most {
        shown.truncate(shown.floor_char_boundary(most.saturating_sub('…'.len_utf8())));
        shown.push('…');
    }
    shown
}

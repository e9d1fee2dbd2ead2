//! Cuts a text into passages for the index.

use toolcrib_engine::WriteCx;
use toolcrib_store::{documents::Passage, text};

/// Maximum length of a passage, in characters.
const LENGTH: usize = 1_000;

/// Returns the passages of a text, ready to be stored. Computes their tokens before the first statement that
/// writes.
pub fn passages(cx: &WriteCx<'_>, content: &str) -> Vec<Passage> {
    let parts = cut(content, LENGTH).into_iter().zip(0..);
    parts
        .map(|(part, position)| Passage {
            id: cx.new_id(),
            position,
            content: part.to_owned(),
            tokens: text::tokens(part),
        })
        .collect()
}

/// Splits a text into pieces of at most `length` characters. The pieces contain the whole text except the
/// white space between them. A piece ends at the last empty line in its second half, or else line, sentence
/// or space. Without any of them it ends anywhere.
fn cut(text: &str, length: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let most = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let (piece, behind) = rest.split_at(if most == rest.len() { most } else { end(rest, most) });
        pieces.push(piece.trim_end());
        rest = behind.trim_start();
    }
    pieces
}

fn end(rest: &str, most: usize) -> usize {
    let window = rest.get(..most).unwrap_or(rest);
    let half = most / 2;
    let after = |mark: &str| window.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > half);
    ["\n\n", "\n", ". ", "! ", "? ", " "].into_iter().find_map(after).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_ends_where_the_text_does() {
        assert_eq!(cut("one. two. three", 11), ["one. two.", "three"]);
        assert_eq!(cut("one two\n\nthree four", 12), ["one two", "three four"]);
        assert_eq!(cut("one two three", 8), ["one two", "three"]);
        assert_eq!(cut("short", 8), ["short"]);
    }

    #[test]
    fn what_has_no_end_is_cut_between_characters() {
        assert_eq!(cut("äöüäöü", 4), ["äöüä", "öü"]);
        assert_eq!(cut("   \n ", 4), Vec::<&str>::new());
    }

    #[test]
    fn nothing_but_white_space_is_lost() {
        let text = "Ein Satz. Noch einer!\r\n\r\n\tUnd 東京 ohne Ende … ".repeat(40);
        for length in [1, 2, 7, 50, 1_000] {
            let pieces = cut(&text, length);
            assert!(
                pieces.iter().all(|piece| !piece.is_empty() && piece.chars().count() <= length),
                "{length}"
            );
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&pieces.concat()), bare(&text), "{length}");
        }
    }
}

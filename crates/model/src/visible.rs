//! Replaces characters that a reader does not see with their code points.

use std::borrow::Cow;

/// The tag sequences that follow a black flag in the flags of England, Scotland and Wales.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Replaces the control, direction-changing and invisible characters of a one-line text with their code
/// points (`\u{202e}`), so that they can't hide or reorder text. Joiners stay inside emoji and inside words
/// of the scripts that need them.
pub fn visible(text: &str) -> Cow<'_, str> {
    show(text, |_, _| false)
}

/// Like [`visible`], for a text of several lines: keeps line breaks and tabs. A `\r` alone is no line break: it
/// goes back to the start of the line.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    show(text, |c, next| matches!(c, '\n' | '\t') || (c == '\r' && next == Some('\n')))
}

/// Returns the characters of a text, each with whether [`visible`] replaces it with its code point.
pub fn characters(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let mut flag = 0_usize;
    text.char_indices().map(move |(at, c)| {
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        if c == '\u{1f3f4}' {
            flag = FLAGS.iter().find(|tags| rest.starts_with(**tags)).map_or(0, |tags| tags.chars().count());
        } else if flag > 0 {
            flag -= 1;
            return (c, false);
        }
        let hidden = hides(before, c, rest.chars().next());
        before = Some(c);
        (c, hidden)
    })
}

/// Formats a character as its code point, such as `\u{200b}`.
pub fn code_point(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// Returns whether fonts decide what the character looks like.
pub fn is_private_use(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// `stays` takes a character and the next one.
fn show(text: &str, stays: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Cow::Borrowed(text);
    }
    let characters = || {
        let next = text.chars().skip(1).map(Some).chain([None]);
        characters(text).zip(next).map(|((c, hidden), next)| (c, hidden && !stays(c, next)))
    };
    if !characters().any(|(_, hidden)| hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (c, hidden) in characters() {
        if hidden { shown.push_str(&code_point(c)) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

fn hides(before: Option<char>, c: char, after: Option<char>) -> bool {
    let between = |of: fn(char) -> bool| before.is_some_and(of) && after.is_some_and(of);
    match c {
        '\u{200c}' => !between(joins),
        '\u{200d}' => {
            let in_emoji = before.is_some_and(ends_emoji) && after.is_some_and(pictograph);
            !in_emoji && !between(joins)
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            let keycap = matches!(before, Some('0'..='9' | '#' | '*')) && after == Some('\u{20e3}');
            !keycap && !before.is_some_and(pictograph)
        }
        c => unseen(c),
    }
}

/// Returns whether the character is a control character, or invisible or direction-changing in every context.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, joiners, fillers, Braille blank, direction marks and isolates, separators, byte
            // order mark.
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Variation selectors and tags, which can carry hidden text.
            | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether the character belongs to a script in which a joiner changes the shape of its neighbours:
/// Arabic and related scripts, those of India and South-East Asia, Mongolian, Adlam.
fn joins(c: char) -> bool {
    let script = matches!(c,
        '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}'
        | '\u{1b00}'..='\u{1c4f}' | '\u{a800}'..='\u{aaff}' | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}');
    script && !unseen(c)
}

fn ends_emoji(c: char) -> bool {
    c == '\u{fe0f}' || pictograph(c)
}

/// Returns whether an emoji may begin with the character. Includes skin tones.
fn pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}'
        | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_turns_is_shown() {
        assert_eq!(visible("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!(visible_lines("a\u{202e}b\r\n\tc\u{1b}"), "a\\u{202e}b\r\n\tc\\u{1b}");
        assert_eq!(visible_lines("a\rb\r\r\n\r"), "a\\u{d}b\\u{d}\r\n\\u{d}");
        for c in "\u{0}\u{7f}\u{9b}\u{ad}\u{200b}\u{200d}\u{2028}\u{2066}\u{206a}\u{2800}\u{3164}\u{fe01}\u{fe0f}\u{feff}\u{e0041}"
            .chars()
        {
            assert_eq!(visible(&c.to_string()), code_point(c));
            assert_eq!(visible(&format!("a{c}b")), format!("a{}b", code_point(c)));
        }
    }

    #[test]
    fn plain_texts_joined_words_and_emoji_stay() {
        for plain in [
            "Ωλ",
            "日本語",
            "naïve ❤\u{fe0f}",
            "a b",
            // Persian with a non-joiner, Hindi with a joiner behind a virama.
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            // A family, a rainbow flag, a technician with a skin tone, a keycap, the flag of Wales.
            "👩\u{200d}👩\u{200d}👧",
            "🏳\u{fe0f}\u{200d}🌈",
            "👩🏽\u{200d}💻",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
        ] {
            assert_eq!(visible(plain), plain);
        }
    }

    #[test]
    fn a_joiner_at_the_edge_or_between_other_letters_is_shown() {
        for (text, shown) in [
            ("ab\u{200d}cd", "ab\\u{200d}cd"),
            ("می\u{200c}", "می\\u{200c}"),
            ("👩\u{200d}", "👩\\u{200d}"),
            ("می\u{200c}\u{200c}خ", "می\\u{200c}\\u{200c}خ"),
            ("x\u{fe0f}", "x\\u{fe0f}"),
            // Tags after a flag that form none of the three flags.
            ("🏴\u{e0041}\u{e007f}", "🏴\\u{e0041}\\u{e007f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}

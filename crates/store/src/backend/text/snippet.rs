//! The part of a text around the first word that matched.

/// About `width` characters of a text around the first word of the query in it, with `…` where the text was cut.
/// Returns the start of the text if it has no word of the query. Each run of white space becomes one space.
pub fn snippet(text: &str, query: &[String], width: usize) -> String {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let holds = |part: &&str| super::words(part).iter().any(|word| query.contains(word));
    let hit = parts.iter().position(holds).unwrap_or(0);
    let length = |part: &&str| part.chars().count() + 1;
    // A third of the width is before the match, to show its context.
    let (mut from, mut before) = (hit, 0);
    while let Some(part) = from.checked_sub(1).and_then(|n| parts.get(n)) {
        before += length(part);
        if before > width / 3 {
            break;
        }
        from -= 1;
    }
    let (mut end, mut room) = (from, width);
    while let Some(part) = parts.get(end) {
        let needed = length(part);
        if needed > room {
            break;
        }
        room -= needed;
        end += 1;
    }
    if end <= hit {
        // The word alone is longer than `width`.
        return cut(parts.get(hit).copied().unwrap_or_default(), width);
    }
    let lead = if from > 0 { "… " } else { "" };
    let tail = if end < parts.len() { " …" } else { "" };
    format!("{lead}{}{tail}", parts.get(from..end).unwrap_or_default().join(" "))
}

fn cut(word: &str, width: usize) -> String {
    let mut out: String = word.chars().take(width).collect();
    if out.len() < word.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, words: &str, width: usize) -> String {
        snippet(text, &super::super::query(words), width)
    }

    #[test]
    fn it_is_cut_around_the_first_hit() {
        let text = "one two three four five six seven eight nine ten";
        assert_eq!(of(text, "six", 20), "… five six seven …");
        assert_eq!(of(text, "ONE", 14), "one two three …");
        assert_eq!(of(text, "ten", 15), "… nine ten");
        assert_eq!(of(text, "absent", 8), "one two …");
        assert_eq!(of("a\n b", "b", 100), "a b");
    }

    #[test]
    fn odd_texts_are_no_trouble() {
        assert_eq!(of("", "x", 10), "");
        assert_eq!(of("ééééééé", "x", 3), "ééé…");
        assert_eq!(of("a ééééééé", "eeeeeee", 3), "ééé…");
    }
}

//! Takes the comments out of our own modules: they are a third of the bytes that a page would load. `build.rs` uses it.

use std::string::FromUtf8Error;

/// Returns what is served of a file: our own modules without their comments.
pub fn served(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if name.rsplit('.').next() != Some("js") || name.starts_with("vendor/") {
        return bytes;
    }
    String::from_utf8(bytes)
        .map_or_else(FromUtf8Error::into_bytes, |text| without_comments(&text).into_bytes())
}

/// Replaces comments that fill whole lines with empty lines, so that the numbers of the others stay.
fn without_comments(text: &str) -> String {
    let (mut kept, mut in_block) = (String::with_capacity(text.len()), false);
    for line in text.lines() {
        let trimmed = line.trim();
        let is_comment = in_block || trimmed.starts_with("//") || trimmed.starts_with("/**");
        let end = trimmed.find("*/").map(|at| at + 2);
        let has_code = end.is_some_and(|end| end < trimmed.len()) && trimmed.starts_with("/**");
        if !is_comment || has_code {
            kept.push_str(line);
        }
        in_block = is_comment && end.is_none() && !trimmed.starts_with("//");
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendored_files_stay_as_they_are() {
        assert_eq!(served("vendor/lit.js", b"// licence\n".to_vec()), b"// licence\n");
        assert_eq!(served("app.js", b"// what\n".to_vec()), b"\n");
        assert_eq!(served("app.css", b"/** what */\n".to_vec()), b"/** what */\n");
    }

    #[test]
    fn comments_are_not_served_and_lines_keep_their_numbers() {
        let module = "// What it is.\nconst url = \"a//b\"; // stays\n/**\n * Shape.\n */\nexport let x;\n\
            /** @type {number} */ let y;\n  /** One line. */\ny = x;\n";
        let served =
            "\nconst url = \"a//b\"; // stays\n\n\n\nexport let x;\n/** @type {number} */ let y;\n\ny = x;\n";
        assert_eq!(without_comments(module), served);
    }
}

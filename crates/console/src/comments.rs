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

/// Takes out `/** … */`, which no text of ours contains, and comments that fill a line. The lines stay, so that they
/// keep their numbers.
fn without_comments(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("/**") {
        let (comment, after) = after.split_once("*/").unwrap_or((after, ""));
        code.push_str(before);
        code.extend(comment.matches('\n'));
        rest = after;
    }
    code.push_str(rest);
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    code.lines().flat_map(|line| [if is_code(line) { line } else { "" }, "\n"]).collect()
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
            /** @type {number} */ let y;\n  /** One line. */\ny = /** @type {any} */ (x);\n";
        let served = "\nconst url = \"a//b\"; // stays\n\n\n\nexport let x;\n let y;\n\ny =  (x);\n";
        assert_eq!(without_comments(module), served);
    }
}

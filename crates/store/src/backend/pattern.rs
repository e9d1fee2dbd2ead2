//! Texts as `LIKE` compares them.

/// A text in the form in which parts of texts are compared: lower case, every sigma alike.
pub fn folded(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// A pattern that finds `part` anywhere, in lower case; for `LIKE … ESCAPE '\'`.
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

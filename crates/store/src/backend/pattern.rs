//! Comparison of parts of texts, regardless of case.

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

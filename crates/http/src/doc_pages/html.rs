//! What all pages have: the frame with the way back and the search, and texts as HTML.

use std::fmt::Write as _;

/// The style sheet of all pages.
pub(super) const STYLE: &str = include_str!("style.css");

/// One page before it is framed.
pub(super) struct Page<'a> {
    pub title: &'a str,
    /// The pages above this one: address and name.
    pub above: &'a [(&'a str, &'a str)],
    /// The text in the search field.
    pub query: &'a str,
    pub body: &'a str,
}

/// The first page, which is above all others.
pub(super) const HOME: (&str, &str) = ("/docs", "API reference");

impl Page<'_> {
    /// Returns the whole document. Its only `h1` is the title.
    pub fn html(&self) -> String {
        let (title, heading) = (escape(&self.title.replace('`', "")), code_words(self.title));
        let above = self
            .above
            .iter()
            .map(|(address, name)| format!("<li><a href=\"{}\">{}</a></li>", escape(address), escape(name)));
        let above: String = above.collect();
        let way = if above.is_empty() {
            above
        } else {
            format!("<nav aria-label=\"Breadcrumb\"><ol>{above}</ol></nav>")
        };
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><title>{title} · Toolcrib</title><style>{STYLE}</style></head>\
             <body><a class=\"skip\" href=\"#main\">Skip to the text</a><header>{way}<form role=\"search\" action=\"/docs\">\
             <input type=\"search\" name=\"q\" maxlength=\"200\" aria-label=\"Search the reference\" \
             placeholder=\"Search the reference\" value=\"{}\"><button>Search</button></form></header>\n\
             <main id=\"main\"><h1>{heading}</h1>\n{}</main></body></html>\n",
            escape(self.query),
            self.body
        )
    }
}

/// Returns a heading that links to itself. The text is escaped.
pub(super) fn heading(level: u8, id: &str, text: &str) -> String {
    let (id, text) = (escape(id), escape(text));
    format!("<h{level} id=\"{id}\"><a class=\"anchor\" href=\"#{id}\">{text}</a></h{level}>\n")
}

/// Escapes a text and renders the words in backticks as `<code>`.
pub(super) fn code_words(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its second one stays.
    let paired = parts.len() % 2 == 1;
    let mut html = String::with_capacity(text.len());
    for (n, part) in parts.iter().enumerate() {
        let is_last = n + 1 == parts.len();
        let _ = match n % 2 == 1 {
            true if paired || !is_last => write!(html, "<code>{}</code>", escape(part)),
            true => write!(html, "`{}", escape(part)),
            false => write!(html, "{}", escape(part)),
        };
    }
    html
}

/// Renders a text with paragraphs between empty lines. A paragraph whose lines begin with `- ` is a list.
pub(super) fn prose(text: &str) -> String {
    let mut html = String::new();
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        let items: Option<Vec<&str>> = paragraph.lines().map(|line| line.strip_prefix("- ")).collect();
        let _ = match items {
            Some(items) => {
                let items: String =
                    items.iter().map(|item| format!("<li>{}</li>", code_words(item))).collect();
                writeln!(html, "<ul>{items}</ul>")
            }
            None => writeln!(html, "<p>{}</p>", code_words(paragraph)),
        };
    }
    html
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Returns the anchor of a heading as GitHub makes it: lower case, `-` for spaces, no punctuation.
pub(super) fn anchor(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_backticks_are_code() {
        assert_eq!(code_words("send `X<Y`"), "send <code>X&lt;Y</code>");
        assert_eq!(code_words("a `b` and ` c"), "a <code>b</code> and ` c");
        assert_eq!(
            prose("One <b>.\n\n- `a`\n- b"),
            "<p>One &lt;b&gt;.</p>\n<ul><li><code>a</code></li><li>b</li></ul>\n"
        );
        assert_eq!(
            heading(2, "a\"b", "<x>"),
            "<h2 id=\"a&quot;b\"><a class=\"anchor\" href=\"#a&quot;b\">&lt;x&gt;</a></h2>\n"
        );
        assert_eq!(anchor("A call that waits, `twice`"), "a-call-that-waits-twice");
    }
}

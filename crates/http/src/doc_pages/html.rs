//! What all pages have: the frame with the way back and the search, and texts as HTML.

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
            .map(|(address, name)| format!("<a href=\"{}\">{}</a>", escape(address), escape(name)));
        let way = if self.above.is_empty() {
            String::new()
        } else {
            format!("<nav aria-label=\"Breadcrumb\">{}</nav>", list(above))
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
    let (mut html, mut rest) = (String::new(), text);
    // A backtick without its second one stays.
    while let Some((before, after)) = rest.split_once('`')
        && let Some((word, after)) = after.split_once('`')
    {
        html.extend([escape(before), code(word)]);
        rest = after;
    }
    html + &escape(rest)
}

/// Renders a text with paragraphs between empty lines. A paragraph whose lines begin with `- ` is a list.
pub(super) fn prose(text: &str) -> String {
    let render = |paragraph: &str| {
        let items: Option<Vec<&str>> = paragraph.lines().map(|line| line.strip_prefix("- ")).collect();
        match items {
            Some(items) => list(items.into_iter().map(code_words)),
            None => format!("<p>{}</p>\n", code_words(paragraph)),
        }
    };
    text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()).map(render).collect()
}

/// Returns a list of items that are HTML.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    let mut html = String::from("<ul>");
    for item in items {
        html.extend(["<li>", &item, "</li>\n"]);
    }
    html + "</ul>\n"
}

/// A table with two columns: what its rows are about, and what it says of that.
pub(super) struct Table<'a> {
    pub class: &'a str,
    /// Empty for none.
    pub caption: &'a str,
    pub columns: [&'a str; 2],
}

impl Table<'_> {
    /// Returns the table with these rows, or nothing without rows.
    pub fn html(&self, rows: &str) -> String {
        let Self { class, columns: [first, second], caption } = self;
        if rows.is_empty() {
            return String::new();
        }
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<caption>{}</caption>", escape(caption))
        };
        format!(
            "<table class=\"{class}\">{caption}<thead><tr><th scope=\"col\">{first}</th><th scope=\"col\">{second}</th></tr>\
             </thead><tbody>{rows}</tbody></table>\n"
        )
    }
}

/// Returns the row of a table. Both cells are HTML.
pub(super) fn row(about: &str, text: &str) -> String {
    format!("<tr><th scope=\"row\">{about}</th><td>{text}</td></tr>\n")
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
            "<p>One &lt;b&gt;.</p>\n<ul><li><code>a</code></li>\n<li>b</li>\n</ul>\n"
        );
        assert_eq!(
            heading(2, "a\"b", "<x>"),
            "<h2 id=\"a&quot;b\"><a class=\"anchor\" href=\"#a&quot;b\">&lt;x&gt;</a></h2>\n"
        );
        assert_eq!(anchor("A call that waits, `twice`"), "a-call-that-waits-twice");
    }
}

//! The guides of `docs/` that explain operations, as pages. They are in the binary, so that a service shows those of
//! its own version.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::{
    html::{HOME, Page, anchor, escape, heading, list},
    operation::Operation,
};

/// How many guides the page of an operation links to.
const MAX_LINKS: usize = 5;
const GUIDES: (&str, &str) = ("/docs#guides", "Guides");

/// A guide: its name and its text in Markdown.
pub(super) struct Guide {
    pub name: &'static str,
    text: &'static str,
}

macro_rules! guides {
    ($($name:literal)+) => {
        &[$(Guide { name: $name, text: include_str!(concat!("../../../../docs/", $name, ".md")) },)+]
    };
}

/// Every guide, in the order of the list.
pub(super) const ALL: &[Guide] = guides! {
    "quick-start" "concepts" "first-workspace" "mission-agent" "toolsets" "toolset-document" "approvals" "mcp-clients"
    "assistant" "models" "background" "notifications" "webhooks" "packs" "media" "game" "openapi" "surfaces" "tool-lists"
    "confirmations" "missions" "mcp" "events" "audit" "connectors"
};

impl Guide {
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|guide| guide.name == name)
    }

    fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    pub fn link(&self) -> String {
        format!("<a href=\"/docs/guides/{}\">{}</a>", self.name, escape(self.title()))
    }

    /// Renders the page. The first heading of the text is its title.
    pub fn page(&self) -> String {
        let text = self.text.split_once('\n').map_or("", |(_, rest)| rest);
        Page { title: self.title(), above: &[HOME, GUIDES], query: "", body: &render(text) }.html()
    }
}

/// Renders the section with links to guides.
pub(super) fn section<'a>(guides: impl IntoIterator<Item = &'a Guide>) -> String {
    heading(2, "guides", "Guides") + &list(guides.into_iter().map(Guide::link))
}

/// Returns the guides that have every word, which are in lower case.
pub(super) fn matching(words: &[&str]) -> Vec<&'static Guide> {
    let has = |guide: &&Guide| {
        let text = guide.text.to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word))
    };
    ALL.iter().filter(has).collect()
}

/// Renders the links from an operation to its guides: that of its tag, then those that mention it, the most often
/// first.
pub(super) fn links(operation: &Operation) -> String {
    let tag = operation.tag.split(' ').next().unwrap_or_default().to_lowercase();
    let resource = operation.path.split('/').take(3).collect::<Vec<_>>().join("/");
    // Every action's path begins alike, so an action is mentioned by its name.
    let words = if resource == "/v1/actions" { &operation.id } else { &resource };
    let count = |guide: &&Guide| {
        if guide.name == tag { usize::MAX } else { guide.text.matches(&**words).count() }
    };
    let mut guides: Vec<&Guide> = ALL.iter().filter(|guide| count(guide) > 0).collect();
    guides.sort_by_cached_key(|guide| std::cmp::Reverse(count(guide)));
    guides.retain(|guide| guide.name != "concepts");
    guides.truncate(MAX_LINKS - 1);
    section(guides.into_iter().chain(Guide::find("concepts")))
}

/// Renders Markdown. Its HTML is shown as text.
fn render(markdown: &str) -> String {
    let mut rewriter = Rewriter::default();
    Parser::new_ext(markdown, Options::ENABLE_TABLES).for_each(|event| rewriter.push(event));
    let mut html = String::new();
    push_html(&mut html, rewriter.events.into_iter());
    html
}

/// Gives headings their anchors, and links their targets in the service.
#[derive(Default)]
struct Rewriter<'a> {
    events: Vec<Event<'a>>,
    /// The open heading: where it begins, and its words so far.
    heading: Option<(usize, String)>,
    /// The file that the open link names, if the service has no page of it.
    file: Option<String>,
    /// Whether the cells are those of a table's head.
    in_head: bool,
    /// The anchors so far. One that is there already gets a number, as on GitHub.
    anchors: Vec<String>,
}

const HEAD_CELL: &str = "<th scope=\"col\">";

impl<'a> Rewriter<'a> {
    fn push(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.heading = Some((self.events.len(), String::new())),
            Event::End(TagEnd::Heading(level)) => self.end_heading(level),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match target(&dest_url) {
                Some(to) => {
                    self.events.push(Event::Start(Tag::Link { link_type, dest_url: to.into(), title, id }));
                }
                None => self.file = Some(dest_url.trim_start_matches("../").to_owned()),
            },
            Event::End(TagEnd::Link) => match self.file.take() {
                Some(name) => self.html(format!(" (<code>{}</code>)", escape(&name))),
                None => self.events.push(event),
            },
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::CodeBlock(_)) => self.html("<pre tabindex=\"0\"><code>"),
            Event::End(TagEnd::CodeBlock) => self.html("</code></pre>\n"),
            Event::Start(Tag::TableCell) if self.in_head => self.html(HEAD_CELL),
            Event::End(TagEnd::TableCell) if self.in_head => self.end_head_cell(),
            Event::Start(Tag::Table(_) | Tag::TableHead) | Event::End(TagEnd::Table | TagEnd::TableHead) => {
                self.table(event);
            }
            Event::Html(text) if text.starts_with("<!--") => {}
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            Event::Text(ref text) | Event::Code(ref text) => {
                if let Some((_, words)) = &mut self.heading {
                    words.push_str(text);
                }
                self.events.push(event);
            }
            _ => self.events.push(event),
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        if let Some((start, words)) = self.heading.take() {
            let name = anchor(&words);
            let same = self.anchors.iter().filter(|known| **known == name).count();
            let id = escape(&if same == 0 { name.clone() } else { format!("{name}-{same}") });
            self.anchors.push(name);
            let open = format!("<{level} id=\"{id}\"><a class=\"anchor\" href=\"#{id}\">");
            self.events.insert(start, Event::Html(open.into()));
            self.html(format!("</a></{level}>\n"));
        }
    }

    /// A wide table scrolls inside, also by keyboard.
    fn table(&mut self, event: Event<'a>) {
        self.in_head = event == Event::Start(Tag::TableHead);
        if matches!(event, Event::Start(Tag::Table(_))) {
            self.html("<div class=\"table\" tabindex=\"0\">");
        }
        let is_end = event == Event::End(TagEnd::Table);
        self.events.push(event);
        if is_end {
            self.html("</div>\n");
        }
    }

    /// An empty cell is no heading.
    fn end_head_cell(&mut self) {
        match self.events.last_mut() {
            Some(Event::Html(open)) if &**open == HEAD_CELL => *open = "<td></td>".into(),
            _ => self.html("</th>"),
        }
    }

    fn html(&mut self, text: impl Into<CowStr<'a>>) {
        self.events.push(Event::Html(text.into()));
    }
}

/// Returns where a link of a guide leads in the service, or `None` if the service has no page of the file.
fn target(address: &str) -> Option<String> {
    if address.starts_with('#') || address.starts_with("https://") {
        return Some(address.to_owned());
    }
    let (file, fragment) =
        address.split_once('#').map_or((address, String::new()), |(file, rest)| (file, format!("#{rest}")));
    match file {
        "README.md" | "actions.md" => Some("/docs".to_owned()),
        "golden/errors.txt" => Some("/docs/errors".to_owned()),
        _ => Guide::find(file.strip_suffix(".md")?)
            .map(|guide| format!("/docs/guides/{}{fragment}", guide.name)),
    }
}

//! Writes a system as a document that [`super::parse`] reads back.

use std::fmt::Write as _;

use toolcrib_model::visible;

use super::{
    Described,
    lines::{fenced, split, text},
};
use crate::{
    graph::DependencyType,
    system::{Criticality, SystemStatus, Texts},
};

/// Writes a system with every section that has a text.
pub fn render(system: &Described) -> String {
    // A name that ends in `#` would lose it as the end of a heading.
    let closing = if system.name.ends_with('#') { " #" } else { "" };
    let mut document = format!("# System: {}{closing}\n", system.name);
    section(&mut document, "System ID", Some(&system.slug));
    section(&mut document, "Version", system.version.as_deref());
    section(&mut document, "Status", system.status.map(SystemStatus::as_str));
    section(&mut document, "MVP Criticality", system.mvp_criticality.map(Criticality::as_str));
    for ((_, title), text) in Texts::FIELDS.iter().zip(system.texts.all()) {
        section(&mut document, title, text);
    }
    let mut list = String::new();
    for (slug, kind) in &system.dependencies {
        let _ = match kind {
            DependencyType::Requires => writeln!(list, "- {slug}"),
            kind => writeln!(list, "- {slug} ({kind})"),
        };
    }
    section(&mut document, "Dependencies", Some(list.trim_end()).filter(|list| !list.is_empty()));
    section(&mut document, "Depended On By", system.depended_on_by.as_deref());
    section(&mut document, "Change Log", system.change_log.as_deref());
    document
}

/// Returns a text as one line of a document, such as a title.
pub fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Writes a section, if it has a text. A text that would end the section or reach beyond it is put into a fence.
pub fn section(document: &mut String, title: &str, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    let _ = if is_read_back(text) {
        write!(document, "\n## {title}\n\n{text}\n")
    } else {
        write!(document, "\n## {title}\n\n{}\n", fenced(text))
    };
}

/// Whether a section is read as this text, and the section behind it too.
fn is_read_back(field: &str) -> bool {
    // Most sections are a line that begins with a letter: nothing but a paragraph, which need not be parsed.
    let is_line = !field.contains(['\n', '\r']) && !field.ends_with(char::is_whitespace);
    if is_line && field.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return true;
    }
    let document = format!("## A\n\n{field}\n\n## B\n\nb\n");
    let (_, parts) = split(&document);
    let texts: Vec<_> = parts.iter().map(|part| (part.title, text(part.body))).collect();
    texts == [("A", Some(field)), ("B", Some("b"))]
}

//! Reads the systems of a document. Collects every defect.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fmt::Display,
};

use toolcrib_model::{Id, code_point, kept_name};

use super::{
    Described, Document, MAX_NOTES, Note,
    lines::{self, Part},
};
use crate::{
    graph::DependencyType,
    system::{Criticality, MAX_TEXT, SystemStatus, Texts, slug_defect},
};

/// The number of systems of one document.
const MAX_SYSTEMS: usize = 50;
/// The number of dependencies of one system.
const MAX_TARGETS: usize = 2_000;
/// The number of characters of a system's name.
const MAX_NAME_CHARS: usize = 200;

/// Reads a document. The error is its defects, by line.
pub fn parse(document: &str) -> Result<Document, Vec<Note>> {
    let document = document.strip_prefix('\u{feff}').unwrap_or(document);
    let document = unix_lines(document);
    let (before, parts) = lines::split(&document);
    let mut reader = Reader::default();
    if !before.trim().is_empty() {
        reader.warn(1, "", "The text before the first system is not read");
    }
    for part in &parts {
        reader.part(part);
    }
    reader.finish()
}

/// A document whose lines all end in CRLF gets LF. In others, a CR is part of a text.
fn unix_lines(document: &str) -> Cow<'_, str> {
    let windows = document.matches("\r\n").count();
    if windows > 0 && windows == document.matches('\n').count() && windows == document.matches('\r').count() {
        return document.replace("\r\n", "\n").into();
    }
    document.into()
}

/// The first notes on a document, and the number of the others.
#[derive(Default)]
struct Notes {
    first: Vec<Note>,
    more: usize,
}

impl Notes {
    fn push(&mut self, line: usize, section: &str, message: impl Into<String>) {
        if self.first.len() < MAX_NOTES {
            self.first.push(Note { line, section: section.to_owned(), message: message.into() });
        } else {
            self.more += 1;
        }
    }

    /// Returns the notes by line. The last one says how many are left out.
    fn by_line(mut self) -> Vec<Note> {
        self.first.sort_by_key(|note| note.line);
        let last = self.first.last().filter(|_| self.more > 0).map(|note| note.line);
        let more = |line| Note { line, section: String::new(), message: format!("And {} more", self.more) };
        let more = last.map(more);
        self.first.extend(more);
        self.first
    }
}

#[derive(Default)]
struct Reader {
    systems: Vec<Described>,
    /// The titles of the current system's sections.
    titles: HashSet<String>,
    /// The lines of slugs.
    slugs: HashMap<String, usize>,
    /// The line of the current system's heading.
    line: usize,
    warnings: Notes,
    defects: Notes,
}

impl Reader {
    fn warn(&mut self, line: usize, section: &str, message: impl Into<String>) {
        self.warnings.push(line, section, message);
    }

    fn refuse(&mut self, line: usize, section: &str, message: impl Into<String>) {
        self.defects.push(line, section, message);
    }

    fn part(&mut self, part: &Part<'_>) {
        if part.level == 1 {
            self.end_system();
            self.begin_system(part);
        } else if self.systems.is_empty() {
            self.warn(part.line, part.title, "The section belongs to no system and is not read");
        } else {
            self.section(part);
        }
    }

    fn begin_system(&mut self, part: &Part<'_>) {
        self.line = part.line;
        let prefix = part.title.get(.."System:".len()).filter(|start| start.eq_ignore_ascii_case("System:"));
        let name = part.title[prefix.map_or(0, str::len)..].trim();
        let kept = kept_name(name);
        let defect = match &kept {
            _ if name.is_empty() => Some("The heading has no name".to_owned()),
            _ if name.chars().count() > MAX_NAME_CHARS => {
                Some(format!("The name has more than {MAX_NAME_CHARS} characters"))
            }
            Ok(name) if Id::try_parse(name).is_ok() => Some("The name must not look like an ID".to_owned()),
            Ok(_) => None,
            Err(c) => Some(format!("The name contains the character `{}`", code_point(*c))),
        };
        if let Some(defect) = defect {
            self.refuse(part.line, "System", defect);
        }
        if self.systems.len() == MAX_SYSTEMS {
            self.refuse(part.line, "System", format!("A document has at most {MAX_SYSTEMS} systems"));
        }
        self.systems.push(Described { name: kept.unwrap_or_default(), ..Described::default() });
        if lines::text(part.body).is_some() {
            self.warn(part.line, "System", "The text before the first section is not read");
        }
    }

    fn end_system(&mut self) {
        if !self.systems.is_empty() && !self.titles.contains("system id") {
            self.refuse(self.line, "System ID", "The section is missing");
        }
        self.titles.clear();
    }

    fn section(&mut self, part: &Part<'_>) {
        let title =
            part.title.trim_end_matches(':').split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let (line, body) = (part.line, lines::text(part.body));
        if self.titles.contains(&title) {
            return self.refuse(line, part.title, "The section is there twice");
        }
        let Some(system) = self.systems.last_mut() else { return };
        let own = || body.map(str::to_owned);
        match title.as_str() {
            "system id" => self.slug(line, body.unwrap_or_default()),
            "status" => system.status = word(&mut self.defects, part, body, SystemStatus::ALL),
            "mvp criticality" => {
                system.mvp_criticality = word(&mut self.defects, part, body, Criticality::ALL);
            }
            "dependencies" => self.dependencies(line, body.unwrap_or_default()),
            "version" => system.version = own(),
            "depended on by" => system.depended_on_by = own(),
            "change log" => system.change_log = own(),
            _ => match Texts::FIELDS.iter().position(|(_, known)| known.eq_ignore_ascii_case(&title)) {
                Some(_) if body.is_some_and(|text| text.len() > MAX_TEXT) => {
                    self.refuse(line, part.title, format!("The text has more than {MAX_TEXT} bytes"));
                }
                Some(at) => *system.texts.all_mut()[at] = own(),
                None => self.warn(line, part.title, "The section is not known and is not read"),
            },
        }
        self.titles.insert(title);
    }

    fn slug(&mut self, line: usize, text: &str) {
        let slug = text.trim_matches('`');
        if let Some(defect) = slug_defect(slug) {
            return self.refuse(line, "System ID", format!("The slug {defect}"));
        }
        if let Some(first) = self.slugs.insert(slug.to_owned(), line) {
            self.refuse(
                line,
                "System ID",
                format!("`{slug}` is the slug of another system, in line {first}"),
            );
        }
        if let Some(system) = self.systems.last_mut() {
            slug.clone_into(&mut system.slug);
        }
    }

    fn dependencies(&mut self, line: usize, text: &str) {
        if ["none", "n/a", "-"].contains(&text.trim_end_matches('.').to_lowercase().as_str()) {
            return;
        }
        let mut known = HashSet::new();
        for written in text.lines().filter(|line| !line.trim().is_empty()) {
            let found = references(written);
            if found.is_empty() {
                self.warn(
                    line,
                    "Dependencies",
                    format!("`{}` names no slug and is not read", short(written)),
                );
            }
            for (slug, kind) in found {
                if !known.insert(slug.clone()) {
                    self.warn(line, "Dependencies", format!("`{slug}` is there twice"));
                } else if known.len() > MAX_TARGETS {
                    let message = format!("A system has at most {MAX_TARGETS} dependencies");
                    return self.refuse(line, "Dependencies", message);
                } else if let Some(system) = self.systems.last_mut() {
                    system.dependencies.push((slug, kind));
                }
            }
        }
    }

    fn finish(mut self) -> Result<Document, Vec<Note>> {
        self.end_system();
        if self.systems.is_empty() {
            self.refuse(
                1,
                "",
                "The document has no system: each begins with a line such as `# System: Combat`",
            );
        }
        for Described { slug, dependencies, .. } in &self.systems {
            if dependencies.iter().any(|(target, _)| target == slug) {
                let line = self.slugs.get(slug).copied().unwrap_or(1);
                self.defects.push(line, "Dependencies", format!("`{slug}` can't depend on itself"));
            }
        }
        if self.defects.first.is_empty() {
            return Ok(Document { systems: self.systems, warnings: self.warnings.by_line() });
        }
        Err(self.defects.by_line())
    }
}

/// Reads one of the words `known`, in any case, with spaces or hyphens.
fn word<T: Copy + Display>(
    defects: &mut Notes,
    part: &Part<'_>,
    body: Option<&str>,
    known: &[T],
) -> Option<T> {
    let word = body?.trim_matches('`').to_lowercase().replace([' ', '-'], "_");
    let found = known.iter().copied().find(|one| one.to_string() == word);
    if found.is_none() {
        let words: Vec<String> = known.iter().map(|one| format!("`{one}`")).collect();
        let message = format!("`{}` is not one of its words; they are {}", short(&word), words.join(", "));
        defects.push(part.line, part.title, message);
    }
    found
}

/// The first characters of a line, for a message.
fn short(line: &str) -> String {
    line.trim().chars().take(80).map(|c| if c.is_control() || c == '`' { ' ' } else { c }).collect()
}

/// Reads one line of dependencies: a slug with a remark behind it, or several slugs with commas between them.
fn references(line: &str) -> Vec<(String, DependencyType)> {
    let item = line.trim();
    let digits = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if digits.len() < item.len() { &['.', ')'] } else { &['-', '*', '+'] };
    let item = digits.strip_prefix(marks).filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(item);
    let several: Option<Vec<_>> = item.split(',').map(|part| reference(part, false)).collect();
    several.unwrap_or_else(|| reference(item, true).into_iter().collect())
}

/// Reads a slug and its type, such as `combat (enhances)`.
fn reference(text: &str, with_remark: bool) -> Option<(String, DependencyType)> {
    let text = text.trim();
    let (slug, rest) = match text.strip_prefix('`').and_then(|text| text.split_once('`')) {
        Some(quoted) => quoted,
        None => {
            text.split_at(text.find(|c: char| c.is_whitespace() || "(:,".contains(c)).unwrap_or(text.len()))
        }
    };
    let rest = rest.trim().to_lowercase();
    let named = |kind: &&DependencyType| rest.contains(&format!("({kind})"));
    let kind = DependencyType::ALL.iter().find(named);
    let remark = kind.map_or(rest.clone(), |kind| rest.replacen(&format!("({kind})"), "", 1));
    if slug_defect(slug).is_some() || !(with_remark || remark.trim().is_empty()) {
        return None;
    }
    Some((slug.to_owned(), kind.copied().unwrap_or(DependencyType::Requires)))
}

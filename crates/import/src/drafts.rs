//! The drafts that an import has made so far.

use std::{cell::Cell, collections::BTreeSet};

use toolcrib_model::count;
use toolcrib_registry::Level;
use toolcrib_toolset::{DeclaredTool, DocumentForm, MAX_TITLE, Toolset};

use crate::{
    ImportNote, LeftOutOperation,
    limits::{DEPTHS, MAX_TOOL_BYTES, MAX_TOOLS},
    names::{ToolName, wrong_tool_name},
    schema::UnfitOperation,
    texts::clean_line,
};

/// A draft, the notes about it, and its size as TOML.
pub type DraftTool = (DeclaredTool, BTreeSet<String>, usize);

/// Returns the document without its tools. The slug is the title of one that has none.
pub fn frame(slug: &str, title: &str) -> Toolset {
    let title = clean_line(title, MAX_TITLE);
    Toolset {
        schema: Some(DocumentForm::V1),
        slug: Some(slug.to_owned()),
        title: Some(if title.is_empty() { slug.to_owned() } else { title }),
        ..Toolset::default()
    }
}

/// Makes a draft from fewer and fewer levels of its schemas, until it fits or no `work` is left.
pub fn fitting_draft(
    work: &Cell<usize>,
    too_large: &str,
    to_depth: impl Fn(usize) -> Result<DraftTool, UnfitOperation>,
) -> Result<DraftTool, String> {
    let mut reason = String::new();
    for depth in DEPTHS {
        match to_depth(depth) {
            Ok(draft) => return Ok(draft),
            Err(UnfitOperation::TooDetailed(detail)) => reason = detail,
            Err(UnfitOperation::Reason(other)) => return Err(other),
        }
        if work.get() == 0 {
            return Err(too_large.to_owned());
        }
    }
    Err(reason)
}

/// The drafts that an import has made so far, and what it left out.
#[derive(Default)]
pub struct DraftList {
    bytes: usize,
    pub tools: Vec<DeclaredTool>,
    /// What does not fit.
    pub left_out: Vec<LeftOutOperation>,
    pub notes: Vec<ImportNote>,
}

impl DraftList {
    /// Returns why a tool with this name can't be added, if it can't.
    pub fn check_name(&self, name: &str, slug: &str) -> Result<(), String> {
        if let Some(reason) = wrong_tool_name(name, slug) {
            return Err(reason);
        }
        if self.tools.len() >= MAX_TOOLS {
            return Err(format!("a document has at most {MAX_TOOLS} tools"));
        }
        Ok(())
    }

    /// Adds a draft to those of the toolset with this slug.
    pub fn add(&mut self, name: ToolName, slug: &str, draft: DraftTool) -> Result<(), String> {
        let (tool, mut notes, bytes) = draft;
        notes.extend(name.notes(slug));
        if self.bytes + bytes > MAX_TOOL_BYTES {
            return Err("a document has at most 2 MiB".into());
        }
        self.bytes += bytes;
        let tool_name = Some(name.name);
        self.notes.extend(notes.into_iter().map(|message| ImportNote { tool: tool_name.clone(), message }));
        self.tools.push(tool);
        Ok(())
    }

    /// Adds something that does not fit.
    pub fn leave_out(&mut self, name: String, reason: String) {
        self.left_out.push(LeftOutOperation { name, reason });
    }

    /// Returns the notes about the whole document, then those about drafts.
    pub fn all_notes(messages: Vec<String>, of_drafts: Vec<ImportNote>) -> Vec<ImportNote> {
        let of_document = messages.into_iter().map(|message| ImportNote { tool: None, message });
        of_document.chain(of_drafts).collect()
    }

    /// Returns the note about destructive tools, if there are any.
    pub fn destructive_note(&self) -> Option<String> {
        let is_destructive = |tool: &&DeclaredTool| tool.permission_level == Some(Level::Destructive);
        let destructive = self.tools.iter().filter(is_destructive).count();
        let tools = count(destructive, "destructive tool");
        (destructive > 0).then(|| format!("{tools} without a `warning`; write what is lost"))
    }
}

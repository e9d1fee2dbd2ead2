//! The drafts that an import has made so far.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_model::count;
use toolcrib_registry::Level;
use toolcrib_toolset::{DeclaredTool, quoted};

use crate::{
    ImportNote, LeftOutOperation,
    limits::{MAX_TOOL_BYTES, MAX_TOOLS},
    names::wrong_tool_name,
};

/// A draft, the notes about it, and its size as TOML.
pub type DraftTool = (DeclaredTool, BTreeSet<String>, usize);

/// The drafts that an import has made so far, and what it left out.
#[derive(Default)]
pub struct DraftList {
    /// The names of the tools in lower case, with what they were made of.
    names: BTreeMap<String, String>,
    bytes: usize,
    /// The drafts.
    pub tools: Vec<DeclaredTool>,
    /// What does not fit.
    pub left_out: Vec<LeftOutOperation>,
    /// The notes about the drafts.
    pub notes: Vec<ImportNote>,
}

impl DraftList {
    /// Returns why a tool with this name can't be added, if it can't.
    pub fn check_name(&self, name: &str, slug: &str) -> Result<(), String> {
        if let Some(reason) = wrong_tool_name(name, slug) {
            return Err(reason);
        }
        if let Some(other) = self.names.get(&name.to_lowercase()) {
            return Err(format!("has the same name as {}", quoted(other)));
        }
        if self.tools.len() >= MAX_TOOLS {
            return Err(format!("a document has at most {MAX_TOOLS} tools"));
        }
        Ok(())
    }

    /// Adds a draft that was made of what `label` names.
    pub fn add(&mut self, name: String, label: String, draft: DraftTool) -> Result<(), String> {
        let (tool, notes, bytes) = draft;
        if self.bytes + bytes > MAX_TOOL_BYTES {
            return Err("a document has at most 2 MiB".into());
        }
        self.bytes += bytes;
        self.names.insert(name.to_lowercase(), label);
        let tool_name = Some(name);
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

//! A document without defects.

mod build;
mod definition;

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, ConfirmationLevel, Escalation, Level};

pub use build::checked_tool;

use crate::{
    document::{HttpMapping, McpMapping, Toolset},
    note::ToolsetNote,
};

/// Who runs a tool. Serialized, it is a part of the tool's definition.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolExecutor {
    /// We call a REST service.
    Http(Box<HttpMapping>),
    /// We call an MCP server.
    Mcp(McpMapping),
    /// The caller runs it.
    Client {
        /// Seconds in which the call must be claimed.
        claim_seconds: u32,
        /// Seconds in which a claimed call must end.
        run_seconds: u32,
    },
}

/// A tool without defects, with every default filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedTool {
    /// Full name `<slug>__<name>`.
    pub full_name: String,
    /// Name without the slug.
    pub name: String,
    /// What the tool does, when to use it and when not.
    pub description: String,
    /// What the tool may do to data.
    pub level: Level,
    /// The lowest role that may call it.
    pub min_role: Role,
    /// The callers that reach it. A draft without access is reached by nobody.
    pub access: AccessibleBy,
    /// The confirmation that a call needs.
    pub confirmation: ConfirmationLevel,
    /// Why `simple` is enough for a destructive tool.
    pub simple_because: Option<String>,
    /// What a person reads before confirming.
    pub warning: Option<String>,
    /// Parameters whose values raise the confirmation level.
    pub escalations: Arc<[Escalation]>,
    /// Sentence for people before the call.
    pub confirm_text: Option<String>,
    /// Sentence for people after the call.
    pub result_text: Option<String>,
    /// Parameters that a confirmation always shows.
    pub always_show: Vec<String>,
    /// Normalised schema of the parameters.
    pub parameters: Value,
    /// Normalised schema of the result.
    pub output: Option<Value>,
    /// Has a tool of its own in tool lists.
    pub promoted: bool,
    /// Words by which search finds it.
    pub tags: Vec<String>,
    /// Sentences that a user may write, for search.
    pub examples: Vec<String>,
    /// A successful call by a caller who is no admin notifies the workspace's admins.
    pub notifies_admins: bool,
    /// Time limit of a call, in seconds.
    pub timeout_seconds: u32,
    /// Listed to nobody and callable by nobody.
    pub draft: bool,
    /// Who runs it.
    pub executor: ToolExecutor,
    /// SHA-256 in hex of everything that decides what the tool is and does.
    pub definition: String,
}

/// A document without defects.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedToolset {
    /// Prefix of the full names.
    pub slug: String,
    /// Title for people.
    pub title: String,
    /// Whether an operator's toolset is on in every workspace.
    pub enabled: bool,
    /// The document with normalised schemas.
    pub document: Toolset,
    /// The tools in the order of the document.
    pub tools: Vec<CheckedTool>,
    pub notes: Vec<ToolsetNote>,
}

impl CheckedToolset {
    /// Returns the normalised document in its stable form. Checking it again gives the same document.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.document).unwrap_or_default()
    }

    /// Returns the tool with this full name, without regard to case.
    pub fn tool(&self, full_name: &str) -> Option<&CheckedTool> {
        self.tools.iter().find(|tool| tool.full_name.eq_ignore_ascii_case(full_name))
    }
}

//! The rules that go beyond the document's schema.

mod access;
mod body;
mod confirmation;
mod document_rules;
mod executor;
mod headers;
mod http;
mod levels;
mod path;
mod placeholders;
mod upstreams;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use access::{check_lists as check_access_lists, resolve_access};
pub use body::is_json_type;
pub use document_rules::check_document;
pub use headers::wrong_header;
pub use upstreams::{wrong_auth_name, wrong_base_url, wrong_secret};

use crate::{
    context::{CheckContext, KnownUpstream},
    document::{DeclaredTool, Toolset},
    note::CheckReport,
    tool_schema::ParameterInfo,
};

pub struct ToolScope<'a> {
    /// Pointer to the tool.
    pub at: String,
    /// The tool without the values that do not match the document's schema.
    pub tool: &'a DeclaredTool,
    /// The tool as it is written. Shows which keys it has.
    pub written: &'a Value,
    /// The parameters of its normalised schema.
    pub parameters: &'a [ParameterInfo],
    /// The whole document.
    pub toolset: &'a Toolset,
    /// The upstreams by name. `None` if they are not known.
    pub upstreams: Option<&'a BTreeMap<String, KnownUpstream>>,
    /// The caller types that a tool may name.
    pub caller_types: &'a BTreeSet<String>,
    /// What the check knows beside the document.
    pub context: &'a CheckContext,
}

impl ToolScope<'_> {
    /// Returns whether the tool has the key, whatever its value is.
    fn has(&self, key: &str) -> bool {
        self.written.get(key).is_some()
    }

    fn parameter(&self, name: &str) -> Option<&ParameterInfo> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns the tool's upstream, if it is known.
    fn upstream(&self, name: Option<&String>) -> Option<&KnownUpstream> {
        self.upstreams?.get(name?)
    }
}

pub fn check_tool(scope: &ToolScope<'_>, report: &mut CheckReport) {
    access::check(scope, report);
    levels::check(scope, report);
    confirmation::check(scope, report);
    placeholders::check_sentences(scope, report);
    executor::check(scope, report);
}

//! What a check knows beside the document.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::CallerType;

use crate::document::UpstreamKind;

/// Where a toolset comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ToolsetSource {
    // It may declare upstreams and caller types, and says whether it is enabled.
    /// A file of the operator.
    Operator,
    /// This workspace.
    Workspace,
}

/// An upstream that exists outside the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownUpstream {
    /// Protocol of the upstream.
    pub kind: UpstreamKind,
    /// Address that every path starts from.
    pub base_url: String,
    /// Header in which the credential is sent, if the upstream has one of its own.
    pub auth_header: Option<String>,
}

/// What a check knows beside the document.
#[derive(Clone, Debug)]
pub struct CheckContext {
    /// Where the document comes from.
    pub source: ToolsetSource,
    pub caller_types: BTreeSet<String>,
    /// The slugs of the operator's other toolsets.
    pub operator_slugs: BTreeSet<String>,
    /// The slugs of the compiled packs, also of those that no workspace can switch on.
    pub pack_slugs: BTreeSet<&'static str>,
    /// The upstreams of the workspace by name. `None` if they are not known: then no name is refused.
    pub upstreams: Option<BTreeMap<String, KnownUpstream>>,
    /// The slugs of the workspace's agents. `None` if they are not known: then no name is noted.
    pub agent_slugs: Option<BTreeSet<String>>,
}

impl CheckContext {
    /// Returns a context with the built-in caller types and nothing else.
    pub fn new(source: ToolsetSource) -> Self {
        Self {
            source,
            caller_types: CallerType::BUILT_IN.into_iter().map(str::to_owned).collect(),
            operator_slugs: BTreeSet::new(),
            pack_slugs: BTreeSet::new(),
            upstreams: None,
            agent_slugs: None,
        }
    }
}

//! Checks an imported tool alone, so that a tool with a defect is left out and the others are kept.

use std::collections::BTreeMap;

use crate::{
    check::check,
    context::{CheckContext, KnownUpstream, ToolsetSource},
    document::{ClientExecution, DeclaredTool, Toolset, UpstreamKind},
};

/// The document that imported tools become part of.
pub struct ToolTrial {
    frame: Toolset,
    context: CheckContext,
}

impl ToolTrial {
    /// Creates a trial for the tools of this document, which call the upstream with this name, kind and address. The
    /// address need not be known.
    pub fn new(
        frame: &Toolset,
        source: ToolsetSource,
        (upstream, kind, base_url): (&str, UpstreamKind, Option<&str>),
    ) -> Self {
        let mut context = CheckContext::new(source);
        let known = KnownUpstream {
            kind,
            base_url: base_url.unwrap_or_default().to_owned(),
            auth_header: None,
        };
        context.upstreams = Some(BTreeMap::from([(upstream.to_owned(), known)]));
        Self { frame: Toolset { tools: None, ..frame.clone() }, context }
    }

    /// Returns the first defect of the document without its tools: its pointer and its sentence.
    pub fn defect_of_frame(&self) -> Option<(String, String)> {
        let tool = DeclaredTool {
            name: Some("x".into()),
            description: Some("x".into()),
            permission_level: Some(toolcrib_registry::Level::Read),
            draft: Some(true),
            client: Some(ClientExecution::default()),
            ..DeclaredTool::default()
        };
        self.defect(tool)
    }

    /// Returns the size of a tool in a TOML document, or why it can't be in one.
    pub fn check(&self, tool: &DeclaredTool) -> Result<usize, String> {
        if let Some((pointer, message)) = self.defect(tool.clone()) {
            let pointer = pointer.strip_prefix("/tools/0").unwrap_or(&pointer);
            return Err(format!("has a defect at `{pointer}`: {message}"));
        }
        let text = Toolset { tools: Some(vec![tool.clone()]), ..Toolset::default() }.to_toml();
        text.map(|text| text.len()).map_err(|error| format!("can't be written as TOML: {error}"))
    }

    fn defect(&self, tool: DeclaredTool) -> Option<(String, String)> {
        let document = Toolset { tools: Some(vec![tool]), ..self.frame.clone() };
        let document = serde_json::to_value(document).unwrap_or_default();
        let defects = check(&document, &self.context).err()?;
        defects.into_iter().next().map(|defect| (defect.pointer, defect.message))
    }
}

//! Checks an imported tool alone, so that a tool with a defect is left out and the others are kept.

use std::collections::BTreeMap;

use toolcrib_toolset::{
    CheckContext, CheckedToolset, ClientExecution, DeclaredTool, KnownUpstream, Toolset, ToolsetNote,
    ToolsetSource, UpstreamKind, check,
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
        upstream: &str,
        kind: UpstreamKind,
        base_url: Option<&str>,
    ) -> Self {
        let mut context = CheckContext::new(source);
        let known =
            KnownUpstream { kind, base_url: base_url.unwrap_or_default().to_owned(), auth_header: None };
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
        self.run(tool).err()
    }

    /// Returns the size of a tool in a TOML document, or why it can't be in one.
    pub fn check(&self, tool: &DeclaredTool) -> Result<usize, String> {
        self.checked(tool)?;
        size(tool)
    }

    /// Returns a tool as it is stored, how many places of its schemas that changes, and its size in a TOML document. Or
    /// why it can't be in one.
    pub fn normalise(&self, tool: &DeclaredTool) -> Result<(DeclaredTool, usize, usize), String> {
        let checked = self.checked(tool)?;
        let is_schema =
            |note: &&ToolsetNote| note.pointer.contains("/parameters") || note.pointer.contains("/output");
        let changes = checked.notes.iter().filter(is_schema).count();
        let tool = checked.document.tools.into_iter().flatten().next().unwrap_or_default();
        let bytes = size(&tool)?;
        Ok((tool, changes, bytes))
    }

    fn checked(&self, tool: &DeclaredTool) -> Result<CheckedToolset, String> {
        self.run(tool.clone()).map_err(|(pointer, message)| {
            let pointer = pointer.strip_prefix("/tools/0").unwrap_or(&pointer);
            format!("has a defect at `{pointer}`: {message}")
        })
    }

    fn run(&self, tool: DeclaredTool) -> Result<CheckedToolset, (String, String)> {
        let document = Toolset { tools: Some(vec![tool]), ..self.frame.clone() };
        let document = serde_json::to_value(document).unwrap_or_default();
        check(&document, &self.context).map_err(|defects| {
            let first = defects.into_iter().next();
            first.map(|defect| (defect.pointer, defect.message)).unwrap_or_default()
        })
    }
}

fn size(tool: &DeclaredTool) -> Result<usize, String> {
    let text = Toolset { tools: Some(vec![tool.clone()]), ..Toolset::default() }.to_toml();
    text.map(|text| text.len()).map_err(|error| format!("can't be written as TOML: {error}"))
}

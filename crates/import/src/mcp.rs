//! Imports the tools of an MCP server.

mod schemas;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use toolcrib_model::count;
use toolcrib_registry::Level;
use toolcrib_toolset::{
    DeclaredTool, McpMapping, Toolset, ToolsetSource, UpstreamKind, UpstreamTool, quoted, tool_warnings,
};

use crate::{
    ImportError, ImportNote, LeftOutOperation,
    drafts::{DraftList, DraftTool, fitting_draft, frame},
    limits::{MAX_DESCRIPTION, MAX_WORK, WORK_OF_CHECK},
    names::{NameSource, ToolName, in_grammar},
    schema::UnfitOperation,
    selection::OperationSelection,
    texts::{clean_line, clean_lines},
    trial::ToolTrial,
};

/// The maximum length of the name of a tool in messages, in characters.
const MAX_LABEL: usize = 200;

/// What an import needs beside the tools of the server.
#[derive(Clone, Debug)]
pub struct McpImportOptions {
    pub slug: String,
    /// Name of the upstream that the tools call.
    pub upstream: String,
    /// Title of the toolset. Default: the slug.
    pub title: Option<String>,
    /// The tools that are imported: names, or their beginnings with `*`. Empty: all.
    pub include: Vec<String>,
    /// The tools that are not imported, in the same form.
    pub exclude: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct McpImport {
    /// The document. Every tool is a draft with the digest of its definition as pin. It has no tools if none fits.
    pub toolset: Toolset,
    /// The tools that were selected and do not fit.
    pub left_out: Vec<LeftOutOperation>,
    /// What differs from the server's list, and what is to be looked at before the tools are accepted.
    pub notes: Vec<ImportNote>,
}

/// Imports tools that an MCP server lists as drafts.
pub fn import_mcp_tools(
    tools: &[UpstreamTool],
    options: &McpImportOptions,
) -> Result<McpImport, ImportError> {
    let frame = frame(&options.slug, options.title.as_deref().unwrap_or_default());
    let trial = ToolTrial::new(&frame, ToolsetSource::Workspace, &options.upstream, UpstreamKind::Mcp, None);
    if let Some((_, message)) = trial.defect_of_frame() {
        return Err(ImportError::Slug(message));
    }
    let mut importer = McpImporter {
        options,
        names: tools.iter().map(|tool| tool.name.as_str()).collect(),
        trial,
        work: Cell::new(MAX_WORK),
        drafts: DraftList::default(),
    };
    let mut selection = OperationSelection::new(&options.include, &options.exclude);
    for (tool, name) in tools.iter().zip(tool_names(tools)) {
        if selection.selects(&[&tool.name])
            && let Err(reason) = importer.import(tool, name)
        {
            importer.drafts.leave_out(label(tool), reason);
        }
    }
    let unused = selection.unused().map(|pattern| format!("{} matches no tool", quoted(pattern)));
    let messages: Vec<String> = unused.chain(importer.drafts.destructive_note()).collect();
    let DraftList { tools, left_out, notes, .. } = importer.drafts;
    let notes = DraftList::all_notes(messages, notes);
    Ok(McpImport { toolset: Toolset { tools: Some(tools), ..frame }, left_out, notes })
}

/// An import that is under way.
struct McpImporter<'a> {
    options: &'a McpImportOptions,
    /// The names of all tools of the server.
    names: Vec<&'a str>,
    trial: ToolTrial,
    work: Cell<usize>,
    drafts: DraftList,
}

impl McpImporter<'_> {
    fn import(&mut self, tool: &UpstreamTool, name: ToolName) -> Result<(), String> {
        if self.names.iter().filter(|name| **name == tool.name).count() > 1 {
            return Err("has a name that the server lists twice".into());
        }
        if name.base.is_empty() {
            return Err("has a name without a letter".into());
        }
        self.drafts.check_name(&name.name, &self.options.slug)?;
        let draft = self.draft(tool, &name.name)?;
        self.drafts.add(name, &self.options.slug, draft)
    }

    /// Makes the draft of a tool.
    fn draft(&self, tool: &UpstreamTool, name: &str) -> Result<DraftTool, String> {
        let too_large = "the list is too large to be read whole; select tools";
        fitting_draft(&self.work, too_large, |depth| self.draft_to_depth(tool, name, depth))
    }

    fn mapping(&self, tool: &UpstreamTool, keys: BTreeMap<String, String>) -> McpMapping {
        McpMapping {
            upstream: Some(self.options.upstream.clone()),
            tool: Some(tool.name.clone()),
            keys: (!keys.is_empty()).then_some(keys),
            pin: Some(tool.digest()),
        }
    }

    fn draft_to_depth(
        &self,
        tool: &UpstreamTool,
        name: &str,
        depth: usize,
    ) -> Result<DraftTool, UnfitOperation> {
        let mut notes: BTreeSet<String> =
            tool_warnings(tool, self.names.iter().copied()).into_iter().collect();
        let description = description(tool, &mut notes);
        let parameters = schemas::parameters(tool, depth, &self.work, &mut notes)?;
        let level = if tool.destructive_hint { Level::Destructive } else { Level::Write };
        let mut draft = DeclaredTool {
            name: Some(name.to_owned()),
            description: Some(description),
            permission_level: Some(level),
            parameters: Some(parameters.schema),
            draft: Some(true),
            mcp: Some(self.mapping(tool, parameters.keys)),
            ..DeclaredTool::default()
        };
        self.work.set(self.work.get().saturating_sub(WORK_OF_CHECK));
        let without_output = self.trial.normalise(&draft).map_err(UnfitOperation::TooDetailed)?;
        draft.output = schemas::output(tool, depth, &self.work, &mut notes);
        let with_output = draft.output.is_some().then(|| self.trial.normalise(&draft));
        let (draft, changes, bytes) = match with_output {
            None => without_output,
            Some(Ok(whole)) => whole,
            Some(Err(reason)) => {
                notes.insert(schemas::dropped_output(&reason));
                without_output
            }
        };
        if changes > 0 {
            notes.insert(format!(
                "the schemas were closed and bounded in {}, as on saving",
                count(changes, "place")
            ));
        }
        Ok((draft, notes, bytes))
    }
}

fn tool_names(tools: &[UpstreamTool]) -> Vec<ToolName> {
    let source = |tool: &UpstreamTool| NameSource {
        base: in_grammar(&tool.name),
        key: tool.name.clone(),
        place: String::new(),
    };
    ToolName::all(tools.iter().map(source).collect())
}

/// Returns the name by which people know the tool.
fn label(tool: &UpstreamTool) -> String {
    clean_line(&tool.name, MAX_LABEL)
}

fn description(tool: &UpstreamTool, notes: &mut BTreeSet<String>) -> String {
    let written = tool.description.as_deref().unwrap_or_default().replace("\r\n", "\n");
    let clean = clean_lines(&written, MAX_DESCRIPTION);
    if clean != written.trim() {
        notes.insert("the description was cut, or hidden characters or secrets were removed from it".into());
    }
    if clean.is_empty() { label(tool) } else { clean }
}

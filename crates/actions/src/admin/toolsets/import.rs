//! Turns an OpenAPI document, or the tools of an MCP server, into a document of drafts. Stores nothing: a person sets
//! levels and access, removes `draft`, and stores the document.

use serde_json::{Map, Value};
use toolcrib_engine::{compute_large, prelude::*};
use toolcrib_import::{
    ImportError, ImportNote, ImportOptions, LeftOutOperation, MAX_OPENAPI_BYTES, McpImportOptions,
    import_mcp_tools, import_openapi,
};
use toolcrib_toolset::{Toolset, ToolsetSource};

use crate::admin::server_tools;

/// About how many bytes a list has whose import takes noticeable time.
const LARGE_LIST: usize = 1 << 20;

pub struct ImportToolset;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset. Of an OpenAPI document also the name of the upstream that its tools call.
    pub slug: String,
    /// The OpenAPI document, 3.0 or 3.1, as JSON of at most 8 MiB. `toolcrib toolset import openapi` reads YAML too. Give
    /// this or `upstream`.
    #[schemars(extend("x-free" = true, "maxProperties" = 100))]
    pub openapi: Option<Map<String, Value>>,
    /// Name of the upstream of the kind `mcp` whose tools are imported as its server listed them last. Give this or
    /// `openapi`.
    #[schemars(length(min = 1, max = 100))]
    pub upstream: Option<String>,
    /// Operations or tools that are imported: IDs, paths or names, or their beginnings with `*`. Default: all.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub include: Vec<String>,
    /// Operations or tools that are not imported, in the same form.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub exclude: Vec<String>,
    /// Base URL of the service, only with `openapi`. Default: the first server of the OpenAPI document.
    #[schemars(length(max = 2_000))]
    pub server: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The document. Every tool of it is a draft.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub document: Value,
    /// Base URL that the upstream must have; null if the OpenAPI document names none, and for tools of an MCP server.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub base_url: Option<String>,
    /// Operations or tools that do not fit.
    pub left_out: Vec<LeftOutView>,
    /// What differs from what was imported, and what is to be looked at or done before the tools are accepted.
    pub notes: Vec<ImportNoteView>,
}

/// An operation or a tool that does not fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LeftOutView {
    /// ID of the operation, or its method and path; name of the tool.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub name: String,
    /// Why it does not fit.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub reason: String,
}

/// Something that the person who accepts the tools should know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ImportNoteView {
    /// Name of the tool; null for the whole document.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub tool: Option<String>,
    /// The note as a sentence.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub message: String,
}

impl ReadAction for ImportToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.import", Level::Read, Permission::TOOLSETS_MANAGE).describe(
            "Make a document of drafts of the operations of an OpenAPI document, or of the tools of an MCP server. \
             Nothing is stored.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        match (&input.openapi, &input.upstream) {
            (Some(document), None) => of_openapi(document, input),
            (None, Some(upstream)) if input.server.is_none() => of_mcp(cx, upstream, input).await,
            (None, Some(_)) => {
                let message = "is only possible with `openapi`: an upstream has its address";
                Err(ActionError::invalid("/server", "not_allowed", message))
            }
            (Some(_), Some(_)) => {
                let message = "can't stand beside `openapi`; give one of them";
                Err(ActionError::invalid("/upstream", "not_allowed", message))
            }
            (None, None) => {
                let message = "give an OpenAPI document, or the name of an MCP server in `upstream`";
                Err(ActionError::invalid("/openapi", "required", message))
            }
        }
    }

    fn describe(_: &Input, output: &Output) -> String {
        let tools = output.document.pointer("/tools").and_then(Value::as_array).map_or(0, Vec::len);
        format!("Made {} as drafts; {} left out", count(tools, "tool"), output.left_out.len())
    }
}

fn of_openapi(document: &Map<String, Value>, input: &Input) -> Result<Output, ActionError> {
    let options = ImportOptions {
        slug: input.slug.clone(),
        source: ToolsetSource::Workspace,
        server: input.server.clone(),
        include: input.include.clone(),
        exclude: input.exclude.clone(),
    };
    let openapi = Value::Object(document.clone());
    // A large document takes tens of milliseconds.
    let imported =
        compute_large(MAX_OPENAPI_BYTES, || import_openapi(&openapi, &options)).map_err(refused)?;
    let base_url = imported.base_url;
    Ok(Output { base_url, ..Output::of(&imported.toolset, imported.left_out, imported.notes) })
}

/// Makes drafts of the tools that the server of this upstream listed last.
async fn of_mcp(cx: &mut ReadCx<'_>, reference: &str, input: &Input) -> Result<Output, ActionError> {
    let rules = cx.tools.catalog.rules();
    let found = server_tools::read(cx.tx, rules, reference, "/upstream").await?;
    let options = McpImportOptions {
        slug: input.slug.clone(),
        upstream: found.upstream.name.clone(),
        title: None,
        include: input.include.clone(),
        exclude: input.exclude.clone(),
    };
    let tools = found.current();
    if tools.is_empty() {
        return Err(server_tools::nothing_listed(reference, found.was_asked));
    }
    let imported = compute_large(LARGE_LIST, || import_mcp_tools(&tools, &options)).map_err(refused)?;
    Ok(Output::of(&imported.toolset, imported.left_out, imported.notes))
}

impl Output {
    fn of(toolset: &Toolset, left_out: Vec<LeftOutOperation>, notes: Vec<ImportNote>) -> Self {
        let left_out = left_out.into_iter();
        let notes = notes.into_iter();
        Self {
            document: serde_json::to_value(toolset).unwrap_or_default(),
            base_url: None,
            left_out: left_out.map(|left| LeftOutView { name: left.name, reason: left.reason }).collect(),
            notes: notes.map(|note| ImportNoteView { tool: note.tool, message: note.message }).collect(),
        }
    }
}

fn refused(error: ImportError) -> ActionError {
    let (pointer, message) = match &error {
        ImportError::TooLarge => {
            let detail = format!("the OpenAPI document {error}");
            return ActionError::new(ErrorCode::PayloadTooLarge, detail)
                .hint("split the document, or remove what no operation needs");
        }
        ImportError::NotOpenApi(_) => ("/openapi", error.to_string()),
        ImportError::Slug(_) => ("/slug", error.to_string()),
        ImportError::Server(_) => ("/server", error.to_string()),
    };
    ActionError::invalid(pointer, "openapi", message)
}

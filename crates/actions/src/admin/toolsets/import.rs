//! Turns an OpenAPI document into a document of drafts. Stores nothing: a person sets levels and access, removes `draft`, and
//! stores the document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolcrib_engine::{ActionError, ReadAction, ReadCx, compute_large};
use toolcrib_model::{ErrorCode, count};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_toolset::{
    ImportError, ImportOptions, MAX_OPENAPI_BYTES, OpenApiImport, ToolsetSource, import_openapi,
};

/// `toolsets.import`.
pub struct ImportToolset;

/// Arguments of the operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset, and name of the upstream that its tools call.
    pub slug: String,
    /// The OpenAPI document, 3.0 or 3.1, as JSON of at most 8 MiB. `toolcrib toolset import openapi` reads YAML too.
    #[schemars(extend("x-free" = true, "maxProperties" = 100))]
    pub openapi: Map<String, Value>,
    /// Operations that are imported: IDs or paths, or their beginnings with `*`. Default: all.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub include: Vec<String>,
    /// Operations that are not imported, in the same form.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub exclude: Vec<String>,
    /// Base URL of the service. Default: the first server of the OpenAPI document.
    #[schemars(length(max = 2_000))]
    pub server: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The document. Every tool of it is a draft.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub document: Value,
    /// Base URL that the upstream must have; null if the OpenAPI document names none.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub base_url: Option<String>,
    /// Operations that do not fit.
    pub left_out: Vec<LeftOutView>,
    /// What differs from the OpenAPI document, and what is still to be done.
    pub notes: Vec<ImportNoteView>,
}

/// An operation that does not fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LeftOutView {
    /// ID of the operation, or its method and path.
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
            "Make a document of drafts of the operations of an OpenAPI document. Nothing is stored.",
        )
    }

    async fn run(_: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let options = ImportOptions {
            slug: input.slug.clone(),
            source: ToolsetSource::Workspace,
            server: input.server.clone(),
            include: input.include.clone(),
            exclude: input.exclude.clone(),
        };
        let openapi = Value::Object(input.openapi.clone());
        // A large document takes tens of milliseconds.
        let imported = compute_large(MAX_OPENAPI_BYTES, || import_openapi(&openapi, &options));
        Ok(Output::of(imported.map_err(refused)?))
    }

    fn describe(_: &Input, output: &Output) -> String {
        let tools = output.document.pointer("/tools").and_then(Value::as_array).map_or(0, Vec::len);
        let left_out = count(output.left_out.len(), "operation");
        format!("Made {} as drafts; {left_out} left out", count(tools, "tool"))
    }
}

impl Output {
    fn of(imported: OpenApiImport) -> Self {
        let left_out = imported.left_out.into_iter();
        let notes = imported.notes.into_iter();
        Self {
            document: serde_json::to_value(&imported.toolset).unwrap_or_default(),
            base_url: imported.base_url,
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

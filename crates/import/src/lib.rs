//! Imports the operations of an OpenAPI document, or the tools of an MCP server, as drafts of declared tools.
//!
//! Depends on `toolset`, `registry` and `model` only and does no I/O: it reads no file and asks no server.
//!
//! What does not fit is left out with its reason, never the document. `toolset` has checked every tool of the
//! result, so the result has no defects. A person sets levels and access, and removes `draft`.

mod body;
mod drafts;
mod limits;
mod mapping;
mod mcp;
mod media_type;
mod names;
mod openapi;
mod operation;
mod parameters;
mod references;
mod schema;
mod security;
mod selection;
mod server;
mod texts;
mod trial;

use serde::Serialize;
use toolcrib_toolset::{Toolset, ToolsetSource};

pub use limits::MAX_OPENAPI_BYTES;
pub use mcp::{McpImport, McpImportOptions, import_mcp_tools};
pub use openapi::import_openapi;

/// What an import needs beside the OpenAPI document.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Slug of the toolset, and name of its upstream.
    pub slug: String,
    /// Whose document is made. Only that of an operator declares its upstream.
    pub source: ToolsetSource,
    /// The base URL of the service. Default: the first server of the OpenAPI document.
    pub server: Option<String>,
    /// The operations that are imported: names or paths, or their beginnings with `*`. Empty: all.
    pub include: Vec<String>,
    /// The operations that are not imported, in the same form.
    pub exclude: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OpenApiImport {
    /// The document. Every tool is a draft. It has no tools if no operation fits.
    pub toolset: Toolset,
    /// Base URL that the upstream must have, if the OpenAPI document or the options name one.
    pub base_url: Option<String>,
    /// The operations that were selected and do not fit.
    pub left_out: Vec<LeftOutOperation>,
    /// What differs from the OpenAPI document, and what is to be done before the tools can be used.
    pub notes: Vec<ImportNote>,
}

/// An operation or a tool of an MCP server that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutOperation {
    /// The operation's ID, or its method and path; the name of the tool at the server.
    pub name: String,
    /// Why it was left out.
    pub reason: String,
}

/// Something that the person who accepts the tools should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportNote {
    /// Name of the tool that the note is about. `None` for the whole document.
    pub tool: Option<String>,
    /// The note as a sentence.
    pub message: String,
}

/// Why a document can't be imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("has more than {MAX_OPENAPI_BYTES} bytes")]
    TooLarge,
    /// The value is no document of OpenAPI 3.
    #[error("{0}")]
    NotOpenApi(String),
    /// The slug can't be used.
    #[error("the slug {0}")]
    Slug(String),
    /// The address of the service can't be used.
    #[error("the server {0}")]
    Server(String),
}

//! Toolsets: documents of declared tools. Reads a document, names every defect of it, and returns its checked
//! form. Builds the request of an `http` tool (`request`) and shapes its response (`response`).
//!
//! Depends on `registry` and `model` only and does no I/O: it reads no file, asks no upstream and resolves no
//! secret. Does not decide who may call a tool.
//!
//! To add a field of a tool: the field in `document/tool.rs`, its rules in `rules/`, its place in
//! `CheckedTool` and, if it decides what the tool is or does, in `checked/definition.rs`.

mod check;
mod checked;
mod context;
mod defect;
mod document;
mod grammar;
mod limits;
mod matrix;
mod note;
mod parse;
mod request;
mod response;
mod rules;
mod spec;
mod stored;
mod structure;
mod template;
mod text;
mod tool_schema;
mod upstream_tool;

pub use check::check;
pub use checked::{CheckedTool, CheckedToolset, ToolExecutor};
pub use context::{CheckContext, KnownUpstream, ToolsetSource};
pub use defect::{DocumentDefect, quoted};
pub use document::{
    AccessLists, AuthKind, ClientExecution, DeclaredAccess, DeclaredEscalation, DeclaredTool,
    DeclaredUpstream, DocumentForm, EscalationCondition, EveryoneWord, HttpMapping, HttpMethod, McpMapping,
    ResponseMapping, SecretOwner, TargetMapping, Toolset, ToolsetDefaults, UpstreamAuth, UpstreamKind,
};
pub use grammar::{NAME_PATTERN, UPSTREAM_PATTERN};
pub use limits::{
    MAX_DEFECTS, MAX_DOCUMENT_BYTES, MAX_ENUM, MAX_FULL_NAME, MAX_PARAMETER_TEXT, MAX_PATTERN_BYTES,
    MAX_PATTERNS, MAX_PROMOTED, MAX_PROPERTIES, MAX_RESPONSE_VALUES, MAX_RESULT_BYTES, MAX_SCHEMA_DEPTH,
    MAX_TITLE,
};
pub use matrix::{MatrixCaller, MatrixRow, ToolsetMatrix, matrix};
pub use note::{NoteKind, ToolsetNote};
pub use parse::{DocumentFormat, ParseError, parse};
pub use request::{RequestBody, RequestDefect, UpstreamRequest, build_request, build_target_request};
pub use response::{ShapedResponse, max_response_bytes, shape_response, shape_value};
pub use rules::{is_json_type, wrong_auth_name, wrong_base_url, wrong_header, wrong_secret};
pub use stored::{StoredToolset, read_stored};
pub use structure::schema;
pub use template::{TemplatePart, is_pointer, template_parts};
pub use text::{hidden_character, looks_secret};
pub use tool_schema::{is_named_secret, length, no_parameters};
pub use upstream_tool::{UpstreamTool, tool_warnings};

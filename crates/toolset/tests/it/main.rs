//! Tests of toolset documents.
#![expect(clippy::unwrap_used, reason = "tests")]

mod any_value;
mod checked;
mod examples;
mod http_any_argument;
mod http_request;
mod http_response;
mod http_support;
mod import_any_value;
mod import_mcp;
mod import_openapi;
mod import_schemas;
mod import_support;
mod parse;
mod rules;
mod schemas;
mod structure;
mod support;
mod texts;
mod tool_formats;

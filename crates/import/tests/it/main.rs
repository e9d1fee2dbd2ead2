//! Tests of imports.
#![expect(clippy::unwrap_used, reason = "tests")]

mod any_value;
#[path = "../../../toolset/tests/it/json_pointers.rs"]
mod json_pointers;
mod mcp;
mod names;
mod not_narrower;
mod openapi;
mod properties;
mod schemas;
mod support;
mod tool_formats;

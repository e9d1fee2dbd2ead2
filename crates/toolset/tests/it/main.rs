//! Tests of toolset documents.
#![expect(clippy::unwrap_used, reason = "tests")]

mod any_value;
mod checked;
mod examples;
mod http_any_argument;
mod http_request;
mod http_response;
mod http_support;
mod json_pointers;
mod parse;
mod rules;
mod schemas;
mod structure;
mod support;
mod texts;

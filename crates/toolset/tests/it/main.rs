//! Tests of toolset documents.
#![expect(clippy::unwrap_used, reason = "tests")]

mod any_value;
mod checked;
mod examples;
mod parse;
mod rules;
mod schemas;
mod structure;
mod support;
mod texts;

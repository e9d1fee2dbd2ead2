//! Tests of toolset documents.

mod any_value;
mod checked;
mod examples;
mod parse;
mod rules;
mod schemas;
mod structure;
mod support;
mod texts;

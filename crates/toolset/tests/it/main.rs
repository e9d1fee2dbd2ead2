//! Tests of toolset documents.

mod any_value;
mod checked;
mod parse;
mod rules;
mod schemas;
mod structure;
mod support;
mod texts;

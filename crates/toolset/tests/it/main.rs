//! Tests of toolset documents.

mod parse;
mod structure;

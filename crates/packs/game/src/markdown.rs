//! Systems as Markdown documents: reads and writes them. Pure.

mod lines;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use crate::{
    graph::DependencyType,
    system::{Criticality, SystemStatus, Texts},
};

pub use parse::parse;
pub use render::{one_line, render, section};

/// The number of notes on a document that are told one by one.
pub const MAX_NOTES: usize = 100;

/// A system as a document describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    pub name: String,
    pub slug: String,
    pub status: Option<SystemStatus>,
    pub mvp_criticality: Option<Criticality>,
    pub texts: Texts,
    /// Slugs of systems that this one builds on, in the order of the document.
    pub dependencies: Vec<(String, DependencyType)>,
    /// What is read and never stored.
    pub version: Option<String>,
    pub depended_on_by: Option<String>,
    pub change_log: Option<String>,
}

/// The systems of a document, and what was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub systems: Vec<Described>,
    pub warnings: Vec<Note>,
}

/// A remark on a part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line of the document, from 1.
    pub line: usize,
    /// Title of the section, or `System` for the heading of a system; empty for the document.
    pub section: String,
    pub message: String,
}

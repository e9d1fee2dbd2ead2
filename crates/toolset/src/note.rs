//! What a check reports beside defects.

use serde::Serialize;

use crate::defect::{DefectList, by_pointer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// An object of a schema was closed.
    ObjectClosed,
    /// A string of a schema got a maximum length.
    StringBounded,
    /// A list of a schema got a maximum number of items.
    ListBounded,
    /// A reference of a schema was replaced by what it refers to.
    ReferenceInlined,
    /// A schema got a type.
    TypeAdded,
    /// A keyword of a schema is not known.
    UnknownKeyword,
    /// The callers of a tool.
    Access,
    /// A name does not fit its level.
    NameAndLevel,
    /// A field or parameter has no effect.
    Unused,
    /// A draft lacks what a tool needs.
    Draft,
}

/// Something that the author of a document may want to know. Not a defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolsetNote {
    /// JSON pointer into the document.
    pub pointer: String,
    pub kind: NoteKind,
    /// The note as a sentence.
    pub message: String,
}

/// The defects and notes of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// The defects that were found so far.
    pub defects: DefectList,
    notes: Vec<ToolsetNote>,
}

impl CheckReport {
    pub fn defect(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.defects.add(pointer, message);
    }

    pub fn note(&mut self, kind: NoteKind, pointer: impl Into<String>, message: impl Into<String>) {
        self.notes.push(ToolsetNote { pointer: pointer.into(), kind, message: message.into() });
    }

    /// Returns the notes in the order of the document.
    pub fn into_notes(self) -> Vec<ToolsetNote> {
        let mut notes = self.notes;
        notes.sort_by(|a, b| by_pointer(&a.pointer, &b.pointer));
        notes.dedup();
        notes
    }
}

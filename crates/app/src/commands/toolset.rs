//! `toolset …`: checks and imports toolset documents and shows who reaches their tools. Needs no database.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};
use toolcrib_engine::Pack;
use toolcrib_model::{count, visible};
use toolcrib_toolset::{NoteKind, ToolsetNote, ToolsetSource, matrix, schema};

use super::import_openapi;
use crate::{
    cli::{ImportCommand, ToolsetCommand},
    failure::{Failure, Ran},
    output,
    toolset_files::{self, CheckedFile, check_files},
};

/// Runs the command. `caller_types` are the configured ones.
pub fn run(command: &ToolsetCommand, caller_types: &[String], packs: &[Pack]) -> Result<Ran, Failure> {
    let context = |of_workspace: bool| {
        let source = if of_workspace { ToolsetSource::Workspace } else { ToolsetSource::Operator };
        toolset_files::context(source, caller_types, packs)
    };
    match command {
        // These need a workspace: `stored_toolset` and `remote`.
        ToolsetCommand::Apply { .. } | ToolsetCommand::List { .. } | ToolsetCommand::Export { .. } => {}
        ToolsetCommand::Import(ImportCommand::Openapi(args)) => return import_openapi::run(args),
        ToolsetCommand::Schema => output::json(schema())?,
        ToolsetCommand::Check { files, workspace, json } => {
            let checked = check_files(files.iter().map(AsRef::as_ref), &context(*workspace))?;
            return print_checked(&checked, *json);
        }
        ToolsetCommand::Matrix { file, workspace, json } => {
            let checked = check_files([file.as_ref()].into_iter(), &context(*workspace))?;
            let Some(CheckedFile { result: Ok(toolset), .. }) = checked.first() else {
                return print_checked(&checked, *json);
            };
            let matrix = matrix(toolset);
            if *json {
                output::json(&json!(matrix))?;
            } else {
                output::print(&matrix.to_markdown())?;
            }
        }
    }
    Ok(Ran::Done)
}

fn print_checked(checked: &[CheckedFile], json: bool) -> Result<Ran, Failure> {
    if json {
        let all: Vec<Value> = checked.iter().map(as_json).collect();
        output::json(&Value::from(all))?;
    } else {
        let texts: Vec<String> = checked.iter().map(as_text).collect();
        output::print(&texts.concat())?;
    }
    let is_free = checked.iter().all(|file| file.result.is_ok());
    Ok(if is_free { Ran::Done } else { Ran::No })
}

fn as_json(file: &CheckedFile) -> Value {
    match &file.result {
        Err(defects) => json!({ "file": file.path, "defects": defects, "notes": [] }),
        Ok(toolset) => {
            let tools = toolset.tools.iter().map(|tool| {
                json!({ "name": tool.full_name, "level": tool.level, "draft": tool.draft,
                        "definition": tool.definition })
            });
            let tools: Vec<Value> = tools.collect();
            json!({ "file": file.path, "slug": toolset.slug, "defects": [], "notes": toolset.notes,
                    "tools": tools })
        }
    }
}

/// Writing into a string can't fail.
fn as_text(file: &CheckedFile) -> String {
    let mut out = String::new();
    match &file.result {
        Err(defects) => {
            let _ = writeln!(out, "{}: {}", file.path, count(defects.len(), "defect"));
            for defect in defects {
                let _ = writeln!(out, "  {defect}");
            }
        }
        Ok(toolset) => {
            let tools = count(toolset.tools.len(), "tool");
            let _ = writeln!(out, "{}: no defects in {tools} of `{}`", file.path, toolset.slug);
            write_notes(&toolset.notes, &mut out);
        }
    }
    out
}

/// Writes one line for each note. Notes of the kinds that nearly every tool has are counted instead.
fn write_notes(notes: &[ToolsetNote], out: &mut String) {
    let mut counted: BTreeMap<NoteKind, usize> = BTreeMap::new();
    for note in notes {
        if summary(note.kind).is_some() {
            *counted.entry(note.kind).or_default() += 1;
        } else {
            let _ = writeln!(out, "  note: {}: {}", visible(&note.pointer), note.message);
        }
    }
    for (kind, number) in counted {
        if let Some((noun, done)) = summary(kind) {
            let _ = writeln!(out, "  note: {} {done}", count(number, noun));
        }
    }
}

fn summary(kind: NoteKind) -> Option<(&'static str, &'static str)> {
    match kind {
        NoteKind::ObjectClosed => Some(("object", "closed: other properties are refused")),
        NoteKind::StringBounded => Some(("string", "bounded to 8192 characters")),
        NoteKind::ListBounded => Some(("list", "bounded to 100 items")),
        NoteKind::ReferenceInlined => Some(("reference", "inlined")),
        NoteKind::TypeAdded
        | NoteKind::UnknownKeyword
        | NoteKind::Access
        | NoteKind::NameAndLevel
        | NoteKind::Unused
        | NoteKind::Draft => None,
    }
}

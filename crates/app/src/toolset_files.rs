//! Reads and checks files with toolset documents.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use serde_json::{Map, Value};
use toolcrib_engine::Pack;
use toolcrib_toolset::{
    CheckContext, CheckedToolset, DocumentDefect, DocumentFormat, ToolsetSource, check, parse,
};

use crate::failure::Failure;

/// The most defects that the error at start-up names.
const MAX_SHOWN_DEFECTS: usize = 10;

/// A file and the result of its check.
pub struct CheckedFile {
    pub path: String,
    pub result: Result<CheckedToolset, Vec<DocumentDefect>>,
}

/// Returns what the check of a document knows: the caller types, and the packs of this build.
pub fn context(source: ToolsetSource, caller_types: &[String], packs: &[Pack]) -> CheckContext {
    CheckContext {
        caller_types: caller_types.iter().cloned().collect(),
        pack_slugs: pack_slugs(packs),
        ..CheckContext::new(source)
    }
}

/// Returns the slugs that only packs have.
pub fn pack_slugs(packs: &[Pack]) -> BTreeSet<&'static str> {
    packs.iter().map(|pack| pack.info.slug).collect()
}

/// Checks the files. Each slug must not be that of an earlier file.
pub fn check_files<'f>(
    files: impl Iterator<Item = &'f Path>,
    context: &CheckContext,
) -> Result<Vec<CheckedFile>, Failure> {
    let mut context = context.clone();
    let mut checked = Vec::new();
    for file in files {
        let path = file.display().to_string();
        let document = read(file)?;
        let result = check(&document, &context);
        if let Ok(toolset) = &result {
            context.operator_slugs.insert(toolset.slug.clone());
        }
        checked.push(CheckedFile { path, result });
    }
    Ok(checked)
}

/// Reads a document that is stored in a workspace.
pub fn read_object(file: &Path) -> Result<Map<String, Value>, Failure> {
    match read(file)? {
        Value::Object(document) => Ok(document),
        _ => Err(Failure::Usage(format!("{}: must be an object", file.display()))),
    }
}

/// Reads a document: JSON if the name ends in `.json`, TOML otherwise.
fn read(file: &Path) -> Result<Value, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let format = if is_json { DocumentFormat::Json } else { DocumentFormat::Toml };
    parse(&text, format).map_err(|error| named(&error))
}

/// Returns the operator's toolsets. A defect is an error, so that the service does not start with other tools than the
/// operator meant.
pub fn of_operator(
    files: &[String],
    caller_types: &[String],
    packs: &[Pack],
) -> Result<Vec<Arc<CheckedToolset>>, Failure> {
    let context = context(ToolsetSource::Operator, caller_types, packs);
    let checked = check_files(files.iter().map(Path::new), &context)?;
    let mut toolsets = Vec::new();
    for file in checked {
        let toolset = file.result.map_err(|defects| {
            let shown: Vec<String> =
                defects.iter().take(MAX_SHOWN_DEFECTS).map(|one| format!("\n  {one}")).collect();
            Failure::Usage(format!(
                "`--toolset`: {} has defects; `toolcrib toolset check` names all{}",
                file.path,
                shown.concat()
            ))
        })?;
        toolsets.push(Arc::new(toolset));
    }
    toolsets.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok(toolsets)
}

/// Returns the configured caller types with those that the toolsets add.
pub fn caller_types(configured: &[String], toolsets: &[Arc<CheckedToolset>]) -> Vec<String> {
    let mut types = configured.to_vec();
    let added = toolsets.iter().flat_map(|toolset| toolset.document.caller_types.iter().flatten());
    for word in added {
        if !types.contains(word) {
            types.push(word.clone());
        }
    }
    types
}

//! Reads and checks files with toolset documents.

use std::{fs, path::Path};

use serde_json::{Map, Value};
use toolcrib_toolset::{CheckContext, CheckedToolset, DocumentDefect, DocumentFormat, check, parse};

use crate::failure::Failure;

/// A file and the result of its check.
pub struct CheckedFile {
    pub path: String,
    pub result: Result<CheckedToolset, Vec<DocumentDefect>>,
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
pub fn read(file: &Path) -> Result<Value, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let format = if is_json { DocumentFormat::Json } else { DocumentFormat::Toml };
    parse(&text, format).map_err(|error| named(&error))
}

//! Reads the operator's toolsets.

use std::{path::Path, sync::Arc};

use toolcrib_toolset::{CheckContext, CheckedToolset, ToolsetSource};

use crate::{failure::Failure, toolset_files::check_files};

/// The most defects that the error at start-up names.
const MAX_SHOWN_DEFECTS: usize = 10;

/// Reads and checks the files. A defect is an error, so that the service does not start with other tools than the
/// operator meant.
pub fn read(files: &[String], caller_types: &[String]) -> Result<Vec<Arc<CheckedToolset>>, Failure> {
    let mut context = CheckContext::new(ToolsetSource::Operator);
    context.caller_types = caller_types.iter().cloned().collect();
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

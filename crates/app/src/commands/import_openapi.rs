//! `toolset import openapi`: makes a toolset of drafts from an OpenAPI document. The only place that reads YAML.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};
use toolcrib_import::{ImportOptions, MAX_OPENAPI_BYTES, OpenApiImport, import_openapi};
use toolcrib_model::{count, visible};
use toolcrib_toolset::ToolsetSource;

use crate::{
    cli::ImportOpenApiArgs,
    failure::{Failure, Ran},
    output,
};

/// The maximum number of values in a YAML document. Aliases can multiply them.
const MAX_NODES: usize = 2_000_000;

/// Runs the command: the document goes to standard output, everything else to standard error.
pub fn run(args: &ImportOpenApiArgs) -> Result<Ran, Failure> {
    let file = args.file.display();
    let options = ImportOptions {
        slug: args.slug.clone(),
        source: if args.workspace { ToolsetSource::Workspace } else { ToolsetSource::Operator },
        server: args.server.clone(),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
    };
    let document = read(&args.file)?;
    let imported = import_openapi(&document, &options)
        .map_err(|error| Failure::Usage(format!("{file}: {}", visible(&error.to_string()))))?;
    let tools = imported.toolset.tools.as_ref().map_or(0, Vec::len);
    if args.json {
        output::json(&json!({
            "document": imported.toolset, "left_out": imported.left_out, "notes": imported.notes
        }))?;
    } else {
        if tools > 0 {
            output::print(&imported.toolset.to_toml().map_err(Failure::CouldNotRun)?)?;
        }
        output::explain(&explanation(&file.to_string(), &imported, tools));
    }
    Ok(if tools > 0 { Ran::Done } else { Ran::No })
}

/// Reads a document: JSON if it begins with `{`, YAML otherwise.
fn read(file: &Path) -> Result<Value, Failure> {
    let named = |error: &dyn std::fmt::Display| {
        let text = error.to_string();
        // Behind the first line the error shows the place in the text.
        let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::Usage(format!("{}: {}", file.display(), visible(line)))
    };
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    if text.len() > MAX_OPENAPI_BYTES {
        let bytes = text.len();
        return Err(named(&format!("has {bytes} bytes; an import reads at most {MAX_OPENAPI_BYTES}")));
    }
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).map_err(|error| named(&error));
    }
    let budget = serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 2 * MAX_NODES };
    let options = serde_saphyr::options! { budget: budget };
    serde_saphyr::from_str_with_options(&text, options).map_err(|error| named(&error))
}

/// Says what was left out, what differs, and what is still to be done. Writing into a string can't fail.
fn explanation(file: &str, imported: &OpenApiImport, tools: usize) -> String {
    let left_out = count(imported.left_out.len(), "operation");
    let mut text = format!("{file}: {} as drafts, {left_out} left out\n", count(tools, "tool"));
    for operation in &imported.left_out {
        let _ = writeln!(text, "  left out: {}: {}", operation.name, operation.reason);
    }
    let mut tools_by_note: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for note in &imported.notes {
        match &note.tool {
            None => drop(writeln!(text, "  note: {}", note.message)),
            Some(tool) => tools_by_note.entry(&note.message).or_default().push(tool),
        }
    }
    for (message, tools) in tools_by_note {
        let of = match tools.as_slice() {
            [one] => (*one).to_owned(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        };
        let _ = writeln!(text, "  note: {of}: {message}");
    }
    text
}

//! Imports every OpenAPI document of a folder, and checks every tool in every format:
//! `scripts/import-corpus` runs it.
#![expect(clippy::unwrap_used, reason = "a measurement")]

#[path = "../tests/it/tool_formats.rs"]
mod tool_formats;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::Value;
use toolcrib_import::{ImportError, ImportOptions, OpenApiImport, import_openapi};
use toolcrib_toolset::{CheckContext, ToolsetSource, check};

#[derive(Default)]
struct Totals {
    documents: usize,
    operations: usize,
    tools: usize,
    levels: BTreeMap<String, usize>,
    left_out: BTreeMap<String, usize>,
    notes: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    defects: Vec<String>,
    slowest: Duration,
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let mut files = Vec::new();
    json_files(Path::new(&folder), &mut files);
    files.sort();
    let mut totals = Totals::default();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let Ok(document) = serde_json::from_str::<Value>(&text) else { continue };
        if document.get("openapi").is_some() {
            import(&file.display().to_string(), &document, &mut totals);
        }
    }
    print(&totals);
    assert!(totals.defects.is_empty(), "{:#?}", totals.defects);
}

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            json_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
}

fn import(file: &str, document: &Value, totals: &mut Totals) {
    let options = ImportOptions {
        slug: "api".into(),
        source: ToolsetSource::Operator,
        server: Some("https://api.example/".into()),
        include: Vec::new(),
        exclude: Vec::new(),
    };
    let start = Instant::now();
    let imported = match import_openapi(document, &options) {
        Ok(imported) => imported,
        Err(error) => {
            let reason = match error {
                ImportError::NotOpenApi(message) => message,
                error => error.to_string(),
            };
            *totals.refused.entry(reason).or_default() += 1;
            return;
        }
    };
    totals.slowest = totals.slowest.max(start.elapsed());
    if start.elapsed() > Duration::from_secs(2) {
        eprintln!("{file}: {:.1?}", start.elapsed());
    }
    totals.documents += 1;
    count(&imported, totals);
    check_tools(file, &imported, totals);
}

fn count(imported: &OpenApiImport, totals: &mut Totals) {
    let tools = imported.toolset.tools.as_deref().unwrap();
    totals.tools += tools.len();
    totals.operations += tools.len() + imported.left_out.len();
    for tool in tools {
        *totals.levels.entry(tool.permission_level.unwrap().as_str().into()).or_default() += 1;
    }
    for left_out in &imported.left_out {
        if std::env::args().any(|word| word == "--all") {
            eprintln!("{}: {}", left_out.name, left_out.reason);
        }
        *totals.left_out.entry(without_names(&left_out.reason)).or_default() += 1;
    }
    for note in &imported.notes {
        *totals.notes.entry(without_names(&note.message)).or_default() += 1;
    }
}

fn check_tools(file: &str, imported: &OpenApiImport, totals: &mut Totals) {
    if imported.toolset.tools.as_ref().unwrap().is_empty() {
        return;
    }
    let document = serde_json::to_value(&imported.toolset).unwrap();
    match check(&document, &CheckContext::new(ToolsetSource::Operator)) {
        Err(defects) => totals.defects.extend(defects.iter().map(|defect| format!("{file}: {defect}"))),
        Ok(checked) => {
            for tool in &checked.tools {
                let found = tool_formats::defects(&checked.slug, tool);
                totals.defects.extend(found.into_iter().map(|defect| format!("{file}: {defect}")));
            }
        }
    }
}

/// Replaces what stands in backticks, so that equal reasons are counted together.
fn without_names(text: &str) -> String {
    if text.starts_with("its full name has") {
        return "its full name has more than 64 characters".into();
    }
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "…" }).collect::<Vec<_>>().join("`")
}

fn print(totals: &Totals) {
    println!("documents {}, operations {}, tools {}", totals.documents, totals.operations, totals.tools);
    println!("slowest {:.1?}", totals.slowest);
    for (title, counts) in [
        ("levels", &totals.levels),
        ("refused", &totals.refused),
        ("left out", &totals.left_out),
        ("notes", &totals.notes),
    ] {
        println!("\n{title}");
        let mut rows: Vec<_> = counts.iter().collect();
        rows.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
        for (reason, number) in rows {
            println!("{number:>8} {reason}");
        }
    }
}

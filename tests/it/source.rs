//! Tests of the source code itself: its modules and lines. One test has a list of exceptions in
//! `tests/data/source/`. A list may only get shorter: a test fails if something new is found, and if a line
//! of its list is no longer needed. `SHRINK=1 cargo test -p toolcrib-tests source` removes those lines.

mod gates;
mod lines;
mod modules;
mod promises;
mod tokens;
mod write_path;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// A Rust file of this repository.
pub struct SourceFile {
    /// Path from the repository's root, such as `crates/store/src/db.rs`.
    pub path: String,
    pub text: String,
}

impl SourceFile {
    /// The folder of the crate, such as `store`, or of the pack, such as `game`.
    pub fn crate_name(&self) -> &str {
        let path =
            self.path.strip_prefix("crates/packs/").or_else(|| self.path.split_once('/').map(|at| at.1));
        path.and_then(|path| path.split('/').next()).unwrap_or_default()
    }

    /// Whether the file has only tests.
    pub fn is_test(&self) -> bool {
        let inside = self.path.split_once("/src/").map(|(_, inside)| inside);
        inside.is_none_or(|inside| inside.split('/').any(|part| part == "tests.rs" || part == "tests"))
    }
}

/// The number of times that each thing was found.
pub type Found = BTreeMap<String, usize>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The Rust files in `crates/` and `tests/it/`, sorted by path.
pub fn rust_files() -> Vec<SourceFile> {
    let mut found = Vec::new();
    for folder in ["crates", "tests/it"] {
        walk(&root().join(folder), &mut found);
    }
    assert!(found.len() > 500, "{} files", found.len());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn walk(folder: &Path, found: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "target" {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            found.push(SourceFile { path: relative, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

/// The files that are not tests.
pub fn product_files() -> Vec<SourceFile> {
    rust_files().into_iter().filter(|file| !file.is_test()).collect()
}

/// Fails if `found` has more or less than the list. `cure` says how to fix something new.
pub fn only_listed(list: &str, found: &Found, cure: &str) {
    let path = root().join(format!("tests/data/source/{list}.txt"));
    let listed = read(&path);
    let mut complaints = String::new();
    for (what, count) in found {
        let allowed = listed.get(what).copied().unwrap_or_default();
        if *count > allowed {
            writeln!(complaints, "{what}: {count} where {allowed} are listed; {cure}").unwrap();
        }
    }
    assert!(complaints.is_empty(), "{list}:\n{complaints}");
    if std::env::var_os("SHRINK").is_some() {
        let lines: Vec<String> = found.iter().map(|(what, count)| format!("{count} {what}\n")).collect();
        return fs::write(&path, lines.concat()).unwrap();
    }
    let shrunk =
        listed.iter().filter(|(what, count)| found.get(*what).copied().unwrap_or_default() < **count);
    let shrunk: Vec<&String> = shrunk.map(|(what, _)| what).collect();
    assert!(shrunk.is_empty(), "{list}: fewer than listed, run this with SHRINK=1: {shrunk:?}");
}

fn read(path: &Path) -> Found {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(count, what)| (what.to_owned(), count.parse().unwrap())).collect()
}

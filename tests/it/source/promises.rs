//! The tests that `docs/security.md` names exist.

use std::{collections::BTreeSet, fs, path::Path};

use super::{root, rust_files};

/// The words in code in the cells of tests.
fn named() -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let tests = rows.filter_map(|row| row.split(" | ").nth(1));
    tests.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

/// The paths that a word with braces stands for, such as `a/{b,c}.rs`.
fn paths(word: &str) -> Vec<String> {
    let Some((before, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
    inside.split(',').map(|one| format!("{before}{one}{after}")).collect()
}

fn functions(text: &str) -> impl Iterator<Item = String> {
    let names = text.split("fn ").skip(1);
    names.map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
}

#[test]
fn source_has_the_tests_that_the_promises_name() {
    let known: BTreeSet<String> = rust_files().iter().flat_map(|file| functions(&file.text)).collect();
    let exists = |path: &str| ["crates", ""].iter().any(|folder| root().join(folder).join(path).exists());
    let is_path =
        |word: &str| word.contains('/') || Path::new(word).extension().is_some_and(|end| end == "rs");
    let (mut tests, mut missing) = (0, Vec::new());
    for word in named() {
        if is_path(&word) {
            missing.extend(paths(&word).into_iter().filter(|path| !exists(path)));
        } else if word.contains('_') {
            tests += 1;
            missing.extend(Some(word).filter(|word| !known.contains(word)));
        }
    }
    assert!(tests > 100, "{tests} tests are named");
    assert!(missing.is_empty(), "docs/security.md names tests that do not exist: {missing:?}");
}

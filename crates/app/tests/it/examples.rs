//! `docs/actions.md`: every action with its parameters, its permission, and one call with its response.
//!
//! The page's commands run in one shell against a real `serve --demo`, from top to bottom. Ids, times and
//! figures in responses differ between runs, so responses are compared by shape and everything else as text.
//! `UPDATE_GOLDEN=1` rewrites the page where it differs.

mod page;
mod shape;

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::Value;

use crate::binary::{Server, done, folder};
use page::{Entry, Page};

/// Separates the output of two blocks.
const BREAK: &str = "--- next ---";

/// Runs the blocks in one shell, in order. Returns the output of each.
fn run(blocks: &[String], home: &Path) -> Vec<String> {
    let script = blocks.join(&format!("\necho '{BREAK}'\n"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(home).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.split(BREAK).map(|part| part.trim().to_owned()).collect()
}

/// The last response of a block, as the page shows it.
fn answer(action: &str, printed: &str) -> Value {
    let line = printed.lines().last().unwrap_or_default();
    let whole: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("`{action}` printed {printed}"));
    assert_eq!(whole["status"], "completed", "`{action}`: {whole}");
    shape::shown(&whole)
}

#[test]
fn golden_examples_run_from_top_to_bottom() {
    let home = folder();
    let server = Server::start(home.path(), &["--demo"]);
    // What the commands find in a checkout with a demo.
    std::os::unix::fs::symlink("data", home.path().join(".toolcrib")).unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::os::unix::fs::symlink(examples, home.path().join("examples")).unwrap();
    let catalogue: Vec<Value> = serde_json::from_str(&done(&["actions", "list", "--json"])).unwrap();
    let entries: Vec<Entry> =
        serde_json::from_str(include_str!("../../../../tests/data/walkthrough.json")).unwrap();
    let by_name: BTreeMap<&str, &Value> =
        catalogue.iter().map(|meta| (meta["name"].as_str().unwrap(), meta)).collect();
    let page = Page::new(&entries, &by_name);

    let blocks: Vec<String> = [Page::prelude()].into_iter().chain(page.blocks()).collect();
    let printed = run(&blocks, home.path());
    assert_eq!(server.stop(), Some(0));
    let answers: Vec<Value> =
        entries.iter().zip(&printed[1..]).map(|(entry, text)| answer(&entry.action, text)).collect();
    println!("{} examples ran", answers.len());
    assert_eq!(answers.len(), entries.len());

    let made = page.text(&answers);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/actions.md");
    let held = fs::read_to_string(&file).unwrap_or_default();
    let difference = shape::difference(&held, &made);
    #[expect(clippy::disallowed_methods, reason = "a switch of the test, not a setting")]
    let update = std::env::var("UPDATE_GOLDEN").is_ok();
    match difference {
        Some(_) if update => fs::write(&file, made).unwrap(),
        Some(difference) => panic!("`docs/actions.md` differs; UPDATE_GOLDEN=1 rewrites it: {difference}"),
        None => {}
    }
}

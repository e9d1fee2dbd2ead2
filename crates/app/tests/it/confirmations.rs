//! The commands in `docs/confirmations.md` and `docs/mcp.md`, which run in one shell against a real
//! `serve --demo` and must print what the pages show.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::binary::{Server, folder, link_checkout};

/// Separates the output of two blocks.
const BREAK: &str = "--- next ---";

/// The page's blocks of shell commands, each with the response that the page shows.
fn blocks(page: &str) -> Vec<(String, Value)> {
    let fenced = |text: &str, kind: &str| -> Option<(String, String)> {
        let (_, rest) = text.split_once(&format!("```{kind}\n"))?;
        let (inside, after) = rest.split_once("\n```")?;
        Some((inside.to_owned(), after.to_owned()))
    };
    let mut found = Vec::new();
    let mut rest = page.to_owned();
    while let Some((lines, after)) = fenced(&rest, "sh") {
        let (shown, after) = fenced(&after, "json").expect("each block shows its answer");
        found.push((lines, serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}: {shown}"))));
        rest = after;
    }
    found
}

/// Checks that the response has everything that the page shows. `…` stands for any text, and the response may
/// have more fields.
fn shows(shown: &Value, printed: &Value, at: &str) {
    match (shown, printed) {
        (Value::String(text), Value::String(_)) if text == "…" => {}
        (Value::Object(fields), Value::Object(_)) => {
            for (name, field) in fields {
                shows(field, printed.get(name).unwrap_or(&Value::Null), &format!("{at}/{name}"));
            }
        }
        (Value::Array(items), Value::Array(all)) => {
            assert_eq!(items.len(), all.len(), "{at}: {printed}");
            for (n, (item, one)) in items.iter().zip(all).enumerate() {
                shows(item, one, &format!("{at}/{n}"));
            }
        }
        _ => assert_eq!(shown, printed, "{at}"),
    }
}

/// Runs the commands of a page. Returns the number of its blocks.
fn runs(page: &str) -> usize {
    let home = folder();
    let server = Server::start(home.path(), &["--demo"]);
    link_checkout(home.path());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let blocks = blocks(&fs::read_to_string(file).unwrap());
    let lines: Vec<&str> = blocks.iter().map(|(lines, _)| lines.as_str()).collect();
    let script = lines.join(&format!("\necho; echo '{BREAK}'\n"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(home.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let printed: Vec<&str> = text.split(BREAK).collect();
    assert_eq!(printed.len(), blocks.len(), "{text}");
    for ((lines, shown), printed) in blocks.iter().zip(printed) {
        let last = printed.trim().lines().last().unwrap_or_default();
        let answer = serde_json::from_str(last).unwrap_or_else(|_| panic!("`{lines}` printed {printed}"));
        println!("{last}");
        shows(shown, &answer, "");
    }
    assert_eq!(server.stop(), Some(0));
    blocks.len()
}

#[test]
fn the_page_runs_from_top_to_bottom() {
    assert!(runs("confirmations.md") >= 15);
}

#[test]
fn the_page_about_mcp_runs_from_top_to_bottom() {
    assert!(runs("mcp.md") >= 7);
}

//! The lists in `ARCHITECTURE.md` of the files of one write, one read and one MCP call.

use super::root;

/// The maximum number of files to open to follow a write on one database. It was 32 while files that were
/// only named in the description of another one did not count; each of them has a row now.
const MAX_FILES: usize = 38;

/// The files in a section's table: the rows that name no database or this one.
fn files(section: &str, database: &str) -> Vec<String> {
    let rows = section.lines().filter(|line| line.starts_with("| `crates/"));
    let of_database = |row: &&str| {
        let cell = row.split('|').nth(1).unwrap_or_default();
        !cell.contains('(') || cell.contains(&format!("({database})"))
    };
    rows.filter(of_database).filter_map(|row| row.split('`').nth(1).map(str::to_owned)).collect()
}

#[test]
fn source_has_the_files_of_one_write_read_and_mcp_call() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let sections = [("One write", 20..=MAX_FILES), ("One read", 8..=12), ("One MCP call", 10..=14)];
    for (title, expected) in sections {
        let section = text.split("\n## ").find(|section| section.starts_with(title)).unwrap_or_default();
        for database in ["SQLite", "PostgreSQL"] {
            let files = files(section, database);
            println!("{title}, {database}: {} files", files.len());
            assert!(expected.contains(&files.len()), "{title}, {database}: {} files", files.len());
            for file in files {
                assert!(root().join(&file).is_file(), "{title}: `{file}` does not exist");
            }
        }
    }
}

#[test]
fn source_files_of_a_write_are_read_by_database() {
    let text = "| `crates/a.rs` | x |\n| `crates/b.rs` (SQLite) | y |\n| other | z |";
    assert_eq!(files(text, "SQLite"), ["crates/a.rs", "crates/b.rs"]);
    assert_eq!(files(text, "PostgreSQL"), ["crates/a.rs"]);
}

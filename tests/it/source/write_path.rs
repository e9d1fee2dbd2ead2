//! The list in `ARCHITECTURE.md` of the files of one write.

use super::root;

/// The maximum number of files to open to follow a write on one database.
const MAX_FILES: usize = 32;

/// The files in the table's rows that name no database or this one.
fn files(text: &str, database: &str) -> Vec<String> {
    let rows = text.lines().filter(|line| line.starts_with("| `crates/"));
    let of_database = |row: &&str| {
        let cell = row.split('|').nth(1).unwrap_or_default();
        !cell.contains('(') || cell.contains(&format!("({database})"))
    };
    rows.filter(of_database).filter_map(|row| row.split('`').nth(1).map(str::to_owned)).collect()
}

#[test]
fn source_has_the_files_of_one_write() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for database in ["SQLite", "PostgreSQL"] {
        let files = files(&text, database);
        println!("{database}: {} files of one write", files.len());
        assert!((20..=MAX_FILES).contains(&files.len()), "{database}: {} files", files.len());
        for file in files {
            assert!(root().join(&file).is_file(), "ARCHITECTURE.md lists `{file}`, which does not exist");
        }
    }
}

#[test]
fn source_files_of_a_write_are_read_by_database() {
    let text = "| `crates/a.rs` | x |\n| `crates/b.rs` (SQLite) | y |\n| other | z |";
    assert_eq!(files(text, "SQLite"), ["crates/a.rs", "crates/b.rs"]);
    assert_eq!(files(text, "PostgreSQL"), ["crates/a.rs"]);
}

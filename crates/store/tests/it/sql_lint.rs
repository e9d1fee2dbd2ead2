//! SQLite has no row level security, so a statement without its workspace would leak. Every SQL text of this
//! crate that names a tenant's table must name `workspace_id`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Texts that need no `workspace_id`: the file, how the text begins, and the reason. The list may only get
/// shorter.
const EXEMPT: [(&str, &str, &str); 3] = [
    ("lookup.rs", " FROM keys WHERE id = $1", "a key says which workspace it belongs to; its id is unique"),
    (
        "events.rs",
        "SELECT coalesce(max(seq), 0) FROM events",
        "how far the outbox reached: a number that only the process and its operator learn",
    ),
    ("events.rs", "SELECT coalesce(max(place), 0) FROM events", "the same on PostgreSQL"),
];

/// Every string literal of this crate: its SQL and all others.
pub fn texts() -> Vec<String> {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    files.iter().flat_map(|file| literals(&fs::read_to_string(file).unwrap())).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Every table with a `workspace_id`, from the schema of SQLite.
fn tenant_tables() -> BTreeSet<String> {
    let sql = fs::read_to_string(root().join("../../migrations/sqlite/0001_schema.sql")).unwrap();
    let tables = tables_of(&sql);
    assert!(tables.len() >= 40, "{tables:?}");
    tables
}

/// The tables with a `workspace_id` that these statements create.
pub fn tables_of(sql: &str) -> BTreeSet<String> {
    let mut tables = BTreeSet::new();
    for made in sql.split("CREATE TABLE ").skip(1) {
        let (name, rest) = made.split_once(|c: char| !c.is_alphanumeric() && c != '_').unwrap();
        if rest.split(';').next().is_some_and(|body| body.contains("workspace_id")) {
            tables.insert(name.to_owned());
        }
    }
    tables
}

/// The string literals of a source outside its tests, without escaped line breaks. Quotation marks in
/// comments and character literals are skipped.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = code.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '/' if before == '/' => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' if before != '\'' => found.push(literal(&mut rest)),
            _ => {}
        }
        before = c;
    }
    found
}

fn literal(rest: &mut std::iter::Peekable<std::str::Chars>) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => match rest.next() {
                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                Some(escaped) => text.push(escaped),
                None => break,
            },
            c => text.push(c),
        }
    }
    text
}

/// The tenant's table that a SQL text reads or changes.
fn tenant_table<'t>(sql: &str, tables: &'t BTreeSet<String>) -> Option<&'t String> {
    let words: Vec<_> =
        sql.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    words.windows(2).find_map(|pair| {
        let names = ["FROM", "JOIN", "INTO", "UPDATE"].contains(&pair[0].to_uppercase().as_str());
        if names { tables.get(pair[1]) } else { None }
    })
}

#[test]
fn every_statement_on_a_tenants_table_names_its_workspace() {
    let tables = tenant_tables();
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    let (mut checked, mut used) = (0, BTreeSet::new());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        for sql in literals(&fs::read_to_string(&file).unwrap()) {
            let Some(table) = tenant_table(&sql, &tables) else { continue };
            checked += 1;
            let exempt =
                EXEMPT.iter().position(|(in_file, begins, _)| *in_file == name && sql.starts_with(begins));
            used.extend(exempt);
            assert!(
                exempt.is_some() || sql.contains("workspace_id"),
                "{}: a statement on `{table}` without `workspace_id`: {sql}",
                file.display()
            );
        }
    }
    assert!(checked >= 25, "only {checked} statements were found");
    assert_eq!(used.len(), EXEMPT.len(), "an exemption is of no use any more: take it out");
}

/// Texts with a `*` that is no table's row: the file, and what the text has.
const OTHER_STARS: [(&str, &str); 8] = [
    ("memories.rs", "SELECT m.*, a.name AS agent_name FROM (SELECT agent_id"),
    ("playbooks.rs", "v.* FROM json_to_recordset"),
    ("llm_usage.rs", "v.* FROM json_to_recordset"),
    ("bound_rows.rs", "SELECT * FROM (VALUES"),
    ("lookup.rs", "SELECT * FROM memberships_of("),
    ("lookup.rs", "AS role FROM all_workspaces()"),
    ("spending.rs", "SELECT u.*, a.name FROM (SELECT"),
    ("activity.rs", "SELECT * FROM (SELECT "),
];

/// A statement that selects `*` of a table fails in a running process when a migration adds a column.
#[test]
fn every_statement_names_its_columns() {
    let mut files = Vec::new();
    for folder in ["src", "../packs/game/src", "../packs/media/src"] {
        sources(&root().join(folder), &mut files);
    }
    let mut used = BTreeSet::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        for text in literals(&fs::read_to_string(&file).unwrap()) {
            if !["SELECT *", "RETURNING *", ".*"].iter().any(|star| text.contains(star)) {
                continue;
            }
            let other = OTHER_STARS.iter().position(|(in_file, has)| *in_file == name && text.contains(has));
            assert!(other.is_some(), "{}: name the columns, as with `columns!`: {text}", file.display());
            used.extend(other);
        }
    }
    assert_eq!(used.len(), OTHER_STARS.len(), "a line of the list is of no use any more: take it out");
}

/// What is wrong with the statements of a pack: one on a tenant's table that names no workspace, or a table
/// of which no statement was read. On SQLite the statements are the only wall of a pack's tables.
fn gaps_of_pack(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    sources(&folder.join("src"), &mut files);
    let sql = |file: fs::DirEntry| fs::read_to_string(file.path()).unwrap();
    let migrations = fs::read_dir(folder.join("migrations/sqlite")).into_iter().flatten();
    let own = tables_of(&migrations.map(|file| sql(file.unwrap())).collect::<Vec<_>>().join("\n"));
    let mut unread = own.clone();
    let mut gaps = Vec::new();
    let tables: BTreeSet<String> = own.into_iter().chain(tenant_tables()).collect();
    for text in files.iter().flat_map(|file| literals(&fs::read_to_string(file).unwrap())) {
        let Some(table) = tenant_table(&text, &tables) else { continue };
        unread.remove(table);
        if !text.contains("workspace_id") {
            gaps.push(format!("a statement on `{table}` without `workspace_id`: {text}"));
        }
    }
    gaps.extend(unread.iter().map(|table| format!("no statement on `{table}` was read")));
    gaps
}

#[test]
fn every_statement_of_a_pack_names_its_workspace() {
    let mut packs = 0;
    for folder in ["../packs", "../../examples/packs"] {
        for pack in fs::read_dir(root().join(folder)).into_iter().flatten() {
            let pack = pack.unwrap().path();
            assert_eq!(gaps_of_pack(&pack), Vec::<String>::new(), "{}", pack.display());
            packs += 1;
        }
    }
    assert!(packs > 0);
}

#[test]
fn a_pack_without_a_wall_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("migrations/sqlite/0001.sql", "CREATE TABLE shop_orders (workspace_id BLOB, id BLOB) STRICT;");
    write("src/lib.rs", "const A: &str = \"SELECT id FROM shop_orders WHERE workspace_id = $1\";");
    assert_eq!(gaps_of_pack(folder.path()), Vec::<String>::new());
    for (source, gap) in [
        ("const A: &str = \"SELECT id FROM shop_orders\";", "a statement on `shop_orders` without"),
        ("const A: &str = \"SELECT id FROM tasks\";", "a statement on `tasks` without"),
        ("", "no statement on `shop_orders` was read"),
    ] {
        write("src/lib.rs", source);
        assert!(gaps_of_pack(folder.path()).iter().any(|found| found.starts_with(gap)), "{gap}");
    }
}

/// The backend (connections, transactions, commits) names no table. Tables give it their statements.
#[test]
fn the_backend_names_no_table() {
    let tables = tenant_tables();
    let mut files = Vec::new();
    sources(&root().join("src/backend"), &mut files);
    assert!(files.len() >= 15, "{files:?}");
    for file in files {
        for text in literals(&fs::read_to_string(&file).unwrap()) {
            let table = tables.get(&text).or_else(|| tenant_table(&text, &tables));
            assert_eq!(table, None, "{}: {text}", file.display());
        }
    }
}

#[test]
fn the_lint_sees_what_it_must() {
    let tables = BTreeSet::from(["agents".to_owned()]);
    let source = "// \"SELECT 1 FROM agents\"\nlet q = '\"'; \
        f(\"SELECT \\\"a\\\" \\\n   FROM agents WHERE id = $1\"); g(\"b\")";
    let found = literals(source);
    assert_eq!(found, ["SELECT \"a\" FROM agents WHERE id = $1", "b"]);
    assert_eq!(tenant_table(&found[0], &tables), tables.first());
    assert_eq!(tenant_table("update agents set x", &tables), tables.first());
    assert_eq!(tenant_table("SELECT * FROM users", &tables), None);
}

/// The databases disagree about lower case: SQLite knows only ASCII letters, and PostgreSQL follows its
/// locale. So case is folded in Rust.
#[test]
fn no_database_folds_case() {
    let folds = |text: &String| {
        let text = text.to_ascii_uppercase();
        let sql = ["SELECT ", "UPDATE ", "DELETE ", "INSERT ", " WHERE ", " AND "]
            .iter()
            .any(|word| text.contains(word));
        sql && ["LOWER(", "UPPER(", " ILIKE ", "NOCASE", "CITEXT"].iter().any(|fold| text.contains(fold))
    };
    let found: Vec<String> = texts().into_iter().filter(folds).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Files that connect by themselves, as the operator, and one whose functions get SQLite's connection from
/// `per_backend!`.
const OTHER_CONNECTIONS: [&str; 5] =
    ["logins.rs", "password.rs", "schema_owner.rs", "sqlite_file.rs", "candidates.rs"];

/// A statement of a table or query runs on the transaction's connection, by one of two macros.
#[test]
fn statements_run_in_the_two_macros() {
    let mut files = Vec::new();
    for folder in ["src/tables", "src/queries"] {
        sources(&root().join(folder), &mut files);
    }
    let mut seen = 0;
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let outside = without_macros(code);
        seen += code.matches("sqlx::query").count();
        let has_other = OTHER_CONNECTIONS.iter().any(|name| file.ends_with(name))
            || file.to_string_lossy().contains("/logins/");
        assert!(
            has_other || !outside.contains("sqlx::query"),
            "{}: a statement outside of `with_backend!`",
            file.display()
        );
    }
    assert!(seen > 200, "only {seen} statements were found");
}

/// The code without the two macros and their arguments.
fn without_macros(code: &str) -> String {
    let mut rest = code;
    let mut outside = String::new();
    while let Some(at) = rest.find("_backend!(") {
        outside.push_str(&rest[..at]);
        let arguments = &rest[at + "_backend!(".len()..];
        let mut open = 1;
        let end = arguments.find(|c| {
            open += i32::from(c == '(') - i32::from(c == ')');
            open == 0
        });
        rest = &arguments[end.unwrap_or(arguments.len())..];
    }
    outside + rest
}

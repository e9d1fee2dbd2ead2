//! No name that `docs/renames.md` lists as old is defined again.

use super::{product_files, root, tokens};

/// Words that begin a definition.
const DEFINES: [&str; 9] = ["struct", "enum", "trait", "type", "union", "fn", "const", "static", "mod"];

/// The retired names in the table, each with its crate. A name may be a file.
fn retired() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("docs/renames.md")).unwrap();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names = cells[2].split('`').skip(1).step_by(2);
        found.extend(names.map(|name| (cells[1].trim_matches('`').to_owned(), name.to_owned())));
    }
    found
}

#[test]
fn source_defines_no_retired_name() {
    let retired = retired();
    assert!(retired.len() > 5, "{retired:?}");
    for file in product_files() {
        let here: Vec<&str> =
            retired.iter().filter(|(name, _)| name == file.crate_name()).map(|(_, old)| &**old).collect();
        let name = file.path.split_once("/src/").unwrap().1;
        assert!(!here.contains(&name), "{} has a retired name; see docs/renames.md", file.path);
        tokens::visit(&tokens::product_tokens(&file.text), &mut |tokens| {
            for pair in tokens.windows(2) {
                let defines = tokens::ident(pair.first()).is_some_and(|word| DEFINES.contains(&&*word));
                let name = tokens::ident(pair.get(1)).filter(|_| defines).unwrap_or_default();
                assert!(!here.contains(&&*name), "{}: `{name}` is retired; see docs/renames.md", file.path);
            }
        });
    }
}

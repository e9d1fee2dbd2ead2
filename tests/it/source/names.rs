//! A type name that is visible outside its file is defined only once in the workspace.

use std::collections::BTreeMap;

use super::{product_files, tokens};

/// Words that begin the definition of a type.
const TYPES: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
/// Names that every crate may use.
const SHARED: [&str; 2] = ["Error", "Settings"];

#[test]
fn source_defines_each_visible_type_name_once() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut files = product_files();
    files.retain(|file| {
        let exempt = ["crates/actions/src/platform/", "crates/actions/src/admin/", "crates/testkit/"];
        !exempt.iter().any(|folder| file.path.starts_with(folder))
    });
    for file in files {
        tokens::visit(&tokens::product_tokens(&file.text), &mut |tokens| {
            for (at, _) in tokens.iter().enumerate() {
                if let Some(name) = visible_type(&tokens[at..]) {
                    defined.entry(name).or_default().push(file.path.clone());
                }
            }
        });
    }
    let twice = defined.into_iter().filter(|(name, files)| files.len() > 1 && !SHARED.contains(&&**name));
    let found: Vec<_> = twice.collect();
    assert!(found.is_empty(), "put the subject first, such as `TaskStatus`: {found:?}");
}

/// The type's name, if the tokens begin with `pub` or `pub(…)` and the definition of a type.
fn visible_type(tokens: &[proc_macro2::TokenTree]) -> Option<String> {
    if tokens::ident(tokens.first())? != "pub" {
        return None;
    }
    let scoped = usize::from(matches!(tokens.get(1), Some(proc_macro2::TokenTree::Group(_))));
    let word = tokens::ident(tokens.get(1 + scoped))?;
    TYPES.contains(&&*word).then(|| tokens::ident(tokens.get(2 + scoped)))?
}

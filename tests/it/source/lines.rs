//! Lines that are not allowed.

use proc_macro2::TokenTree;

use super::{Found, SourceFile, only_listed, product_files, rust_files, tokens};

/// The number of lines that match, for each file that has any.
fn count(files: Vec<SourceFile>, matches: impl Fn(&str) -> bool) -> Found {
    let counted = files.into_iter().map(|file| {
        let lines = file.text.lines().filter(|line| matches(line)).count();
        (file.path, lines)
    });
    counted.filter(|(_, lines)| *lines > 0).collect()
}

/// Functions that only let time pass.
const SLEEPS: [&str; 5] = ["sleep", "sleep_until", "sleep_ms", "park_timeout", "wait_timeout"];

#[test]
fn source_of_tests_does_not_sleep() {
    let mut found = Found::new();
    let mut files = rust_files();
    files.retain(|file| file.is_test() || file.crate_name() == "testkit");
    // The only helper that may sleep.
    files.retain(|file| file.path != "crates/testkit/src/eventually.rs");
    for file in files {
        let mut sleeps = 0;
        // Names inside string literals, such as SQL, do not count.
        tokens::visit(&tokens::product_tokens(&file.text), &mut |tokens| {
            let names = tokens.iter().filter_map(|token| tokens::ident(Some(token)));
            sleeps += names.filter(|name| SLEEPS.contains(&name.as_str())).count();
        });
        if sleeps > 0 {
            found.insert(file.path, sleeps);
        }
    }
    assert!(found.is_empty(), "use `eventually` of `testkit`, or pass the time in: {found:?}");
}

#[test]
fn source_joins_sql_in_the_stores_backend_alone() {
    let mut files = product_files();
    files.retain(|file| !file.path.starts_with("crates/store/src/backend/"));
    let found = count(files, |line| line.contains("AssertSqlSafe("));
    only_listed("assert_sql_safe", &found, "bind the value, or join the text in the store's backend");
}

#[test]
fn source_names_actions_in_the_crate_actions_alone() {
    let mut found = Found::new();
    let mut files = product_files();
    files.retain(|file| {
        // The demo is a user of the API: its history is a list of calls.
        let exempt = ["crates/app/src/demo/", "crates/registry/src/names.rs"];
        let inside = matches!(file.crate_name(), "actions" | "testkit");
        !inside && !exempt.iter().any(|start| file.path.starts_with(start))
    });
    for file in files {
        let mut names = 0;
        tokens::visit(&tokens::product_tokens(&file.text), &mut |tokens| {
            let named = |token: &&TokenTree| match token {
                TokenTree::Ident(_) | TokenTree::Literal(_) => {
                    // The crate that asks the operating system for its certificates.
                    let known = ["rustls_platform_verifier", "with_platform_verifier"];
                    !known.contains(&token.to_string().as_str()) && token.to_string().contains("platform_")
                }
                _ => false,
            };
            names += tokens.iter().filter(named).count();
        });
        if names > 0 {
            found.insert(file.path, names);
        }
    }
    assert!(found.is_empty(), "say it in the action's `Spec` or in its file: {found:?}");
}
